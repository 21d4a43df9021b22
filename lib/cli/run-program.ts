import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Terminal } from './terminal';

/** Signals that end a command; a terminal sends the first to the program as well. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a program with this process's standard streams to its end and gives its exit code, 128 + n for signal n. A
 * program that is being stopped is waited for, so that it can clean up.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  { environment, workingDirectory }: Terminal,
): Promise<number> {
  const child = spawn(command, args, { cwd: workingDirectory, env: { ...environment }, stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
      });
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, forward);
  }
}
