import { types } from 'node:util';
import type { Command } from 'commander';
import type { CommandName } from './exit-codes';
import type { Terminal } from './terminal';

/** A command of `cdk8s-tpu-ray`. Its exit codes are a row of EXIT_CODES. */
export interface CliCommand {
  readonly name: CommandName;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Further help, below the options. */
  readonly details?: string;
  /** Declares arguments and options. */
  readonly declare: (command: Command) => unknown;
  /**
   * Does the work and gives the exit code; `given` has the arguments and options.
   * @throws UsageError
   */
  readonly run: (given: Command, terminal: Terminal) => number | Promise<number>;
}

/** Arguments that contradict each other, or name what does not exist. */
export class UsageError extends Error {}

/** Whether an error comes from the operating system, as for a file that cannot be written. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return types.isNativeError(error) && 'code' in error && 'syscall' in error;
}

/** A value as text for programs. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
