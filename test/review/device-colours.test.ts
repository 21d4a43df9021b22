import { colourOf, layOut } from '../../lib/review/device-colours';
import type { PlannedSlice } from '../../lib/plan';
import { isProblems, resolveSlice } from '../../lib/tpu';

function slice(generation: string, topology: string): PlannedSlice {
  const resolved = resolveSlice({ generation, topology });
  if (isProblems(resolved)) throw new Error(JSON.stringify(resolved));
  return {
    ...resolved,
    accelerator: resolved.acceleratorLabel,
    slices: { min: 1, max: 1 },
    chipsPerSlice: resolved.chips,
    hostsPerSlice: resolved.hosts,
    devicesPerSlice: resolved.devices,
  };
}

test('where JAX lays axes over whole dimensions, the last axis takes the first', () => {
  const { isPhysical, positionOf } = layOut({ ici: { fsdp: 4, tensor: 4 }, dcn: {} }, slice('v6e', '4x4'));
  expect(isPhysical).toBe(true);
  expect(positionOf([1, 2])).toEqual([
    { axis: 'fsdp', size: 4, index: 2 },
    { axis: 'tensor', size: 4, index: 1 },
  ]);
});

test('where JAX has an order of its own, devices are counted row by row', () => {
  const { isPhysical, positionOf } = layOut(
    { ici: { fsdp: 8, tensor: 2 }, dcn: {} },
    slice('tpu7x', '2x2x2'),
  );
  expect(isPhysical).toBe(false);
  expect(positionOf([1, 0, 1, 1])).toEqual([
    { axis: 'fsdp', size: 8, index: 5 },
    { axis: 'tensor', size: 2, index: 1 },
  ]);
});

test.each([
  ['v6e', '4x4', { fsdp: 4, tensor: 4 }],
  ['v5p', '4x4x4', { fsdp: 16, tensor: 4 }],
  ['tpu7x', '2x2x2', { fsdp: 8, tensor: 2 }],
  ['v6e', '16x16', { fsdp: 256 }],
] as const)('every device of %s %s has a place of its own', (generation, topology, ici) => {
  const shape = slice(generation, topology);
  const { positionOf } = layOut({ ici, dcn: {} }, shape);
  const [x = 1, y = 1, z] = topology.split('x').map(Number);
  const places = new Set<string>();
  for (let a = 0; a < x; a++) {
    for (let b = 0; b < y; b++) {
      for (let c = 0; c < (z ?? 1); c++) {
        for (let device = 0; device < shape.devicesPerChip; device++) {
          const chip = z === undefined ? [a, b] : [a, b, c];
          const place = shape.devicesPerChip > 1 ? [...chip, device] : chip;
          places.add(
            positionOf(place)
              .map(({ index }) => index)
              .join(' '),
          );
        }
      }
    }
  }
  expect(places.size).toBe(shape.devicesPerSlice);
});

test('the first axis decides the hue, the others the lightness', () => {
  const at = (one: number, other: number) =>
    colourOf([
      { axis: 'fsdp', size: 4, index: one },
      { axis: 'tensor', size: 4, index: other },
    ]);
  expect(new Set([0, 1, 2, 3].map((index) => at(index, 0).hue)).size).toBe(4);
  expect(new Set([0, 1, 2, 3].map((index) => at(0, index).lightness)).size).toBe(4);
  expect(at(2, 0).hue).toBe(at(2, 3).hue);
  expect(colourOf([])).toEqual({ hue: 212, lightness: 58 });
});
