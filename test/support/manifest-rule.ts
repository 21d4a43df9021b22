import { viewManifest, type ManifestProblem } from '../../lib/manifest-rules/manifest';
import type { ManifestRule, ManifestRuleOptions } from '../../lib/manifest-rules/rule';
import { pathText } from '../../lib/problems';
import { sampleObjects, sampleWith, type Json } from './sample-objects';

/** A Problem without its id, and its path as text. */
export interface ShownProblem extends Omit<ManifestProblem, 'id' | 'path'> {
  readonly path: string;
}

/** What one rule says of objects. */
export function problemsOf(
  rule: ManifestRule,
  objects: readonly unknown[] = sampleObjects(),
  options: Partial<ManifestRuleOptions> = {},
): ShownProblem[] {
  const problems = rule(objects.map(viewManifest), { kubeRayVersion: '1.7.0', ...options });
  return problems.map(({ object, path, value, rule: text, fix }) => ({
    object,
    path: pathText(path),
    value,
    rule: text,
    fix,
  }));
}

/** Where one rule sees Problems after a change of the sample's object of a kind: `Kind namespace/name: path`. */
export function placesOf(
  rule: ManifestRule,
  kind: string,
  changes: Readonly<Record<string, Json>>,
  options: Partial<ManifestRuleOptions> = {},
): string[] {
  return problemsOf(rule, sampleWith(kind, changes), options).map(({ object, path }) => `${object}: ${path}`);
}

/** Name of the sample's RayCluster in Problems. */
export const RAY_CLUSTER = 'RayCluster train/run';

/** Name of the sample's Job in Problems. */
export const JOB = 'Job train/run-1a2b3c4d';
