import { parseQuantity } from '../kubernetes/quantity';
import { CPU_MACHINES, headContainers } from '../run';
import type { CpuAndMemory, TrainingRun } from '../run';

/** The CPU pool for a set of runs. */
export interface CpuPool {
  readonly machineType: string;
  readonly nodes: number;
  readonly allocatable: CpuAndMemory;
}

/**
 * The machine type with the fewest CPUs in all on which every head and submitter fits, packed largest first. Every pod of a
 * run without Problems fits on the largest.
 */
export function sizeCpuPool(runs: readonly TrainingRun[]): CpuPool {
  const demands = runs.flatMap(({ resources, autoscaler }) => [
    demandOf(...headContainers(resources.head, autoscaler)),
    demandOf(resources.submitter),
  ]);
  const fitting = CPU_MACHINES.flatMap((machine) => {
    const nodes = pack(demands, machine.room);
    return nodes === undefined ? [] : [{ machine, nodes, cost: nodes * machine.vcpus }];
  });
  const [cheapest] = fitting.sort((a, b) => a.cost - b.cost);
  if (cheapest === undefined) throw new Error('a head or submitter fits on no machine of the CPU pool');
  const { machine, nodes } = cheapest;
  return { machineType: machine.machineType, nodes, allocatable: machine.allocatable };
}

/** What a pod of these containers asks for. */
function demandOf(...containers: readonly { readonly cpu: string; readonly memory: string }[]): CpuAndMemory {
  const sum = (key: 'cpu' | 'memory'): number =>
    containers.reduce((total, container) => total + (parseQuantity(container[key]) ?? 0), 0);
  return { cpu: sum('cpu'), memoryBytes: sum('memory') };
}

/** Nodes that hold all demands, each put into the first node with room, largest first; undefined when one fits nowhere. */
function pack(demands: readonly CpuAndMemory[], room: CpuAndMemory): number | undefined {
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
