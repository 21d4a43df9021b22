import { GENERATIONS, rayTrainRefusal, shapesOf, shapesWithTopology } from '../../lib/tpu';
import type { Generation, MachineType, Shape } from '../../lib/tpu';

function shape(generation: Generation, topology: string, machineType?: MachineType): Shape {
  const found = shapesWithTopology(generation, topology).find(
    (candidate) => machineType === undefined || candidate.machineType === machineType,
  );
  if (found === undefined) throw new Error(`no shape ${generation} ${topology}`);
  return found;
}

test('refuses tpu7x 4x4x12, which GKE offers and Ray does not know', () => {
  expect(rayTrainRefusal(shape('tpu7x', '4x4x12'), 1)).toBe(
    "GKE offers 4x4x12 for tpu7x, but Ray's table of tpu7x topologies has only 2x2x1, 2x2x2, 2x2x4, 2x4x4, 4x4x4, 4x4x8, 4x8x8, 8x8x8, 8x8x16, 8x16x16",
  );
});

test('refuses v4 16x4x4, whose first side is longer than 12', () => {
  expect(rayTrainRefusal(shape('v4', '16x4x4'), 1)).toBe(
    "GKE offers 16x4x4 for v4, but Ray's table of v4 topologies ends at 12x12x16 side by side",
  );
});

test('refuses v5p 4x4x28, whose last side is longer than 24', () => {
  expect(rayTrainRefusal(shape('v5p', '4x4x28'), 1)).toBe(
    "GKE offers 4x4x28 for v5p, but Ray's table of v5p topologies ends at 16x16x24 side by side",
  );
});

test('refuses several slices of v6e 2x4 on 4t machines, whose hosts Ray would mix', () => {
  expect(rayTrainRefusal(shape('v6e', '2x4', 'ct6e-standard-4t'), 2)).toBe(
    'Ray takes 2x4 for one host of 8 chips and would mix the hosts of several slices',
  );
});

test.each([
  ['v6e', '2x4', 'ct6e-standard-4t', 1],
  ['v6e', '2x4', 'ct6e-standard-8t', 1],
  ['v6e', '4x4', undefined, 2],
  ['v5p', '2x2x2', undefined, 2],
  ['v5p', '16x16x24', undefined, 1],
  ['v4', '12x12x16', undefined, 1],
  ['tpu7x', '8x16x16', undefined, 1],
] as const)('takes %s %s on %s, %d slices', (generation, topology, machineType, slices) => {
  expect(rayTrainRefusal(shape(generation, topology, machineType), slices)).toBeUndefined();
});

test('takes exactly ten tpu7x topologies', () => {
  const taken = shapesOf('tpu7x').filter((candidate) => rayTrainRefusal(candidate, 1) === undefined);
  expect(taken.map(({ topology }) => topology)).toEqual([
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
});

test('takes every v5e and v6e shape on one slice', () => {
  for (const candidate of GENERATIONS.filter((g) => g === 'v5e' || g === 'v6e').flatMap(shapesOf)) {
    expect(rayTrainRefusal(candidate, 1)).toBeUndefined();
  }
});
