/** What Google's documents say of a machine with TPU chips. */
interface TpuMachine {
  readonly accelerator: string;
  readonly chips: number;
  readonly vcpus: number;
  /** GB, 10^9 bytes. */
  readonly memoryGb: number;
  /** The topology this machine alone makes up. */
  readonly topology: string;
  /** Physical network cards. */
  readonly networkCards: number;
}

/**
 * Machines as GKE would make them, written down here a second time on purpose: a wrong figure in the project's own
 * catalogue must not be able to agree with itself. Where documents disagree, the smaller figure.
 * @see https://docs.cloud.google.com/compute/docs/tpus
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus
 */
const TPU_MACHINES: Readonly<Record<string, TpuMachine>> = {
  'ct4p-hightpu-4t': machine('tpu-v4-podslice', 4, 240, 407, '2x2x1', 1),
  'ct5lp-hightpu-1t': machine('tpu-v5-lite-podslice', 1, 24, 48, '1x1', 1),
  'ct5lp-hightpu-4t': machine('tpu-v5-lite-podslice', 4, 112, 192, '2x2', 1),
  'ct5lp-hightpu-8t': machine('tpu-v5-lite-podslice', 8, 224, 384, '2x4', 1),
  'ct5p-hightpu-4t': machine('tpu-v5p-slice', 4, 208, 448, '2x2x1', 1),
  'ct6e-standard-1t': machine('tpu-v6e-slice', 1, 44, 176, '1x1', 1),
  'ct6e-standard-4t': machine('tpu-v6e-slice', 4, 180, 720, '2x2', 2),
  'ct6e-standard-8t': machine('tpu-v6e-slice', 8, 180, 1440, '2x4', 1),
  'tpu7x-standard-4t': machine('tpu7x', 4, 224, 960, '2x2x1', 2),
};

/** GB of memory per vCPU of the general-purpose families, by the middle part of their names. */
const MEMORY_GB_PER_VCPU: Readonly<Record<string, number>> = { standard: 4, highmem: 8, highcpu: 1 };

const GIB = 2 ** 30;

/** What a node of a machine type offers to pods. */
export interface NodeOffer {
  /** Vcpus in thousandths. */
  readonly milliCpus: number;
  readonly memoryBytes: number;
  readonly chips: number;
  readonly accelerator?: string;
  readonly topology?: string;
  readonly networkCards: number;
}

/**
 * What is left for pods on a GKE node of a machine type.
 * @throws Error for a machine type that is not known
 */
export function offerOf(machineType: string): NodeOffer {
  const tpu = TPU_MACHINES[machineType];
  const size = tpu ?? generalPurpose(machineType);
  return {
    milliCpus: allocatableMilliCpus(size.vcpus),
    memoryBytes: allocatableMemory(size.memoryGb * 1e9),
    chips: tpu?.chips ?? 0,
    networkCards: tpu?.networkCards ?? 0,
    ...(tpu === undefined ? {} : { accelerator: tpu.accelerator, topology: tpu.topology }),
  };
}

function machine(
  accelerator: string,
  chips: number,
  vcpus: number,
  memoryGb: number,
  topology: string,
  networkCards: number,
): TpuMachine {
  return { accelerator, chips, vcpus, memoryGb, topology, networkCards };
}

function generalPurpose(machineType: string): { vcpus: number; memoryGb: number } {
  const [family = '', kind = '', vcpus = ''] = machineType.split('-');
  const perVcpu = family === 'n1' && kind === 'standard' ? 3.75 : MEMORY_GB_PER_VCPU[kind];
  if (perVcpu === undefined || !/^\d+$/.test(vcpus)) {
    throw new Error(`machine type '${machineType}' is not known: write it into test/cluster/machines.ts`);
  }
  return { vcpus: Number(vcpus), memoryGb: Number(vcpus) * perVcpu * (GIB / 1e9) };
}

/**
 * GKE keeps 6% of the first core, 1% of the second, 0.5% of the next two and 0.25% of the rest.
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
function allocatableMilliCpus(vcpus: number): number {
  const kept =
    60 * Math.min(vcpus, 1) +
    10 * Math.min(Math.max(vcpus - 1, 0), 1) +
    5 * Math.min(Math.max(vcpus - 2, 0), 2) +
    2.5 * Math.max(vcpus - 4, 0);
  return Math.floor(vcpus * 1000 - kept);
}

/** GKE keeps 25% of the first 4 GiB, 20% of the next 4, 10% of the next 8, 6% of the next 112, 2% above, and 100 MiB. */
function allocatableMemory(bytes: number): number {
  const steps = [
    [4, 0.25],
    [4, 0.2],
    [8, 0.1],
    [112, 0.06],
    [Infinity, 0.02],
  ] as const;
  let rest = bytes;
  let kept = 100 * 2 ** 20;
  for (const [gib, share] of steps) {
    const part = Math.min(rest, gib * GIB);
    kept += part * share;
    rest -= part;
  }
  return Math.floor(bytes - kept);
}
