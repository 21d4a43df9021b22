/**
 * Asks the real TPU compiler whether the MaxText runs of a project fit, without a TPU; docs/compile-check.md has the
 * whole story.
 *
 *   npm run compile-check -- [DIR] [RUN] [--suggest] [--no-write]
 *
 * Exit codes: 0 all fit, 3 a run does not fit, 4 the compiler cannot be set up, 2 wrong usage, 1 anything else,
 * 128 + n stopped by signal n.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { COMPILER, fitPath, formatFit, suggestFits } from '../lib/training';
import type { FitVerdict } from '../lib/training';
import { Interrupted, Interruption } from './compile-check/child-process';
import { CompileError, compileStep } from './compile-check/compile-step';
import type { CompileOutcome } from './compile-check/compile-step';
import { Progress } from './compile-check/progress';
import { reportOutcome, titleOf } from './compile-check/report';
import { UsageError, readRuns } from './compile-check/run-plan';
import type { RunPlan } from './compile-check/run-plan';

const EXIT = { fits: 0, failed: 1, usage: 2, refused: 3, missing: 4 } as const;

const USAGE = 'usage: npm run compile-check -- [DIR] [RUN] [--suggest] [--no-write]';

/** What compile_step.py goes through. */
const PHASES = ['loading', 'building', 'compiling'] as const;

const ENVIRONMENT = join(__dirname, '../compile_check/environment.sh');

/** The compiler's environment could not be made; it has said why. */
class MissingEnvironment extends Error {}

class CompileCheck {
  constructor(
    private readonly python: string,
    private readonly directory: string,
    private readonly interruption: Interruption,
    private readonly options: { readonly suggest: boolean; readonly write: boolean },
  ) {}

  /** Checks a run at every size, writes its verdict beside it, and returns whether it fits. */
  async check(run: RunPlan): Promise<boolean> {
    const verdicts: FitVerdict[] = [];
    for (const slices of sizesOf(run)) {
      const { verdict } = await this.compile(run, slices, run.maxtextArguments, '');
      verdicts.push(verdict);
    }
    const refused = verdicts.find((verdict) => !verdict.fits);
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
      say([title, ...reportOutcome(run, maxtextArguments, outcome)]);
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
    say([`  written: ${relative(process.cwd(), path)}`]);
  }

  /** Names what may help, or with --suggest compiles it until one fits. */
  private async suggest(run: RunPlan, usableBytes: number): Promise<void> {
    const { slice, slices, maxtextArguments } = run;
    const suggestions = suggestFits({ maxtextArguments, slice, slices, usableBytes });
    if (suggestions.length === 0) {
      say([
        `  nothing to try on ${String(slices.max)} x ${slice.topology}: use a larger topology or more slices`,
      ]);
      return;
    }
    if (!this.options.suggest) {
      const titles = suggestions.map(({ title }) => `    ${title}`);
      say(['  what may help, in this order (--suggest compiles them):', ...titles]);
      return;
    }
    for (const { title, maxtextArguments: changed } of suggestions) {
      if (await this.fitsEverywhere(run, changed, title)) {
        say([`${run.name}: fits with ${title}`]);
        return;
      }
    }
    say([`${run.name}: none of these fits: use a larger topology or more slices`]);
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
        say([`  cannot be compiled: ${firstLine(error.message)}`]);
        return false;
      }
    }
    return true;
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
    [ENVIRONMENT],
    { stdio: ['ignore', 'pipe', 'inherit'] },
    (child) => {
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    },
  );
  if (code !== 0) throw new MissingEnvironment();
  return join(output.trim(), 'bin/python');
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  const [directory = '.', name] = positionals;
  const runs = readRuns(directory, name);
  const interruption = new Interruption();
  interruption.listen();
  const python = await preparePython(interruption);
  const check = new CompileCheck(python, directory, interruption, {
    suggest: values.suggest,
    write: !values['no-write'],
  });
  let refused = 0;
  for (const run of runs) if (!(await check.check(run))) refused++;
  say([`${String(runs.length - refused)} of ${String(runs.length)} runs fit`]);
  return refused === 0 ? EXIT.fits : EXIT.refused;
}

function readArguments(): { values: { suggest: boolean; 'no-write': boolean }; positionals: string[] } {
  try {
    const options = {
      suggest: { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
    } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (positionals.length > 2) throw new UsageError('at most a directory and a run');
    return { values, positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** The exit code of a failure, after saying it. */
function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return 128 + constants.signals[error.signal];
  if (error instanceof MissingEnvironment) return EXIT.missing;
  if (error instanceof UsageError || error instanceof CompileError) {
    process.stderr.write(`compile-check: ${error.message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
  throw error;
}

function say(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = exitCodeOf(error);
  },
);
