import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../lib/run';
import { projectDirectories, synthesizeExample } from './generate-examples';

/** What identifies the output of one run: its Job by name, what it trains by Ray's submission id, its RayCluster by the digest of its spec. */
export interface RunOutput {
  readonly job: string;
  readonly submission: string;
  readonly rayCluster: string;
}

/** Output of a release for the quick start and every example, by `project/run`. */
export interface ReleaseBaseline {
  /** The release whose output this is. */
  readonly release: string;
  readonly runs: Readonly<Record<string, RunOutput>>;
}

/** Where the baseline lies, from the repository's root. */
export const BASELINE_FILE = 'test/examples/previous-release.json';

/** The committed baseline. */
export function readBaseline(root: string): ReleaseBaseline {
  return JSON.parse(readFileSync(join(root, BASELINE_FILE), 'utf8')) as ReleaseBaseline;
}

/** Output of this checkout. */
export function currentRuns(root: string): Record<string, RunOutput> {
  const runs: Record<string, RunOutput> = {};
  for (const project of projectDirectories(root)) {
    const { plan, objects } = synthesizeExample(join(root, project));
    for (const { name, job, submissionId, rayCluster } of plan.runs) {
      const cluster = (objects as readonly RenderedObject[]).find(
        ({ kind, metadata }) => kind === 'RayCluster' && metadata.name === rayCluster,
      );
      runs[`${project}/${name}`] = {
        job,
        submission: submissionId,
        rayCluster: digestOf(cluster?.spec),
      };
    }
  }
  return runs;
}

interface RenderedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}

/**
 * Text of the baseline. While package.json still has the baseline's release, that is not out yet and the baseline
 * follows; from the next version on it stays as it is, until somebody writes the new release into the file.
 */
export function generateReleaseBaseline(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const committed = existsSync(join(root, BASELINE_FILE)) ? readBaseline(root) : undefined;
  const baseline =
    committed !== undefined && committed.release !== version
      ? committed
      : { release: version, runs: currentRuns(root) };
  return `${JSON.stringify(baseline, null, 2)}\n`;
}
