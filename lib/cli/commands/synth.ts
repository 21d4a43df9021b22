import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { formatPlan } from '../../plan';
import {
  OutputPathError,
  describeProblems,
  differencesTo,
  foreignFiles,
  recoverOutput,
  synthesize,
  writeOutput,
} from '../../project';
import type { Output, Synthesis } from '../../project';
import { isSystemError, json } from '../command';
import type { CliCommand } from '../command';
import type { Terminal } from '../terminal';

/** Where the cdk8s CLI tells its app to write; it has emptied that folder already. */
const CDK8S_OUTDIR = 'CDK8S_OUTDIR';

/** Options of `synth`. */
export interface SynthOptions {
  /** Writes nothing and compares. */
  readonly check?: boolean;
  /** Problems, warnings or differences as JSON on standard output. */
  readonly json?: boolean;
}

export const synthCommand: CliCommand = {
  name: 'synth',
  summary: 'write the manifests, plan.json and infrastructure.tsv of a project',
  details: `Reads DIR/platform.yaml and DIR/runs/*.yaml and writes DIR/dist/*.k8s.yaml, DIR/plan.json and
DIR/infrastructure.tsv. A summary goes to standard error.`,
  declare: (command) =>
    command
      .argument('[DIR]', 'directory of the project', '.')
      .addOption(new Option('--check', 'write nothing; fail where the output is not up to date'))
      .addOption(new Option('--json', 'problems, warnings and differences as JSON')),
  run: (given, terminal) =>
    synthesizeInto(resolve(terminal.workingDirectory, given.args[0] ?? '.'), given.opts(), terminal),
};

/** Synthesizes a project and writes its output, or compares; gives the exit code. */
export function synthesizeInto(directory: string, options: SynthOptions, terminal: Terminal): number {
  const outdir = terminal.environment[CDK8S_OUTDIR];
  const folder = outdir === undefined ? join(directory, 'dist') : resolve(terminal.workingDirectory, outdir);
  const files = { plan: join(directory, 'plan.json'), infrastructure: join(directory, 'infrastructure.tsv') };
  const refuse = (text: string): number => {
    terminal.print(`${text}\n`);
    return 1;
  };
  try {
    if (options.check !== true) recoverOutput(folder, Object.values(files));
    const { synthesis, problems } = synthesize(directory, terminal.environment);
    if (synthesis === undefined) {
      if (options.json === true) terminal.output(json({ schemaVersion: 1, problems }));
      return refuse(describeProblems(problems));
    }
    const output = outputOf(synthesis, files);
    if (options.check === true) return check(directory, folder, output, options, terminal);
    const foreign = foreignFiles(folder);
    if (foreign.length > 0) {
      return refuse(
        `${folder} holds files that this project did not write: ${foreign.join(', ')}\n` +
          'the folder is replaced as a whole, so move them elsewhere first; nothing was written',
      );
    }
    writeOutput(folder, output);
    if (options.json === true) {
      terminal.output(json({ schemaVersion: 1, problems: [], warnings: synthesis.warnings }));
    }
    terminal.print(`${synthesis.summary}\nwrote ${String(output.manifests.size)} files to ${folder}\n`);
    return 0;
  } catch (error) {
    if (error instanceof OutputPathError) return refuse(`${error.message}; nothing was written`);
    if (!isSystemError(error)) throw error;
    return refuse(
      `${error.path ?? folder}: ${error.code}: the output cannot be written; the old one is unchanged`,
    );
  }
}

function outputOf(synthesis: Synthesis, files: { plan: string; infrastructure: string }): Output {
  return {
    manifests: synthesis.manifests,
    files: new Map([
      [files.plan, formatPlan(synthesis.plan)],
      [files.infrastructure, synthesis.infrastructureTsv],
    ]),
  };
}

function check(
  directory: string,
  folder: string,
  output: Output,
  options: SynthOptions,
  terminal: Terminal,
): number {
  const differences = differencesTo(directory, folder, output);
  if (options.json === true) terminal.output(json({ schemaVersion: 1, problems: [], differences }));
  for (const { state, file } of differences) terminal.print(`${state.padEnd(9)}  ${file}\n`);
  if (differences.length === 0) {
    terminal.print('the output is up to date\n');
    return 0;
  }
  terminal.print(`run cdk8s-tpu-ray synth and commit what it writes; nothing was written\n`);
  return 1;
}
