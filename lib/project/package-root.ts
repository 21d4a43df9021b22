import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

let root: string | undefined;

/** Folder of this package: the checkout, or where it was installed. Its `trainers/` travel with it. */
export function packageRoot(): string {
  root ??= process.env['CDK8S_TPU_RAY_ROOT'] ?? findRoot(__dirname);
  return root;
}

function findRoot(start: string): string {
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'trainers'))) return folder;
  }
  throw new Error(`no folder above ${start} holds package.json and trainers/: install the package again`);
}
