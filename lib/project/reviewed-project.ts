import { problem } from '../problems';
import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { RUNS_FOLDER } from '../config';
import type { Environment, LocatedProblem } from '../config';
import { isPlanProblems, parsePlannedProject } from '../plan';
import { isManifest, outputGaps } from '../review';
import type { Manifest, ReviewedProject } from '../review';
import { readFits } from './fit-files';
import { MANIFEST_SUFFIX } from './output-transaction';
import { PLATFORM_FILE } from './project-files';
import type { ReviewOrigin } from './review-origin';
import { synthesize } from './synthesize';

/** Either a project to review or every Problem. */
export type ReviewResult =
  | {
      readonly project: ReviewedProject;
      /** True when it is what dist/ and plan.json hold, false when it was synthesized just now. */
      readonly isCommitted: boolean;
      readonly problems: readonly [];
    }
  | { readonly project?: undefined; readonly problems: readonly LocatedProblem[] };

/** A project as this release synthesizes it; nothing is written. */
export function reviewSynthesized(directory: string, environment: Environment): ReviewResult {
  const { synthesis, problems } = synthesize(directory, environment);
  if (synthesis === undefined) return { problems };
  const { plan, objects } = synthesis;
  const fits = readFits(directory, plan.runs);
  return { project: { plan, objects: objects.filter(isManifest), fits }, isCommitted: false, problems: [] };
}

/** Output of a project, beside its manifests' folder. */
const PLAN_FILE = 'plan.json';
const OUTPUT_FOLDER = 'dist';

/**
 * A project as its committed output says: what was applied. One whose output is not committed is synthesized from its
 * files by this release.
 */
export function reviewCommitted(
  directory: string,
  environment: Environment,
  origin: ReviewOrigin,
): ReviewResult {
  if (!hasOutput(directory)) {
    const result = reviewSynthesized(directory, environment);
    return result.project === undefined
      ? {
          problems: result.problems.map((problem) => ({
            ...problem,
            file: nameOfInput(problem.file, origin),
          })),
        }
      : result;
  }
  const { remedy: fix, nameOf } = origin;
  const plan = parsePlannedProject(readFileSync(join(directory, PLAN_FILE), 'utf8'));
  if (isPlanProblems(plan)) {
    return { problems: plan.map((problem) => ({ ...problem, file: nameOf(PLAN_FILE), fix })) };
  }
  const { objects, problems } = readManifests(directory, origin);
  if (problems.length > 0) return { problems };
  const gaps = outputGaps({ plan, objects }).map((gap) => ({
    file: nameOf(OUTPUT_FOLDER),
    ...problem('OUTPUT_GAP', [], `(no ${gap})`, { advice: fix }),
  }));
  if (gaps.length > 0) return { problems: gaps };
  return {
    project: { plan, objects, fits: readFits(directory, plan.runs) },
    isCommitted: true,
    problems: [],
  };
}

function readManifests(
  directory: string,
  { nameOf, remedy: fix }: ReviewOrigin,
): { readonly objects: readonly Manifest[]; readonly problems: readonly LocatedProblem[] } {
  const folder = join(directory, OUTPUT_FOLDER);
  const objects: Manifest[] = [];
  const problems: LocatedProblem[] = [];
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith(MANIFEST_SUFFIX)) continue;
    for (const document of parseAllDocuments(readFileSync(join(folder, name), 'utf8'))) {
      const object = document.toJS() as unknown;
      if (document.errors.length === 0 && isManifest(object)) objects.push(object);
      else if (object !== null || document.errors.length > 0) {
        problems.push({
          file: nameOf(`${OUTPUT_FOLDER}/${name}`),
          ...problem('OUTPUT_OBJECT', [], '(no Kubernetes object)', { advice: fix }),
        });
      }
    }
  }
  return { objects, problems };
}

/** Problems of what is rendered name an object instead of a file. */
function nameOfInput(file: string, { nameOf }: ReviewOrigin): string {
  return file === PLATFORM_FILE || file.startsWith(RUNS_FOLDER) ? nameOf(file) : file;
}

function hasOutput(directory: string): boolean {
  return [PLAN_FILE, OUTPUT_FOLDER].every((name) => existsSync(join(directory, name)));
}

/** Whether a directory is a project at all. Its output is enough; and a link that leads nowhere was meant to be one. */
export function isProject(directory: string): boolean {
  const platform = lstatSync(join(directory, PLATFORM_FILE), { throwIfNoEntry: false });
  return platform !== undefined || hasOutput(directory);
}
