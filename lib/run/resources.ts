import { AUTOSCALER_RESOURCES } from '../kuberay/limits';
import { gkeAllocatable } from '../kubernetes/gke-allocatable';
import { QUANTITY_RULE, parseQuantity } from '../kubernetes/quantity';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { MACHINE_FACTS } from '../tpu';
import type { TpuSlice } from '../tpu';
import {
  DEFAULT_HEAD_RESOURCES,
  DEFAULT_SUBMITTER_RESOURCES,
  DEFAULT_WORKER_SHARE,
  WARN_WORKER_SHARE,
} from './defaults';
import { MOST_OF_A_CPU_MACHINE } from './cpu-machines';
import type { Platform } from './platform';
import type { PodResources, RunResources } from './run-spec';

/** CPU and memory of a container with every default filled in, as quantities. */
export interface ContainerResources {
  readonly cpu: string;
  readonly cpuLimit: string;
  readonly memory: string;
  readonly sharedMemory: string;
}

/** Resources of the three pods of a run. */
export interface ResolvedResources {
  readonly head: ContainerResources;
  readonly worker: ContainerResources;
  readonly submitter: ContainerResources;
}

const GIB = 2 ** 30;
const GB = 1e9;

/** Less is a slip of the pen: `16m` is a hundredth of a byte, `16` are sixteen. */
const LEAST_MEMORY = 16 * 2 ** 20;

/** Resources of a run on a slice: what the spec says, the defaults for the rest. */
export function resolveResources(spec: RunResources | undefined, slice: TpuSlice): ResolvedResources {
  const machine = MACHINE_FACTS[slice.machineType];
  const workerDefaults = {
    cpu: String(Math.floor(machine.vcpus * DEFAULT_WORKER_SHARE)),
    memory: `${String(Math.floor((machine.memoryGb * GB * DEFAULT_WORKER_SHARE) / GIB))}Gi`,
  };
  return {
    head: fill(spec?.head, DEFAULT_HEAD_RESOURCES),
    worker: fill(spec?.worker, workerDefaults),
    submitter: fill(spec?.submitter, DEFAULT_SUBMITTER_RESOURCES),
  };
}

/** Problems of a run's resources; paths are relative to `resources`. */
export function checkResources(
  spec: RunResources,
  slice: TpuSlice,
  platform: Platform,
  autoscaler: boolean,
): Problem[] {
  const problems: Problem[] = [];
  for (const pod of ['head', 'worker', 'submitter'] as const) {
    const given: PodResources | undefined = spec[pod];
    if (given === undefined) continue;
    for (const [key, value] of Object.entries(given)) {
      if (typeof value !== 'string') continue;
      const rule = quantityRule(key, value);
      if (rule !== undefined) {
        problems.push(
          problem('RESOURCE_QUANTITY', [pod, key], value, {
            reason: rule,
            advice: key.startsWith('cpu') ? 'write it as in 8' : 'write it as in 16Gi',
          }),
        );
      }
    }
  }
  if (problems.length > 0) return problems;
  if (spec.submitter?.sharedMemory !== undefined) {
    problems.push(
      problem('SUBMITTER_SHARED_MEMORY', ['submitter', 'sharedMemory'], spec.submitter.sharedMemory),
    );
  }
  const resolved = resolveResources(spec, slice);
  for (const pod of ['head', 'worker', 'submitter'] as const) {
    const { cpu, cpuLimit, memory, sharedMemory } = resolved[pod];
    if (amountOf(cpuLimit) < amountOf(cpu)) {
      problems.push(problem('CPU_LIMIT', [pod, 'cpuLimit'], cpuLimit, { cpu }));
    }
    if (pod !== 'submitter' && amountOf(sharedMemory) >= amountOf(memory)) {
      problems.push(problem('SHARED_MEMORY', [pod, 'sharedMemory'], sharedMemory, { memory }));
    }
  }
  if (platform.cluster.mode === 'standard') problems.push(...checkCpuPool(resolved, autoscaler));
  const machine = MACHINE_FACTS[slice.machineType];
  const offered = gkeAllocatable(machine.vcpus, machine.memoryGb * GB);
  if (amountOf(resolved.worker.cpu) > offered.cpu) {
    problems.push(
      problem('WORKER_CPU', ['worker', 'cpu'], resolved.worker.cpu, {
        machineType: slice.machineType,
        vcpus: machine.vcpus,
        offered: offered.cpu,
        most: Math.floor(machine.vcpus * WARN_WORKER_SHARE),
      }),
    );
  }
  if (amountOf(resolved.worker.memory) > offered.memoryBytes) {
    problems.push(
      problem('WORKER_MEMORY', ['worker', 'memory'], resolved.worker.memory, {
        machineType: slice.machineType,
        memoryGb: machine.memoryGb,
        offered: Math.floor(offered.memoryBytes / GIB),
        most: Math.floor((machine.memoryGb * GB * WARN_WORKER_SHARE) / GIB),
      }),
    );
  }
  return problems;
}

