import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnreadablePlan, estimatedState, meshOf, readRuns } from '../lib/compile-check';
import type { RunPlan } from '../lib/compile-check';
import { readFits } from '../lib/project/fit-files';
import { argumentMap, describeAxes, gib } from '../lib/training';
import type { Fit, FitVerdict } from '../lib/training';
import { projectDirectories } from './generate-examples';

/** Page with the table of what the compiler said, below this marker and above an empty line. */
export const FIGURES_PAGE = 'docs/compile-check.md';
const MARKER = '<!-- compiled runs -->';

/** Runs that are compiled for the comparison alone: no example would use them. */
export const CASES_FOLDER = 'compile_check/cases';

/** A MaxText run of this repository with the compiler's verdict on it, which is absent where it is missing or stale. */
export interface CompiledRun {
  /** Its project, relative to the root. */
  readonly project: string;
  readonly run: RunPlan;
  readonly fit: Fit | undefined;
}

/** Every MaxText run of the quick start, the examples and the cases. */
export function compiledRuns(root: string): CompiledRun[] {
  return [...projectDirectories(root), CASES_FOLDER].flatMap((project) => {
    const directory = join(root, project);
    const runs = maxtextRuns(directory);
    const fits = readFits(directory, runs);
    return runs.map((run) => {
      const fit = fits.get(run.name);
      return { project, run, fit: fit?.key === run.fitKey ? fit : undefined };
    });
  });
}

/** The page with its table as the verdicts have it now. Runs of one key are one row. */
export function generateCompileFigures(root: string): string {
  const text = readFileSync(join(root, FIGURES_PAGE), 'utf8');
  const [before, after] = text.split(`${MARKER}\n\n`);
  if (before === undefined || after === undefined) throw new Error(`${FIGURES_PAGE} has no ${MARKER}`);
  const rest = after.startsWith('|') ? after.slice(after.indexOf('\n\n') + 1) : `\n${after}`;
  const seen = new Set<string>();
  const rows = compiledRuns(root).flatMap(({ project, run, fit }) => {
    if (fit === undefined || seen.has(fit.key)) return [];
    seen.add(fit.key);
    return fit.verdicts.map((verdict) => row(project, run, verdict));
  });
  const head = [
    '| run | model | slices | mesh | state: estimate | compiled | difference | temporaries | needs | verdict |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ];
  return `${before}${MARKER}\n\n${[...head, ...rows].join('\n')}\n${rest}`;
}

function row(project: string, run: RunPlan, verdict: FitVerdict): string {
  const { slices, argumentBytes, temporaryBytes, totalBytes, usableBytes, fits } = verdict;
  const { generation, topology } = run.slice;
  const given = argumentMap(run.maxtextArguments);
  const estimate = estimatedState(run, run.maxtextArguments, slices);
  const mesh = meshOf(run, run.maxtextArguments, slices);
  const precision = given.get('weight_dtype') === undefined ? '' : `, ${given.get('weight_dtype') ?? ''}`;
  const cells = [
    project === CASES_FOLDER
      ? `case ${run.name}`
      : project === '.'
        ? 'quick start'
        : `${project} ${run.name}`,
    `${given.get('model_name') ?? ''}${precision}, ${given.get('max_target_length') ?? ''} tokens`,
    `${String(slices)} x ${generation} ${topology}`,
    mesh === undefined
      ? '–'
      : [describeAxes(mesh.ici), ...(slices > 1 ? [`dcn ${describeAxes(mesh.dcn)}`] : [])].join(', '),
    estimate === undefined ? 'not counted' : precise(estimate),
    argumentBytes === undefined ? 'not said' : precise(argumentBytes),
    estimate === undefined || argumentBytes === undefined
      ? '–'
      : `${((estimate / argumentBytes - 1) * 100).toFixed(2)} %`,
    temporaryBytes === undefined ? 'not said' : gib(temporaryBytes),
    `${gib(totalBytes)} of ${gib(usableBytes)}`,
    fits ? 'fits' : 'refused',
  ];
  return `| ${cells.join(' | ')} |`;
}

function maxtextRuns(directory: string): RunPlan[] {
  try {
    return readRuns(directory, undefined);
  } catch (error) {
    // A project without MaxText runs.
    if (error instanceof UnreadablePlan) return [];
    throw error;
  }
}

/** Enough digits to see a difference of a hundredth of a percent. */
function precise(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(3)} GiB`;
}
