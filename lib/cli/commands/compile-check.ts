import { renameSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, relative, resolve } from 'node:path';
import {
  CompileError,
  Interrupted,
  Interruption,
  Progress,
  UnreadablePlan,
  compileStep,
  readRuns,
  reportOutcome,
  titleOf,
} from '../../compile-check';
import type { CompileOutcome, RunPlan } from '../../compile-check';
import { packageRoot } from '../../project';
import { COMPILER, fitPath, formatFit, suggestFits } from '../../training';
import type { FitVerdict } from '../../training';
import { UsageError, json } from '../command';
import type { CliCommand } from '../command';
import type { Terminal } from '../terminal';

const EXIT = { fits: 0, failed: 1, refused: 3, missing: 4 } as const;

/** What compile_step.py goes through. */
const PHASES = ['loading', 'building', 'compiling'] as const;

/** The compiler's environment could not be made; it has said why. */
class MissingEnvironment extends Error {}

interface Options {
  readonly suggest?: boolean;
  readonly write: boolean;
  readonly json?: boolean;
}

class CompileCheck {
  /** Verdicts by run, in the order in which they were found. */
  readonly results: { readonly run: string; readonly fits: boolean; readonly verdicts: FitVerdict[] }[] = [];

  constructor(
    private readonly python: string,
    private readonly directory: string,
    private readonly interruption: Interruption,
    private readonly options: Options,
    private readonly terminal: Terminal,
  ) {}

  /** Checks a run at every size, writes its verdict beside it, and returns whether it fits. */
  async check(run: RunPlan): Promise<boolean> {
    const verdicts: FitVerdict[] = [];
    for (const slices of sizesOf(run)) {
      const { verdict } = await this.compile(run, slices, run.maxtextArguments, '');
      verdicts.push(verdict);
    }
    const refused = verdicts.find((verdict) => !verdict.fits);
    this.results.push({ run: run.name, fits: refused === undefined, verdicts });
    if (this.options.write) this.writeVerdict(run, verdicts);
    if (refused !== undefined) await this.suggest(run, refused.usableBytes);
    return refused === undefined;
  }

  private async compile(
    run: RunPlan,
    slices: number,
    maxtextArguments: readonly string[],
    note: string,
  ): Promise<CompileOutcome> {
    const title = `${titleOf(run, slices)}${note}`;
    const progress = new Progress(title, PHASES);
    try {
      const outcome = await compileStep(
        this.python,
        { run, slices, maxtextArguments },
        this.interruption,
        (phase) => {
          progress.enter(phase);
        },
      );
      progress.end();
      this.say([title, ...reportOutcome(run, maxtextArguments, outcome)]);
      return outcome;
    } finally {
      progress.end();
    }
  }

  private writeVerdict(run: RunPlan, verdicts: readonly FitVerdict[]): void {
    const key = run.fitKey;
    const path = join(this.directory, fitPath(run.name));
    // Aside and renamed, so that a stopped command leaves the old verdict or the new one.
    const aside = `${path}.${String(process.pid)}.tmp`;
    writeFileSync(aside, formatFit({ key, compiler: COMPILER, verdicts }));
    renameSync(aside, path);
    this.say([`  written: ${relative(this.terminal.workingDirectory, path)}`]);
  }

  /** Names what may help, or with --suggest compiles it until one fits. */
  private async suggest(run: RunPlan, usableBytes: number): Promise<void> {
    const { slice, slices, maxtextArguments } = run;
    const suggestions = suggestFits({ maxtextArguments, slice, slices, usableBytes });
    if (suggestions.length === 0) {
      this.say([
        `  nothing to try on ${String(slices.max)} x ${slice.topology}: use a larger topology or more slices`,
      ]);
      return;
    }
    if (this.options.suggest !== true) {
      const titles = suggestions.map(({ title }) => `    ${title}`);
      this.say(['  what may help, in this order (--suggest compiles them):', ...titles]);
      return;
    }
    for (const { title, maxtextArguments: changed } of suggestions) {
      if (await this.fitsEverywhere(run, changed, title)) {
        this.say([`${run.name}: fits with ${title}`]);
        return;
      }
    }
    this.say([`${run.name}: none of these fits: use a larger topology or more slices`]);
  }

