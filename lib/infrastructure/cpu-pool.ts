import { gkeAllocatable } from '../kubernetes/gke-allocatable';
import { parseQuantity } from '../kubernetes/quantity';
import type { TrainingRun } from '../run';

const GIB = 2 ** 30;

/** General-purpose machines for heads and submitters. @see https://docs.cloud.google.com/compute/docs/general-purpose-machines#n2-standard */
const MACHINES = [
  { machineType: 'n2-standard-4', vcpus: 4, memoryGib: 16 },
  { machineType: 'n2-standard-8', vcpus: 8, memoryGib: 32 },
  { machineType: 'n2-standard-16', vcpus: 16, memoryGib: 64 },
  { machineType: 'n2-standard-32', vcpus: 32, memoryGib: 128 },
  { machineType: 'n2-standard-64', vcpus: 64, memoryGib: 256 },
  { machineType: 'n2-standard-80', vcpus: 80, memoryGib: 320 },
] as const;

/** What system pods, GCS FUSE sidecars and the KubeRay operator request on every node. */
const SYSTEM_PODS = { cpu: 1, memoryBytes: 2 * GIB } as const;

/** The CPU pool for a set of runs. */
export interface CpuPool {
  readonly machineType: string;
  readonly nodes: number;
  readonly allocatable: { readonly cpu: number; readonly memoryBytes: number };
}

interface Demand {
  readonly cpu: number;
  readonly memoryBytes: number;
}

/**
 * The machine type with the fewest CPUs in all on which every head and submitter fits, packed largest first. Undefined
 * when a pod fits on none.
 */
export function sizeCpuPool(runs: readonly TrainingRun[]): CpuPool | undefined {
  const demands = runs.flatMap(({ resources }) =>
    [resources.head, resources.submitter].map((pod) => ({
      cpu: parseQuantity(pod.cpu) ?? 0,
      memoryBytes: parseQuantity(pod.memory) ?? 0,
    })),
  );
  const fitting = MACHINES.flatMap(({ machineType, vcpus, memoryGib }) => {
    const allocatable = gkeAllocatable(vcpus, memoryGib * GIB);
    const room = {
      cpu: allocatable.cpu - SYSTEM_PODS.cpu,
      memoryBytes: allocatable.memoryBytes - SYSTEM_PODS.memoryBytes,
    };
    const nodes = pack(demands, room);
    return nodes === undefined ? [] : [{ machineType, nodes, allocatable, cost: nodes * vcpus }];
  });
  const [cheapest] = fitting.sort((a, b) => a.cost - b.cost);
  if (cheapest === undefined) return undefined;
  const { machineType, nodes, allocatable } = cheapest;
  return { machineType, nodes, allocatable };
}

/** Nodes that hold all demands, each put into the first node with room, largest first; undefined when one fits nowhere. */
function pack(demands: readonly Demand[], room: Demand): number | undefined {
  const nodes: { cpu: number; memoryBytes: number }[] = [];
  for (const demand of [...demands].sort((a, b) => b.cpu - a.cpu)) {
    if (demand.cpu > room.cpu || demand.memoryBytes > room.memoryBytes) return undefined;
    let node = nodes.find((open) => open.cpu >= demand.cpu && open.memoryBytes >= demand.memoryBytes);
    if (node === undefined) {
      node = { ...room };
      nodes.push(node);
    }
    node.cpu -= demand.cpu;
    node.memoryBytes -= demand.memoryBytes;
  }
  return Math.max(1, nodes.length);
}
