import { parseQuantity } from '../kubernetes/quantity';
import { problem } from '../problems';
import type { Problem } from '../problems';
import { MACHINE_FACTS, type MachineType } from '../tpu';
import { asObject, asText } from './json';
import type { ContainerView } from './manifest';
import { forEachPod } from './rule';
import { tpuMachineOf } from './tpu-machine';

/** Resources by which a pod is placed, with what a host has of them. */
const RESOURCES = [
  { name: 'cpu', unit: 'vCPUs', capacity: (machine: MachineType) => MACHINE_FACTS[machine].vcpus },
  {
    name: 'memory',
    unit: 'bytes',
    capacity: (machine: MachineType) => MACHINE_FACTS[machine].memoryGb * 1e9,
  },
] as const;

/** A TPU worker asks for no more CPU and memory than its host has: a larger one is Pending for ever beside free chips. */
export const tpuHostFit = forEachPod((pod) => {
  const machine = tpuMachineOf(pod);
  if (machine === undefined) return [];
  // Containers that run beside each other.
  const running = pod.containers.filter(({ isInit }) => !isInit);
  return RESOURCES.flatMap(({ name, unit, capacity }): Problem[] => {
    const most = capacity(machine);
    const asked = running.map((container) => requestOf(container, name));
    const sum = asked.reduce((total, value) => total + value, 0);
    if (sum <= most) return [];
    const largest = running[asked.indexOf(Math.max(...asked))];
    return [
      problem(
        'TPU_HOST_FIT',
        [...(largest?.path ?? ['spec']), 'resources', 'requests', name],
        asObject(asObject(largest?.container['resources'])['requests'])[name],
        { machine, most, unit, sum },
      ),
    ];
  });
});

function requestOf({ container }: ContainerView, name: string): number {
  const value = asObject(asObject(container['resources'])['requests'])[name];
  return typeof value === 'number' ? value : (parseQuantity(asText(value) ?? '') ?? 0);
}
