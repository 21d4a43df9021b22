export { createProgram, runCommand, runCommandLine } from './command-line';
export { EXIT_CODES } from './exit-codes';
export type { CommandName, ExitCode } from './exit-codes';
export { processTerminal } from './process-terminal';
export type { Terminal } from './terminal';
