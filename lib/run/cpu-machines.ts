import { gkeAllocatable } from '../kubernetes/gke-allocatable';

const GIB = 2 ** 30;

/** General-purpose machines for heads and submitters, smallest first. @see https://docs.cloud.google.com/compute/docs/general-purpose-machines#n2-standard */
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

/** CPUs and bytes of memory. */
export interface CpuAndMemory {
  readonly cpu: number;
  readonly memoryBytes: number;
}

/** A machine of the CPU pool on a Standard cluster. */
export interface CpuMachine {
  readonly machineType: string;
  readonly vcpus: number;
  /** What a node offers to pods. */
  readonly allocatable: CpuAndMemory;
  /** What of it is left for heads and submitters. */
  readonly room: CpuAndMemory;
}

/** The machines a CPU pool can have, smallest first. */
export const CPU_MACHINES: readonly CpuMachine[] = MACHINES.map(({ machineType, vcpus, memoryGib }) => {
  const allocatable = gkeAllocatable(vcpus, memoryGib * GIB);
  return {
    machineType,
    vcpus,
    allocatable,
    room: {
      cpu: allocatable.cpu - SYSTEM_PODS.cpu,
      memoryBytes: allocatable.memoryBytes - SYSTEM_PODS.memoryBytes,
    },
  };
});

/** What is left for a pod on the largest of them. */
export const MOST_OF_A_CPU_MACHINE: CpuAndMemory = CPU_MACHINES.reduce(
  (most, { room }) => ({
    cpu: Math.max(most.cpu, room.cpu),
    memoryBytes: Math.max(most.memoryBytes, room.memoryBytes),
  }),
  { cpu: 0, memoryBytes: 0 },
);
