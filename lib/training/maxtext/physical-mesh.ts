import { problem } from '../../problems';
import type { Problem } from '../../problems';
import { MESH_AXES, describeAxes } from './mesh';
import type { MeshAxis, ResolvedMesh } from './mesh';

/** The part of a TPU slice that decides how JAX lays a mesh over it. */
export interface SliceShape {
  readonly generation: string;
  /** Chips per dimension, as in `4x4`. */
  readonly topology: string;
  readonly devicesPerChip: number;
}

/** Most devices of a slice on which JAX takes any mesh; larger slices must not split a dimension. */
const ANY_MESH_UP_TO: Readonly<Record<string, number>> = { v5e: 8, v6e: 8, v5p: 8 };

/** Preference among dimensions of a tpu7x torus, lowest first: the devices of a chip, then x, y, z. */
const IRONWOOD_PREFERENCE: readonly number[] = [1, 2, 3, 0];

/**
 * The problem of laying the ici axes over the slice's torus, unless MaxText's `allow_split_physical_axes` is true: each
 * axis must be a product of whole dimensions, assigned greedily from the last mesh axis to the first. The path is
 * relative to the mesh.
 * @see https://github.com/jax-ml/jax jax/_src/mesh_utils.py (0.12.0), whose result this predicts
 */
export function checkPhysicalMesh(mesh: ResolvedMesh, slice: SliceShape): Problem[] {
  if (takesAnyMesh(slice)) return [];
  const { refused } = assignDimensions(mesh, slice);
  if (refused === undefined) return [];
  return [
    problem('MESH_PHYSICAL', ['ici'], describeAxes(mesh.ici), {
      torus: describeTorus(slice),
      axis: `${refused} ${String(mesh.ici[refused])}`,
    }),
  ];
}

/**
 * Which dimensions of the slice's torus (0 is the topology's first side; behind the sides come the devices of a chip)
 * each ici axis covers, as JAX chooses them; undefined where JAX takes an order of its own or splits dimensions.
 */
export function dimensionsOfAxes(
  mesh: ResolvedMesh,
  slice: SliceShape,
): ReadonlyMap<MeshAxis, readonly number[]> | undefined {
  if (takesAnyMesh(slice)) return undefined;
  const { dimensions, refused } = assignDimensions(mesh, slice);
  return refused === undefined ? dimensions : undefined;
}

/** Dimensions by axis, chosen from the last axis to the first, and the first axis for which none are left. */
function assignDimensions(
  mesh: ResolvedMesh,
  slice: SliceShape,
): { dimensions: Map<MeshAxis, readonly number[]>; refused?: MeshAxis } {
  const free = torusOf(slice);
  const dimensions = new Map<MeshAxis, readonly number[]>();
  for (const axis of [...MESH_AXES].reverse()) {
    const size = mesh.ici[axis];
    if (size === undefined) continue;
    const chosen = wholeDimensions(free, size, slice);
    if (chosen === undefined) return { dimensions, refused: axis };
    dimensions.set(axis, chosen);
    chosen.forEach((index) => (free[index] = 0));
  }
  return { dimensions };
}

/** JAX has fixed orders of devices for small slices, which suit every mesh. */
function takesAnyMesh(slice: SliceShape): boolean {
  const sides = sidesOf(slice);
  const devices = product(sides) * slice.devicesPerChip;
  if (devices <= (ANY_MESH_UP_TO[slice.generation] ?? 0)) return true;
  const [x = 0, y = 0] = sides;
  return slice.generation === 'tpu7x' && devices % 8 === 0 && devices <= 32 && x <= 2 && y <= 2;
}

function sidesOf(slice: SliceShape): number[] {
  return slice.topology.split('x').map(Number);
}

/** Dimensions of the torus of devices: those of the chips, and the devices of a chip where they are several. */
function torusOf(slice: SliceShape): number[] {
  return slice.devicesPerChip > 1 ? [...sidesOf(slice), slice.devicesPerChip] : sidesOf(slice);
}

function describeTorus(slice: SliceShape): string {
  const chips = `the ${slice.topology} slice`;
  return slice.devicesPerChip > 1 ? `${chips} with ${String(slice.devicesPerChip)} devices per chip` : chips;
}

/** Indices of free dimensions whose product is `size`, as many as possible. */
function wholeDimensions(free: readonly number[], size: number, slice: SliceShape): number[] | undefined {
  for (let count = free.length; count > 0; count--) {
    const sets = combinations(free.length, count);
    if (slice.devicesPerChip > 1) sets.sort(byPreference);
    const found = sets.find((indices) => product(indices.map((index) => free[index] ?? 0)) === size);
    if (found !== undefined) return found;
  }
  return undefined;
}

function byPreference(one: readonly number[], other: readonly number[]): number {
  const ranks = (indices: readonly number[]): number[] =>
    indices.map((index) => IRONWOOD_PREFERENCE[index] ?? 0);
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);
  return Math.min(...ranks(one)) - Math.min(...ranks(other)) || sum(ranks(one)) - sum(ranks(other));
}

/** All sets of `count` indices below `length`, in lexical order. */
function combinations(length: number, count: number, from = 0): number[][] {
  if (count === 0) return [[]];
  const sets: number[][] = [];
  for (let first = from; first < length; first++) {
    for (const rest of combinations(length, count - 1, first + 1)) sets.push([first, ...rest]);
  }
  return sets;
}

function product(factors: readonly number[]): number {
  return factors.reduce((all, factor) => all * factor, 1);
}
