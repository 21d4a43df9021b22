import { parseQuantity } from '../kubernetes/quantity';
import { CPU_MACHINES } from '../run';
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
  const demands = runs.flatMap(({ resources }) =>
    [resources.head, resources.submitter].map((pod) => ({
      cpu: parseQuantity(pod.cpu) ?? 0,
      memoryBytes: parseQuantity(pod.memory) ?? 0,
    })),
  );
  const fitting = CPU_MACHINES.flatMap((machine) => {
    const nodes = pack(demands, machine.room);
    return nodes === undefined ? [] : [{ machine, nodes, cost: nodes * machine.vcpus }];
  });
  const [cheapest] = fitting.sort((a, b) => a.cost - b.cost);
  if (cheapest === undefined) throw new Error('a head or submitter fits on no machine of the CPU pool');
  const { machine, nodes } = cheapest;
  return { machineType: machine.machineType, nodes, allocatable: machine.allocatable };
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
