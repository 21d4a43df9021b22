// Compiles the package to build/: JavaScript, declarations, and the JSON files they load.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const build = join(root, 'build');

rmSync(build, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
for (const file of ['lib/config/schema.json', 'trainers/tpu_trainers/exit-codes.json']) {
  mkdirSync(dirname(join(build, file)), { recursive: true });
  cpSync(join(root, file), join(build, file));
}
