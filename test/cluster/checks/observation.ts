import type {
  ClusterEvent,
  EndpointSlice,
  Job,
  Node,
  Pod,
  RayCluster,
  ResourceClaim,
  Service,
} from '../kubernetes-object';
import type { PlannedRun } from '../../../lib/plan';

/** What a reconciled run looks like in the cluster. */
export interface Observation {
  readonly run: PlannedRun;
  readonly rayCluster: RayCluster;
  readonly job: Job;
  /** Slices that the manifest makes KubeRay create. */
  readonly slices: number;
  readonly head: Pod;
  readonly workers: readonly Pod[];
  readonly submitters: readonly Pod[];
  readonly services: readonly Service[];
  readonly endpointSlices: readonly EndpointSlice[];
  readonly claims: readonly ResourceClaim[];
  readonly events: readonly ClusterEvent[];
  readonly nodeOf: (pod: Pod) => Node | undefined;
}

/** A property every reconciled run must have: gives what is wrong, nothing when all is well. */
export type Check = (observation: Observation) => string[];

/** Name of the replica (slice) that the TPU webhook wrote on a worker. */
export function replicaOf(pod: Pod): string {
  return pod.metadata.labels?.['replicaIndex'] ?? '';
}

/** Value of a variable of a pod's first container. */
export function variableOf(pod: Pod, name: string): string | undefined {
  return pod.spec.containers[0]?.env?.find((variable) => variable.name === name)?.value;
}

/** Pods by replica. */
export function byReplica(pods: readonly Pod[]): Map<string, Pod[]> {
  const replicas = new Map<string, Pod[]>();
  for (const pod of pods) replicas.set(replicaOf(pod), [...(replicas.get(replicaOf(pod)) ?? []), pod]);
  return replicas;
}
