import type { PlannedRun } from '../plan';
import { at, findManifest, list } from './reviewed-project';
import type { Manifest, ReviewedProject } from './reviewed-project';

/** One side of a comparison. */
export interface Side {
  readonly project: ReviewedProject;
  readonly run: PlannedRun;
}

/** A project's run of a name, if it has one. */
export function sideOf(project: ReviewedProject | undefined, name: string): Side | undefined {
  const run = project?.plan.runs.find((candidate) => candidate.name === name);
  return project === undefined || run === undefined ? undefined : { project, run };
}

/**
 * Whether both sides of a run are one RayCluster: Kubernetes knows an object by kind, namespace and name, so that a run
 * in another namespace is a second one, and the first stays beside it.
 */
export function isSameRun(before: Side, after: Side): boolean {
  return rayClusterOf(before) === rayClusterOf(after);
}

/** `namespace/name` of a run's RayCluster. */
export function rayClusterOf(side: Side): string {
  return `${namespaceOf(side)}/${side.run.rayCluster}`;
}

/** Namespace of a run's objects. */
export function namespaceOf({ project }: Side): string {
  return project.plan.platform.namespace;
}

/** The RayCluster or Job of a run as it is rendered; nothing when dist/ has none. */
export function manifestOf(side: Side | undefined, kind: 'RayCluster' | 'Job'): Manifest | undefined {
  if (side === undefined) return undefined;
  return findManifest(side.project, kind, kind === 'Job' ? side.run.job : side.run.rayCluster);
}

/** Slices that KubeRay makes of a manifest: what it says, within its bounds; 0 where it says nothing. */
export function slicesOf(rayCluster: Manifest | undefined): number {
  return list(at(rayCluster?.spec, 'workerGroupSpecs')).reduce<number>((sum, group) => {
    const [least, most] = [numberAt(group, 'minReplicas', 0), numberAt(group, 'maxReplicas', Infinity)];
    return sum + Math.min(Math.max(numberAt(group, 'replicas', 0), least), most);
  }, 0);
}

/** Hosts of a slice in a manifest; 0 without one. */
export function hostsOf(rayCluster: Manifest | undefined): number {
  return Math.max(
    0,
    ...list(at(rayCluster?.spec, 'workerGroupSpecs')).map((group) => numberAt(group, 'numOfHosts', 1)),
  );
}

function numberAt(value: unknown, key: string, otherwise: number): number {
  const found = at(value, key);
  return typeof found === 'number' ? found : otherwise;
}