/** Head and submitter run on the CPU pool of a Standard cluster: what fits on none of its machines stays Pending for ever. */
function checkCpuPool(resolved: ResolvedResources, autoscaler: boolean): Problem[] {
  const most = MOST_OF_A_CPU_MACHINE;
  return (['head', 'submitter'] as const).flatMap((pod) => {
    const { cpu, memory } = resolved[pod];
    const problems: Problem[] = [];
    const beside = pod === 'head' ? headContainers(resolved.head, autoscaler).slice(1) : [];
    const total = (key: 'cpu' | 'memory'): number =>
      [resolved[pod], ...beside].reduce((sum, container) => sum + amountOf(container[key]), 0);
    const also = beside.length === 0 ? '' : ", Ray's autoscaler among them";
    if (total('cpu') > most.cpu) {
      problems.push(problem('CPU_POOL_CPU', [pod, 'cpu'], cpu, { most: Math.floor(most.cpu), also, pod }));
    }
    if (total('memory') > most.memoryBytes) {
      problems.push(
        problem('CPU_POOL_MEMORY', [pod, 'memory'], memory, {
          most: Math.floor(most.memoryBytes / GIB),
          also,
          pod,
        }),
      );
    }
    return problems;
  });
}

/** Containers of a head's pod: Ray's autoscaler runs beside the head. */
export function headContainers(
  head: ContainerResources,
  autoscaler: boolean,
): { readonly cpu: string; readonly memory: string }[] {
  return [head, ...(autoscaler ? [AUTOSCALER_RESOURCES] : [])];
}

/** Why an amount of CPU or memory is none a container can run with, or undefined. */
function quantityRule(key: string, value: string): string | undefined {
  const amount = parseQuantity(value);
  if (amount === undefined) return QUANTITY_RULE;
  if (amount === 0) return 'an amount of 0 starves the container or breaks autoscalers';
  if (!key.startsWith('cpu') && amount < LEAST_MEMORY) {
    return 'memory is counted in bytes, at least 16Mi; the suffix m means thousandths of a byte';
  }
  return undefined;
}

/** Remarks on worker resources that may not leave room for system pods; paths are relative to `resources`. */
export function resourceWarnings(
  resources: ResolvedResources,
  slice: TpuSlice,
): { path: Path; message: string }[] {
  const machine = MACHINE_FACTS[slice.machineType];
  const warnings: { path: Path; message: string }[] = [];
  if (amountOf(resources.worker.cpu) > machine.vcpus * WARN_WORKER_SHARE) {
    warnings.push({
      path: ['worker', 'cpu'],
      message: `${resources.worker.cpu} of ${String(machine.vcpus)} vCPUs leaves less than a tenth of ${slice.machineType} for system pods and sidecars: the pod may stay Pending`,
    });
  }
  if (amountOf(resources.worker.memory) > machine.memoryGb * GB * WARN_WORKER_SHARE) {
    warnings.push({
      path: ['worker', 'memory'],
      message: `${resources.worker.memory} of ${String(machine.memoryGb)} GB leaves less than a tenth of ${slice.machineType} for system pods and sidecars: the pod may stay Pending`,
    });
  }
  return warnings;
}

function fill(
  given: PodResources | undefined,
  defaults: { readonly cpu: string; readonly cpuLimit?: string; readonly memory: string },
): ContainerResources {
  const cpu = given?.cpu ?? defaults.cpu;
  const memory = given?.memory ?? defaults.memory;
  return {
    cpu,
    cpuLimit: given?.cpuLimit ?? (given?.cpu === undefined ? (defaults.cpuLimit ?? cpu) : cpu),
    memory,
    sharedMemory: given?.sharedMemory ?? halfOf(memory),
  };
}

/** Half of a memory quantity, in whole mebibytes. */
function halfOf(memory: string): string {
  const mebibytes = Math.floor(amountOf(memory) / 2 / 2 ** 20);
  return mebibytes % 1024 === 0 ? `${String(mebibytes / 1024)}Gi` : `${String(mebibytes)}Mi`;
}

function amountOf(quantity: string): number {
  return parseQuantity(quantity) ?? 0;
}
