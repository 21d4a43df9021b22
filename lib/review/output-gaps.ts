import { findManifest, sourcesOf } from './reviewed-project';
import type { ReviewedProject } from './reviewed-project';

/** Objects that a plan speaks of and the manifests do not have, as `Kind name`: they are of different states, or not whole. */
export function outputGaps(project: Omit<ReviewedProject, 'fits'>): string[] {
  const reviewed = { ...project, fits: new Map() };
  const { runs, infrastructure } = project.plan;
  const lacks = (kind: string, name: string | undefined): string[] =>
    name === undefined || findManifest(reviewed, kind, name) !== undefined ? [] : [`${kind} ${name}`];
  const { namespace, serviceAccount } = infrastructure;
  const gaps = [
    ...(namespace.create ? lacks('Namespace', namespace.name) : []),
    ...(serviceAccount.create ? lacks('ServiceAccount', serviceAccount.name) : []),
    ...runs.flatMap((run) => [
      ...lacks('RayCluster', run.rayCluster),
      ...lacks('Job', run.job),
      ...lacks('ConfigMap', sourcesOf(reviewed, run)),
    ]),
  ];
  return [...new Set(gaps)];
}
