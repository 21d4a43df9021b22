import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Environment, LocatedProblem } from '../config';
import { isManifest, isPlanProblems, parsePlannedProject } from '../review';
import type { Manifest, ReviewedProject } from '../review';
import { readFits } from './fit-files';
import { MANIFEST_SUFFIX } from './output-transaction';
import { PLATFORM_FILE } from './project-files';
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

/**
 * A project as its committed output says: what was applied. One whose output is not committed is synthesized from its
 * files by this release.
 */
export function reviewCommitted(directory: string, environment: Environment): ReviewResult {
  const [planFile, folder] = [join(directory, 'plan.json'), join(directory, 'dist')];
  if (!existsSync(planFile) || !existsSync(folder)) return reviewSynthesized(directory, environment);
  const plan = parsePlannedProject(readFileSync(planFile, 'utf8'));
  if (isPlanProblems(plan)) {
    return { problems: plan.map((problem) => ({ file: planFile, ...problem })) };
  }
  const objects: Manifest[] = [];
  const problems: LocatedProblem[] = [];
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith(MANIFEST_SUFFIX)) continue;
    for (const document of parseAllDocuments(readFileSync(join(folder, name), 'utf8'))) {
      const object = document.toJS() as unknown;
      if (document.errors.length === 0 && isManifest(object)) objects.push(object);
      else if (object !== null || document.errors.length > 0) problems.push(notManifest(join(folder, name)));
    }
  }
  if (problems.length > 0) return { problems };
  return {
    project: { plan, objects, fits: readFits(directory, plan.runs) },
    isCommitted: true,
    problems: [],
  };
}

function notManifest(file: string): LocatedProblem {
  return {
    file,
    path: '',
    value: '(no Kubernetes object)',
    rule: 'a manifest has apiVersion, kind and metadata.name',
    fix: 'run npm run synth there and commit what it writes',
  };
}

/** Whether a directory is a project at all. */
export function isProject(directory: string): boolean {
  return existsSync(join(directory, PLATFORM_FILE));
}
