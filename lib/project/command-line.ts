import { join, resolve } from 'node:path';
import { parseArgs, types } from 'node:util';
import { formatPlan } from '../plan';
import { runDoctor } from './doctor-command';
import { OutputPathError, foreignFiles, recoverOutput, writeOutput } from './output-transaction';
import { runPlan } from './plan-command';
import { describeProblems, synthesize } from './synthesize';
import type { Terminal } from './terminal';

/** Where the cdk8s CLI tells its app to write; it has emptied that folder already. */
const CDK8S_OUTDIR = 'CDK8S_OUTDIR';

const USAGE = `usage: cdk8s-tpu-ray synth [DIR]
       cdk8s-tpu-ray plan --help
       cdk8s-tpu-ray doctor --help

Reads DIR/platform.yaml and DIR/runs/*.yaml (DIR: the current directory) and writes
DIR/dist/*.k8s.yaml, DIR/plan.json and DIR/infrastructure.tsv. A summary goes to
standard error. Exit codes: 0 written, 1 refused (nothing written), 2 wrong usage.
`;

/** Runs the command line and gives the exit code. */
export function runCommandLine(args: readonly string[], terminal: Terminal): number {
  if (args[0] === 'plan') return runPlan(args.slice(1), terminal);
  if (args[0] === 'doctor') return runDoctor(args.slice(1), terminal);
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    terminal.print(`${types.isNativeError(error) ? error.message : String(error)}\n${USAGE}`);
    return 2;
  }
  const [command = 'synth', directory = '.', ...rest] = parsed.positionals;
  if (parsed.values.help === true) {
    terminal.print(USAGE);
    return 0;
  }
  if (command !== 'synth' || rest.length > 0) {
    terminal.print(`unknown command or too many arguments: ${parsed.positionals.join(' ')}\n${USAGE}`);
    return 2;
  }
  return synthesizeInto(resolve(terminal.workingDirectory, directory), terminal);
}

function synthesizeInto(directory: string, terminal: Terminal): number {
  const outdir = terminal.environment[CDK8S_OUTDIR];
  const folder = outdir === undefined ? join(directory, 'dist') : resolve(terminal.workingDirectory, outdir);
  const planFile = join(directory, 'plan.json');
  const infrastructureFile = join(directory, 'infrastructure.tsv');
  try {
    recoverOutput(folder, [planFile, infrastructureFile]);
    const { synthesis, problems } = synthesize(directory, terminal.environment);
    if (synthesis === undefined) {
      terminal.print(`${describeProblems(problems)}\n`);
      return 1;
    }
    const foreign = foreignFiles(folder);
    if (foreign.length > 0) {
      terminal.print(
        `${folder} holds files that this project did not write: ${foreign.join(', ')}\n` +
          'the folder is replaced as a whole, so move them elsewhere first; nothing was written\n',
      );
      return 1;
    }
    writeOutput(folder, {
      manifests: synthesis.manifests,
      files: new Map([
        [planFile, formatPlan(synthesis.plan)],
        [infrastructureFile, synthesis.infrastructureTsv],
      ]),
    });
    terminal.print(`${synthesis.summary}\nwrote ${String(synthesis.manifests.size)} files to ${folder}\n`);
    return 0;
  } catch (error) {
    if (error instanceof OutputPathError) {
      terminal.print(`${error.message}; nothing was written\n`);
      return 1;
    }
    if (!isSystemError(error)) throw error;
    terminal.print(
      `${error.path ?? folder}: ${error.code}: the output cannot be written; the old one is unchanged\n`,
    );
    return 1;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return types.isNativeError(error) && 'code' in error && 'syscall' in error;
}
