import type { MachineType } from './machine-types';

/** TPU generations this project can describe. */
export const GENERATIONS = ['v4', 'v5e', 'v5p', 'v6e', 'tpu7x'] as const;

/** A TPU generation by its GKE name. */
export type Generation = (typeof GENERATIONS)[number];

const GIB = 2 ** 30;

/** What holds for every slice of a generation. */
export interface GenerationFacts {
  /** Marketing name, for messages. */
  readonly title: string;
  /** Value of the node label `cloud.google.com/gke-tpu-accelerator`. */
  readonly acceleratorLabel: string;
  /** Number of dimensions a topology has. */
  readonly dimensions: 2 | 3;
  readonly tensorCoresPerChip: 1 | 2;
  /** Devices JAX or PyTorch see per chip: 2 where the chiplets are separate devices, else 1. */
  readonly devicesPerChip: 1 | 2;
  /** High-bandwidth memory per chip, bytes. */
  readonly hbmBytesPerChip: number;
  /** Peak bf16 TFLOP/s per chip. */
  readonly peakBf16Tflops: number;
  /** Most chips in one slice. */
  readonly maxChipsPerSlice: number;
  /** Ray's `ScalingConfig.accelerator_type`. */
  readonly rayAcceleratorType: string;
  /** Prefix of Ray's pod type, e.g. `v5litepod` in `v5litepod-16`. */
  readonly rayPodTypePrefix: string;
  /** Prefix of the pod type GKE's device plugin puts into TPU_ACCELERATOR_TYPE. */
  readonly gkePodTypePrefix: string;
  /** What the number in a pod type counts. */
  readonly podTypeCounts: 'chips' | 'tensor cores';
  /** Smallest GKE version that offers the generation, by cluster mode; undefined where no source names one. */
  readonly minimumGkeVersion: { readonly standard?: string; readonly autopilot?: string };
  /** Machine type of a multi-host slice. */
  readonly multiHostMachineType: MachineType;
  /** True where figures could not be checked against a published page. */
  readonly unverified: boolean;
}

/**
 * Chip figures.
 * @see https://cloud.google.com/tpu/docs/v5e
 * @see https://docs.cloud.google.com/compute/docs/tpus (v5p, v6e, tpu7x)
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/tpu-ironwood
 * @see https://github.com/ray-project/ray python/ray/_private/accelerators/tpu.py (Ray names, 2.60.0)
 */
export const GENERATION_FACTS: Readonly<Record<Generation, GenerationFacts>> = {
  v4: {
    title: 'TPU v4',
    acceleratorLabel: 'tpu-v4-podslice',
    dimensions: 3,
    tensorCoresPerChip: 2,
    devicesPerChip: 1,
    hbmBytesPerChip: 32 * GIB,
    peakBf16Tflops: 275,
    maxChipsPerSlice: 64 * 64,
    rayAcceleratorType: 'TPU-V4',
    rayPodTypePrefix: 'v4',
    gkePodTypePrefix: 'v4',
    podTypeCounts: 'tensor cores',
    minimumGkeVersion: {},
    multiHostMachineType: 'ct4p-hightpu-4t',
    unverified: true,
  },
  v5e: {
    title: 'TPU v5e',
    acceleratorLabel: 'tpu-v5-lite-podslice',
    dimensions: 2,
    tensorCoresPerChip: 1,
    devicesPerChip: 1,
    hbmBytesPerChip: 16 * GIB,
    peakBf16Tflops: 197,
    maxChipsPerSlice: 256,
    rayAcceleratorType: 'TPU-V5LITEPOD',
    rayPodTypePrefix: 'v5litepod',
    gkePodTypePrefix: 'v5litepod',
    podTypeCounts: 'chips',
    minimumGkeVersion: {},
    multiHostMachineType: 'ct5lp-hightpu-4t',
    unverified: false,
  },
  v5p: {
    title: 'TPU v5p',
    acceleratorLabel: 'tpu-v5p-slice',
    dimensions: 3,
    tensorCoresPerChip: 2,
    devicesPerChip: 1,
    hbmBytesPerChip: 95 * GIB,
    peakBf16Tflops: 459,
    maxChipsPerSlice: 6144,
    rayAcceleratorType: 'TPU-V5P',
    rayPodTypePrefix: 'v5p',
    gkePodTypePrefix: 'v5p',
    podTypeCounts: 'tensor cores',
    minimumGkeVersion: {},
    multiHostMachineType: 'ct5p-hightpu-4t',
    unverified: false,
  },
  v6e: {
    title: 'TPU v6e (Trillium)',
    acceleratorLabel: 'tpu-v6e-slice',
    dimensions: 2,
    tensorCoresPerChip: 1,
    devicesPerChip: 1,
    hbmBytesPerChip: 32 * GIB,
    peakBf16Tflops: 918,
    maxChipsPerSlice: 256,
    rayAcceleratorType: 'TPU-V6E',
    rayPodTypePrefix: 'v6e',
    gkePodTypePrefix: 'v6e',
    podTypeCounts: 'chips',
    minimumGkeVersion: { standard: '1.31.2-gke.1115000' },
    multiHostMachineType: 'ct6e-standard-4t',
    unverified: false,
  },
  tpu7x: {
    title: 'TPU7x (Ironwood)',
    acceleratorLabel: 'tpu7x',
    dimensions: 3,
    tensorCoresPerChip: 2,
    devicesPerChip: 2,
    hbmBytesPerChip: 192 * GIB,
    peakBf16Tflops: 2307,
    maxChipsPerSlice: 144 * 64,
    rayAcceleratorType: 'TPU-V7X',
    rayPodTypePrefix: 'v7x',
    gkePodTypePrefix: 'tpu7x',
    podTypeCounts: 'tensor cores',
    minimumGkeVersion: { standard: '1.34.0-gke.2201000', autopilot: '1.34.1-gke.3084001' },
    multiHostMachineType: 'tpu7x-standard-4t',
    unverified: false,
  },
};
