import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TemporaryProject } from '../support/temporary-project';

const BIN = join(__dirname, '../../bin/cdk8s-tpu-ray.cjs');

/** Runs the command line in a shell, with a redirection or a pipe behind it. */
function shell(args: string, rest: string): { status: number | null; stderr: string } {
  const { directory } = new TemporaryProject();
  const command = `"${process.execPath}" "${BIN}" ${args} ${rest}`;
  return spawnSync('bash', ['-c', `set -o pipefail; ${command}`], { cwd: directory, encoding: 'utf8' });
}

const onLinux = existsSync('/dev/full') ? test : test.skip;

onLinux.each(['plan', 'plan --json'])('%s to a full device: one line, and 1', (args) => {
  expect(shell(args, '>/dev/full')).toMatchObject({
    status: 1,
    stderr: 'standard output: ENOSPC: the output cannot be written\n',
  });
});

onLinux('words that cannot be written end with 1 too', () => {
  expect(shell('synth', '2>/dev/full').status).toBe(1);
});

test('a reader that has seen enough is no failure', () => {
  expect(shell('plan --json', '| true')).toMatchObject({ status: 0, stderr: '' });
});
