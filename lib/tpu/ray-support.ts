import type { Generation } from './generations';
import { MACHINE_FACTS } from './machine-types';
import { chipsOf, parseTopology } from './topologies';
import type { Shape } from './topologies';

/** tpu7x topologies in Ray's table; GKE offers many more. */
const RAY_TPU7X = new Set([
  '2x2x1',
  '2x2x2',
  '2x2x4',
  '2x4x4',
  '4x4x4',
  '4x4x8',
  '4x8x8',
  '8x8x8',
  '8x8x16',
  '8x16x16',
]);

/** Largest side per dimension of Ray's tables for topologies of whole cubes. */
const RAY_LARGEST_SIDES: Partial<Record<Generation, readonly [number, number, number]>> = {
  v4: [12, 12, 16],
  v5p: [16, 16, 24],
};

/**
 * Why Ray Train cannot run on a shape that GKE offers, or undefined when it can.
 * @see https://github.com/ray-project/ray python/ray/_private/accelerators/tpu.py VALID_TPU_TOPOLOGY (2.60.0)
 */
export function rayTrainRefusal(shape: Shape, slices: number): string | undefined {
  const { generation, topology } = shape;
  if (generation === 'tpu7x' && !RAY_TPU7X.has(topology)) {
    return `GKE offers ${topology} for tpu7x, but Ray's table of tpu7x topologies has only ${[...RAY_TPU7X].join(', ')}`;
  }
  const largest = RAY_LARGEST_SIDES[generation];
  const sides = parseTopology(topology);
  if (largest !== undefined && sides !== undefined) {
    const tooLong = sides.some((side, index) => side > (largest[index] ?? 0));
    if (tooLong) {
      return `GKE offers ${topology} for ${generation}, but Ray's table of ${generation} topologies ends at ${largest.join('x')} side by side`;
    }
  }
  // Ray takes every v5e and v6e topology of up to 8 chips for one host and then does not pin its workers to one slice.
  if (
    slices > 1 &&
    shape.hosts > 1 &&
    chipsOf(topology) <= 8 &&
    MACHINE_FACTS[shape.machineType].chips === 4
  ) {
    const twoDimensional = sides?.length === 2;
    if (twoDimensional) {
      return `Ray takes ${topology} for one host of ${String(chipsOf(topology))} chips and would mix the hosts of several slices`;
    }
  }
  return undefined;
}
