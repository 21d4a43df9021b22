import type { RayCluster, WorkerGroup } from '../kubernetes-object';
import { TOPOLOGY_LABEL, hostsOf, tpuOfPod } from './topology';

/**
 * Why GKE's TPU webhook would deny a RayCluster, or undefined when it would not. It looks at worker groups with TPUs
 * only, and neither at the generation, nor at the machine type, nor at the number of slices.
 */
export function denialOfRayCluster(cluster: RayCluster): string | undefined {
  for (const group of cluster.spec.workerGroupSpecs ?? []) {
    const denial = denialOfGroup(group);
    if (denial !== undefined) return denial;
  }
  return undefined;
}

function denialOfGroup(group: WorkerGroup): string | undefined {
  const { spec } = group.template;
  if (spec.containers.length === 0) return `container not specified in worker group ${group.groupName}`;
  const tpu = tpuOfPod(spec);
  if (tpu === 0) return undefined;
  const topology = spec.nodeSelector?.[TOPOLOGY_LABEL];
  if (topology === undefined) return `TPU topology not specified in worker group ${group.groupName}`;
  if ((group.numOfHosts ?? 0) === 0)
    return `workerGroupSpec NumOfHosts not set in worker group ${group.groupName}`;
  const expected = hostsOf(topology, tpu);
  return group.numOfHosts === expected
    ? undefined
    : `Number of workers in worker group ${group.groupName} not equal to specified topology: numOfHosts is ${String(group.numOfHosts)}, topology ${topology} with ${String(tpu)} chips a host needs ${String(expected)}`;
}
