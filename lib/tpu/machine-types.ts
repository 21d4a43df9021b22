import type { Generation } from './generations';

/** Machine types with TPU chips that GKE offers for training. */
export const MACHINE_TYPES = [
  'ct4p-hightpu-4t',
  'ct5lp-hightpu-1t',
  'ct5lp-hightpu-4t',
  'ct5lp-hightpu-8t',
  'ct5p-hightpu-4t',
  'ct6e-standard-1t',
  'ct6e-standard-4t',
  'ct6e-standard-8t',
  'tpu7x-standard-4t',
] as const;

/** A Compute Engine machine type with TPU chips. */
export type MachineType = (typeof MACHINE_TYPES)[number];

/** What one host offers. */
export interface MachineFacts {
  readonly generation: Generation;
  readonly chips: number;
  /**
   * vCPUs a pod may count on. Where documents disagree this is the smaller figure: ct6e-standard-8t is listed with 360
   * and with 180, GKE's autoscaler runs it with one thread per core.
   */
  readonly vcpus: number;
  /** RAM in GB (10^9 bytes). Where documents disagree, the smaller figure. */
  readonly memoryGb: number;
  readonly numaNodes: number;
  /** Physical network cards a pod can claim through DRANET; undefined where no source names the number. */
  readonly networkCards?: number;
  /** The topology this machine alone makes up. */
  readonly singleHostTopology: string;
  /** True when GKE's managed DRANET lists the machine type. */
  readonly dranet: boolean;
}

/**
 * Host figures.
 * @see https://docs.cloud.google.com/compute/docs/tpus (v5p, v6e, tpu7x)
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/allocate-network-resources-dra (DRANET machine list)
 */
export const MACHINE_FACTS: Readonly<Record<MachineType, MachineFacts>> = {
  'ct4p-hightpu-4t': {
    generation: 'v4',
    chips: 4,
    vcpus: 240,
    memoryGb: 407,
    numaNodes: 2,
    singleHostTopology: '2x2x1',
    dranet: false,
  },
  'ct5lp-hightpu-1t': {
    generation: 'v5e',
    chips: 1,
    vcpus: 24,
    memoryGb: 48,
    numaNodes: 1,
    singleHostTopology: '1x1',
    dranet: false,
  },
  'ct5lp-hightpu-4t': {
    generation: 'v5e',
    chips: 4,
    vcpus: 112,
    memoryGb: 192,
    numaNodes: 1,
    singleHostTopology: '2x2',
    dranet: false,
  },
  'ct5lp-hightpu-8t': {
    generation: 'v5e',
    chips: 8,
    vcpus: 224,
    memoryGb: 384,
    numaNodes: 2,
    singleHostTopology: '2x4',
    dranet: false,
  },
  'ct5p-hightpu-4t': {
    generation: 'v5p',
    chips: 4,
    vcpus: 208,
    memoryGb: 448,
    numaNodes: 2,
    networkCards: 1,
    singleHostTopology: '2x2x1',
    dranet: false,
  },
  'ct6e-standard-1t': {
    generation: 'v6e',
    chips: 1,
    vcpus: 44,
    memoryGb: 176,
    numaNodes: 1,
    singleHostTopology: '1x1',
    dranet: true,
  },
  'ct6e-standard-4t': {
    generation: 'v6e',
    chips: 4,
    vcpus: 180,
    memoryGb: 720,
    numaNodes: 1,
    networkCards: 2,
    singleHostTopology: '2x2',
    dranet: true,
  },
  'ct6e-standard-8t': {
    generation: 'v6e',
    chips: 8,
    vcpus: 180,
    memoryGb: 1440,
    numaNodes: 2,
    networkCards: 1,
    singleHostTopology: '2x4',
    dranet: true,
  },
  'tpu7x-standard-4t': {
    generation: 'tpu7x',
    chips: 4,
    vcpus: 224,
    memoryGb: 960,
    numaNodes: 2,
    networkCards: 2,
    singleHostTopology: '2x2x1',
    dranet: true,
  },
};

/** Machine types that exist in Google's tables but are not offered here, with the reason. */
export const KNOWN_BUT_NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ['tpu7x-standard-1t', 'a one-chip tpu7x host takes part in no training topology'],
  ['tpu7x-ultranet-4t', 'it is a relative of tpu7x-standard-4t that GKE does not document for training'],
  ['tpu7-standard-1t', 'tpu7 is a relative of tpu7x that GKE does not document for training'],
  ['tpu7-standard-4t', 'tpu7 is a relative of tpu7x that GKE does not document for training'],
]);

/** The machine types of one generation, in the order of their chips. */
export function machineTypesOf(generation: Generation): MachineType[] {
  return MACHINE_TYPES.filter((machineType) => MACHINE_FACTS[machineType].generation === generation);
}
