import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const SCRIPT = join(__dirname, '../../compile_check/environment.sh');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compile-environment-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Path of a program of this machine. */
function programPath(name: string): string {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      continue;
    }
  }
  throw new Error(`${name} is not on PATH`);
}

/** Runs the script with nothing on PATH but what it is given. */
function environment(programs: readonly string[]): { code: number | null; text: string; out: string } {
  for (const name of programs) symlinkSync(programPath(name), join(folder, name));
  const result = spawnSync(programPath('bash'), [SCRIPT], {
    encoding: 'utf8',
    env: { PATH: folder, HOME: folder },
  });
  return { code: result.status, text: result.stderr, out: result.stdout };
}

test('without Python 3.12 it says what is missing, ends with 4 and makes nothing', () => {
  writeFileSync(join(folder, 'uname'), '#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo x86_64\n');
  chmodSync(join(folder, 'uname'), 0o755);
  const { code, text, out } = environment(['bash', 'dirname', 'sh', 'tail']);
  expect(text).toBe(
    'compile environment: no Python 3.12 with venv found: install one, or name it with PYTHON=/path/to/python\n',
  );
  expect([code, out]).toEqual([4, '']);
  expect(readdirSync(folder).sort()).toEqual(['bash', 'dirname', 'sh', 'tail', 'uname']);
});

test('on another machine than Linux x86_64 it says so and ends with 4', () => {
  writeFileSync(join(folder, 'uname'), '#!/bin/sh\n[ "$1" = -s ] && echo Darwin || echo arm64\n');
  chmodSync(join(folder, 'uname'), 0o755);
  const { code, text } = environment(['dirname', 'sh']);
  expect(text).toContain('libtpu exists for Linux x86_64 only, and this is Darwin arm64');
  expect(code).toBe(4);
});
