import { NODE_LABELS, TPU_RESOURCE } from '../kubernetes/well-known';
import { GENERATION_FACTS, MACHINE_FACTS, MACHINE_TYPES, type MachineType } from '../tpu';
import { asObject } from './json';
import type { PodView } from './manifest';

/** TPU chips of a pod. As the TPU webhook does, all its containers add up. */
export function chipsOf(pod: PodView): number {
  return pod.containers.reduce((sum, { container }) => {
    const limits = asObject(asObject(container['resources'])['limits']);
    return sum + Number(limits[TPU_RESOURCE] ?? 0);
  }, 0);
}

/**
 * The host a pod with TPU chips lands on: the machine type of its accelerator label's generation with as many chips as the pod asks for.
 * Undefined for pods without chips, and for a label or a number of chips that no machine type has.
 */
export function tpuMachineOf(pod: PodView): MachineType | undefined {
  const accelerator = asObject(pod.spec['nodeSelector'])[NODE_LABELS.accelerator];
  const chips = chipsOf(pod);
  return MACHINE_TYPES.find((machineType) => {
    const facts = MACHINE_FACTS[machineType];
    return facts.chips === chips && GENERATION_FACTS[facts.generation].acceleratorLabel === accelerator;
  });
}
