import { GENERATION_FACTS } from './generations';
import type { Generation } from './generations';
import { MACHINE_FACTS, machineTypesOf } from './machine-types';
import type { MachineType } from './machine-types';

/** Multi-host topologies of the two-dimensional generations, a fixed list. All use machines with 4 chips. */
const MULTI_HOST_2D = ['2x4', '4x4', '4x8', '8x8', '8x16', '16x16'] as const;

/** Three-dimensional topologies smaller than one cube of 4x4x4 chips. */
const SMALL_3D = ['2x2x2', '2x2x4', '2x4x4'] as const;

const CUBE_SIDE = 4;

/** One way GKE builds a slice of a generation: a topology on a machine type. */
export interface Shape {
  readonly generation: Generation;
  readonly topology: string;
  readonly machineType: MachineType;
  readonly hosts: number;
}

/** Sides of a topology such as `4x4` or `2x2x2`, or undefined when the text is not one. */
export function parseTopology(topology: string): number[] | undefined {
  if (!/^[1-9][0-9]{0,3}(x[1-9][0-9]{0,3}){1,2}$/.test(topology)) return undefined;
  return topology.split('x').map(Number);
}

/** Chips of a topology: the product of its sides. */
export function chipsOf(topology: string): number {
  const sides = parseTopology(topology);
  if (sides === undefined)
    throw new Error(`'${topology}' is no topology: write sides joined by x, as in 4x4 or 2x2x2`);
  return sides.reduce((product, side) => product * side, 1);
}

const shapes = new Map<Generation, readonly Shape[]>();

/**
 * Every shape GKE offers for a generation, smallest first.
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus
 */
export function shapesOf(generation: Generation): readonly Shape[] {
  // Three-dimensional generations have hundreds, and every run of a project asks for them.
  const known = shapes.get(generation) ?? listShapes(generation);
  shapes.set(generation, known);
  return known;
}

function listShapes(generation: Generation): Shape[] {
  const singleHost = machineTypesOf(generation).map((machineType) => ({
    generation,
    topology: MACHINE_FACTS[machineType].singleHostTopology,
    machineType,
    hosts: 1,
  }));
  const machineType = GENERATION_FACTS[generation].multiHostMachineType;
  const multiHost = multiHostTopologies(generation).map((topology) => ({
    generation,
    topology,
    machineType,
    hosts: chipsOf(topology) / MACHINE_FACTS[machineType].chips,
  }));
  return [...singleHost, ...multiHost].sort(
    (a, b) => a.hosts - b.hosts || chipsOf(a.topology) - chipsOf(b.topology),
  );
}

/** The shapes of a generation with exactly this topology: none, one, or two where the machine type decides. */
export function shapesWithTopology(generation: Generation, topology: string): Shape[] {
  return shapesOf(generation).filter((shape) => shape.topology === topology);
}

function multiHostTopologies(generation: Generation): string[] {
  if (GENERATION_FACTS[generation].dimensions === 2) return [...MULTI_HOST_2D];
  return [...SMALL_3D, ...cubeTopologies(generation)];
}

/**
 * Topologies of whole cubes: sides are multiples of 4. v4 takes them in any order, the others only with sides that do
 * not fall.
 */
function cubeTopologies(generation: Generation): string[] {
  const mostCubes = GENERATION_FACTS[generation].maxChipsPerSlice / CUBE_SIDE ** 3;
  const anyOrder = generation === 'v4';
  const found: string[] = [];
  for (let a = 1; a <= mostCubes; a++) {
    for (let b = anyOrder ? 1 : a; a * b <= mostCubes; b++) {
      for (let c = anyOrder ? 1 : b; a * b * c <= mostCubes; c++) {
        found.push([a, b, c].map((cubes) => cubes * CUBE_SIDE).join('x'));
      }
    }
  }
  return found;
}
