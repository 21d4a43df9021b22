import { runCommand } from '../../lib/cli';
import type { Terminal } from '../../lib/cli';

/** Runs a command that has ended when it returns, and gives its exit code. */
export function runSync(args: readonly string[], terminal: Terminal): number {
  const result = runCommand(args, terminal);
  if (typeof result !== 'number') throw new Error(`${args.join(' ')} has not ended`);
  return result;
}
