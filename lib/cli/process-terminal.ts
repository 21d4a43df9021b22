import type { Terminal } from './terminal';

/**
 * The terminal of this process. Output that cannot be written is said in one line, and `fail` is called; a reader that
 * has seen enough, as `head`, is no failure.
 */
export function processTerminal(fail: () => void): Terminal {
  const { stdout, stderr } = process;
  stderr.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') fail();
  });
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    stderr.write(`standard output: ${code ?? message}: the output cannot be written\n`);
    fail();
  });
  return {
    environment: process.env,
    workingDirectory: process.cwd(),
    print: (text) => stderr.write(text),
    output: (text) => stdout.write(text),
    columns: stdout.columns,
  };
}
