import type { Generation, TpuSlice } from '../tpu';

/** Versions of what the compile check compiles with; compile_check/requirements.in pins the same. */
export const COMPILER = { maxtext: '0.2.5', jax: '0.12.0.1', libtpu: '0.0.52' } as const;

const GIB = 2 ** 30;

/**
 * What libtpu's compiler lets a program use of a device's memory, as it said itself; the rest is its own. Only what was
 * measured is here. A v5p has a little more than the 95 GiB it is sold with.
 */
const MEASURED_USABLE_BYTES: Partial<Record<Generation, number>> = {
  v5e: 15.75 * GIB,
  v5p: 95.73 * GIB,
  v6e: 31.24 * GIB,
  tpu7x: 94.74 * GIB,
};

/** Bytes of a device's memory that a program may use: as measured, or else all of it. */
export function usableHbmBytes(slice: Pick<TpuSlice, 'generation' | 'hbmBytesPerDevice'>): number {
  return MEASURED_USABLE_BYTES[slice.generation] ?? slice.hbmBytesPerDevice;
}

/** A TPU slice as libtpu's compiler knows it. */
export interface CompilerTopology {
  /** Family and topology, e.g. `v6e:4x4`. */
  readonly name: string;
  /** `megacore` where both cores of a chip are one device. */
  readonly chipConfig: 'default' | 'megacore';
  /** Chips of a host in each dimension. */
  readonly hostBounds: readonly [number, number, number];
  /** Whether each dimension is closed to a ring. */
  readonly wrap: readonly [boolean, boolean, boolean];
  /** JAX devices per slice. */
  readonly devices: number;
}

/** libtpu's names of the generations. */
const FAMILIES: Readonly<Record<Generation, string>> = {
  v4: 'v4',
  v5e: 'v5e',
  v5p: 'v5',
  v6e: 'v6e',
  tpu7x: 'tpu7x',
};

/** Sides of a whole cube, from which on three-dimensional slices are closed to rings. */
const CUBE_SIDE = 4;

/** Sides of a v5e or v6e slice that are closed to a ring. */
const RING_SIDE = 16;

/**
 * A slice for the ahead-of-time compiler.
 * @see https://github.com/AI-Hypercomputer/maxtext src/maxtext/utils/accelerator_to_spec_map.py (0.2.5), whose entries
 * this reproduces for every topology they have
 */
export function compilerTopology(
  slice: Pick<TpuSlice, 'generation' | 'topology' | 'devices' | 'devicesPerChip' | 'chips'>,
): CompilerTopology {
  const [x = 1, y = 1, z] = slice.topology.split('x').map(Number);
  const cubes = z !== undefined && Math.min(x, y, z) >= CUBE_SIDE;
  return {
    name: `${FAMILIES[slice.generation]}:${slice.topology}`,
    chipConfig: slice.generation === 'v4' || slice.generation === 'v5p' ? 'megacore' : 'default',
    hostBounds: slice.chips === 1 ? [1, 1, 1] : [2, 2, 1],
    wrap: z === undefined ? [x === RING_SIDE, y === RING_SIDE, false] : [cubes, cubes, cubes],
    devices: slice.devices,
  };
}
