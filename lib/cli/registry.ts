import type { CliCommand } from './command';
import { compileCheckCommand } from './commands/compile-check';
import { completionCommand } from './commands/completion';
import { doctorCommand } from './commands/doctor';
import { planCommand } from './commands/plan';
import { rehearseCommand } from './commands/rehearse';
import { downCommand, statusCommand, upCommand } from './commands/infrastructure';
import { synthCommand } from './commands/synth';

/** Every command, in the order of the help. */
export const COMMANDS: readonly CliCommand[] = [
  synthCommand,
  planCommand,
  doctorCommand,
  compileCheckCommand,
  rehearseCommand,
  upCommand,
  downCommand,
  statusCommand,
  completionCommand,
];