  private async fitsEverywhere(
    run: RunPlan,
    maxtextArguments: readonly string[],
    title: string,
  ): Promise<boolean> {
    for (const slices of sizesOf(run)) {
      try {
        const { verdict } = await this.compile(run, slices, maxtextArguments, ` with ${title}`);
        if (!verdict.fits) return false;
      } catch (error) {
        if (!(error instanceof CompileError)) throw error;
        this.say([`  cannot be compiled: ${firstLine(error.message)}`]);
        return false;
      }
    }
    return true;
  }

  /** Lines for people: on standard error where programs read standard output. */
  private say(lines: readonly string[]): void {
    const write = this.options.json === true ? this.terminal.print : this.terminal.output;
    write(`${lines.join('\n')}\n`);
  }

  /** The last word. */
  finish(): void {
    const fitting = this.results.filter(({ fits }) => fits).length;
    this.say([`${String(fitting)} of ${String(this.results.length)} runs fit`]);
    if (this.options.json === true) this.terminal.output(json({ schemaVersion: 1, runs: this.results }));
  }
}

/** Numbers of slices of a run, smallest first: the size at which most state falls on a device. */
function sizesOf(run: RunPlan): number[] {
  return Array.from({ length: run.slices.max - run.slices.min + 1 }, (_, index) => run.slices.min + index);
}

/** Makes the compiler's environment if need be and returns its Python. */
async function preparePython(interruption: Interruption): Promise<string> {
  let output = '';
  const { code } = await interruption.run(
    'bash',
    [join(packageRoot(), 'compile_check/environment.sh')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
    (child) => {
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    },
  );
  if (code !== 0) throw new MissingEnvironment();
  return join(output.trim(), 'bin/python');
}

export const compileCheckCommand: CliCommand = {
  name: 'compile-check',
  summary: 'ask the real TPU compiler whether the MaxText runs fit, without a TPU',
  details: `Reads DIR/plan.json and writes DIR/runs/RUN.fit.json. Needs Linux x86_64 and Python 3.12; makes its environment on
first use (about 2.5 GB). docs/compile-check.md tells what the verdict covers.`,
  declare: (command) =>
    command
      .argument('[DIR]', 'directory of the project', '.')
      .argument('[RUN]', 'name of a run; without it all MaxText runs are compiled')
      .option('--suggest', 'compile what may help, until it fits')
      .option('--no-write', 'leave the verdicts of the project as they are')
      .option('--json', 'verdicts as JSON'),
  run: async (given, terminal) => {
    const [directory = '.', name] = given.args;
    try {
      return await checkRuns(directory, name, given.opts<Options>(), terminal);
    } catch (error) {
      if (error instanceof Interrupted) return 128 + constants.signals[error.signal];
      if (error instanceof MissingEnvironment) return EXIT.missing;
      if (error instanceof UnreadablePlan) throw new UsageError(error.message);
      if (!(error instanceof CompileError)) throw error;
      terminal.print(`compile-check: ${error.message}\n`);
      return EXIT.failed;
    }
  },
};

async function checkRuns(
  given: string,
  name: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<number> {
  const directory = resolve(terminal.workingDirectory, given);
  const runs = readRuns(directory, name);
  const interruption = new Interruption();
  interruption.listen();
  const python = await preparePython(interruption);
  const check = new CompileCheck(python, directory, interruption, options, terminal);
  let fit = true;
  for (const run of runs) fit = (await check.check(run)) && fit;
  check.finish();
  return fit ? EXIT.fits : EXIT.refused;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
