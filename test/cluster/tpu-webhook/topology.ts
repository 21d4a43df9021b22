import type { PodSpec } from '../kubernetes-object';

/** Resource name of TPU chips. */
export const TPU_RESOURCE = 'google.com/tpu';

/** Node label of a slice's topology. */
export const TOPOLOGY_LABEL = 'cloud.google.com/gke-tpu-topology';

/** Node label of a TPU generation. */
export const ACCELERATOR_LABEL = 'cloud.google.com/gke-tpu-accelerator';

/** Chips a pod asks for, all containers together. Requests count, and limits where there is no request. */
export function tpuOfPod(spec: PodSpec): number {
  return spec.containers.reduce((sum, container) => {
    const { requests, limits } = container.resources ?? {};
    return sum + Number(requests?.[TPU_RESOURCE] ?? limits?.[TPU_RESOURCE] ?? 0);
  }, 0);
}

/** Sides of a topology such as `4x4`. */
export function sidesOf(topology: string): number[] {
  return topology.split('x').map(Number);
}

/** Hosts of a slice by the webhook's formula: a division that floors, and at least one. */
export function hostsOf(topology: string, tpuPerPod: number): number {
  const chips = sidesOf(topology).reduce((product, side) => product * side, 1);
  return Math.max(Math.floor(chips / tpuPerPod), 1);
}
