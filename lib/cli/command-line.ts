import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { packageRoot } from '../project';
import { wrapWords } from '../review';
import { UsageError, isSystemError } from './command';
import type { CliCommand } from './command';
import { EXIT_CODES, USAGE_EXIT } from './exit-codes';
import { COMMANDS } from './registry';
import type { Terminal } from './terminal';

/** Columns of help where standard output is not a terminal. */
const HELP_COLUMNS = 80;

/** The command that is run without a name: so a project's cdk8s.yaml has `app: cdk8s-tpu-ray`. */
const DEFAULT_COMMAND = 'synth';

/** Runs the command line and gives the exit code. Help and what was asked for go to standard output, all else to standard error. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(args, terminal);
}

/** The same; a command that only reads and computes has ended when this returns. */
export function runCommand(args: readonly string[], terminal: Terminal): number | Promise<number> {
  let ended: number | Promise<number> = 0;
  const program = createProgram(terminal, (result) => {
    ended = result;
  });
  try {
    program.parse(args.length === 0 ? [DEFAULT_COMMAND] : [...args], { from: 'user' });
    return ended;
  } catch (error) {
    return exitCodeOf(error);
  }
}

/** What commander throws after it has said what it has to say. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT;
  throw error;
}

/** The program with every command; completion and the documentation read it, too. */
export function createProgram(terminal: Terminal, end: (result: number | Promise<number>) => void): Command {
  const program = new Command('cdk8s-tpu-ray')
    .description(
      'Kubernetes manifests for LLM training on Cloud TPU with Ray on GKE, from platform.yaml and runs/*.yaml.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ helpWidth: terminal.columns ?? HELP_COLUMNS })
    .configureOutput({
      writeOut: terminal.output,
      writeErr: terminal.print,
      getOutHelpWidth: () => terminal.columns ?? HELP_COLUMNS,
      getErrHelpWidth: () => terminal.columns ?? HELP_COLUMNS,
    })
    .exitOverride()
    .showHelpAfterError('See cdk8s-tpu-ray --help.');
  for (const each of COMMANDS) addCommand(program, each, terminal, end);
  return program;
}

function addCommand(
  program: Command,
  { name, summary, details, declare, run }: CliCommand,
  terminal: Terminal,
  end: (result: number | Promise<number>) => void,
): void {
  const command = program
    .command(name)
    .description(summary)
    .copyInheritedSettings(program)
    .allowExcessArguments(false)
    .showHelpAfterError(`See cdk8s-tpu-ray ${name} --help.`)
    .addHelpText('after', () => helpBelow(name, details, terminal.columns ?? HELP_COLUMNS));
  declare(command);
  command.action(() => {
    const fail = (error: unknown): number => {
      if (error instanceof UsageError) command.error(`error: ${error.message}`);
      if (!isSystemError(error)) throw error;
      terminal.print(`${name}: ${error.message}\n`);
      return 1;
    };
    try {
      const result = run(command, terminal);
      end(typeof result === 'number' ? result : result.catch(fail).catch(exitCodeOf));
    } catch (error) {
      end(fail(error));
    }
  });
}

/** What stands below the options: a paragraph and the exit codes. */
function helpBelow(name: CliCommand['name'], details: string | undefined, columns: number): string {
  const paragraph = details === undefined ? [] : ['', ...wrapWords(details.replace(/\s+/g, ' '), columns)];
  const codes = EXIT_CODES[name].flatMap(({ code, meaning }) =>
    wrapWords(meaning, columns - 5).map((line, index) => `  ${index === 0 ? String(code) : ' '}  ${line}`),
  );
  return [...paragraph, '', 'Exit codes:', ...codes].join('\n');
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
