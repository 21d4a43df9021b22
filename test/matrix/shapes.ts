/**
 * The shapes of up to 64 hosts and what Ray and GKE make of them, written down from Google's and Ray's tables and not from lib/tpu: two
 * sources that must agree.
 */
export interface MatrixShape {
  readonly generation: 'v4' | 'v5e' | 'v5p' | 'v6e' | 'tpu7x';
  readonly topology: string;
  readonly machineType: string;
  readonly hosts: number;
  readonly chipsPerHost: number;
  /** Value of the node label cloud.google.com/gke-tpu-accelerator. */
  readonly accelerator: string;
  /** Ray's pod type. */
  readonly podType: string;
  readonly devicesPerChip: number;
  /** False where GKE offers the shape and Ray's table lacks it. */
  readonly inRaysTable: boolean;
  /** Network cards that DRANET can claim on a host; 0 where the machine is not in its list. */
  readonly claimableCards: number;
}

interface Row {
  readonly generation: MatrixShape['generation'];
  readonly accelerator: string;
  /** Prefix of Ray's pod type and what the number behind it counts per chip. */
  readonly podType: readonly [prefix: string, perChip: number];
  readonly devicesPerChip: number;
  /** Topologies by machine type: `TOPOLOGY` or `TOPOLOGY!`, which Ray's table lacks. */
  readonly machines: Readonly<Record<string, string>>;
  readonly claimableCards?: Readonly<Record<string, number>>;
}

const ROWS: readonly Row[] = [
  {
    generation: 'v4',
    accelerator: 'tpu-v4-podslice',
    podType: ['v4', 2],
    devicesPerChip: 1,
    machines: {
      'ct4p-hightpu-4t':
        '2x2x1 2x2x2 2x2x4 2x4x4 4x4x4 4x4x8 4x8x4 8x4x4 4x4x12 4x12x4 12x4x4 4x4x16 4x8x8 4x16x4! 8x4x8 8x8x4 16x4x4!',
    },
  },
  {
    generation: 'v5e',
    accelerator: 'tpu-v5-lite-podslice',
    podType: ['v5litepod', 1],
    devicesPerChip: 1,
    machines: {
      'ct5lp-hightpu-1t': '1x1',
      'ct5lp-hightpu-4t': '2x2 2x4 4x4 4x8 8x8 8x16 16x16',
      'ct5lp-hightpu-8t': '2x4',
    },
  },
  {
    generation: 'v5p',
    accelerator: 'tpu-v5p-slice',
    podType: ['v5p', 2],
    devicesPerChip: 1,
    machines: { 'ct5p-hightpu-4t': '2x2x1 2x2x2 2x2x4 2x4x4 4x4x4 4x4x8 4x4x12 4x4x16 4x8x8' },
  },
  {
    generation: 'v6e',
    accelerator: 'tpu-v6e-slice',
    podType: ['v6e', 1],
    devicesPerChip: 1,
    machines: {
      'ct6e-standard-1t': '1x1',
      'ct6e-standard-4t': '2x2 2x4 4x4 4x8 8x8 8x16 16x16',
      'ct6e-standard-8t': '2x4',
    },
    claimableCards: { 'ct6e-standard-4t': 2, 'ct6e-standard-8t': 1 },
  },
  {
    generation: 'tpu7x',
    accelerator: 'tpu7x',
    podType: ['v7x', 2],
    devicesPerChip: 2,
    machines: { 'tpu7x-standard-4t': '2x2x1 2x2x2 2x2x4 2x4x4 4x4x4 4x4x8 4x4x12! 4x4x16! 4x8x8' },
    claimableCards: { 'tpu7x-standard-4t': 2 },
  },
];

/** Chips of a topology. */
export function chipsOf(topology: string): number {
  return topology.split('x').reduce((product, side) => product * Number(side), 1);
}

export const MATRIX_SHAPES: readonly MatrixShape[] = ROWS.flatMap((row) =>
  Object.entries(row.machines).flatMap(([machineType, topologies]) =>
    topologies.split(' ').map((entry): MatrixShape => {
      const topology = entry.replace('!', '');
      const chipsPerHost = Number(/-(\d)t$/.exec(machineType)?.[1]);
      const [prefix, perChip] = row.podType;
      return {
        generation: row.generation,
        topology,
        machineType,
        hosts: chipsOf(topology) / chipsPerHost,
        chipsPerHost,
        accelerator: row.accelerator,
        podType: `${prefix}-${chipsOf(topology) * perChip}`,
        devicesPerChip: row.devicesPerChip,
        inRaysTable: !entry.endsWith('!'),
        claimableCards: row.claimableCards?.[machineType] ?? 0,
      };
    }),
  ),
);
