import fc from 'fast-check';
import { GENERATIONS, isProblems, resolveSlice, shapesOf } from '../../lib/tpu';
import type { SliceSpec } from '../../lib/tpu';

function problemsOf(spec: SliceSpec): unknown {
  const result = resolveSlice(spec);
  return isProblems(result) ? result : [];
}

const V6E_TOPOLOGIES = 'v6e topologies are 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16';
const V5P_TOPOLOGIES =
  'v5p topologies are 2x2x1, 2x2x2, 2x2x4, 2x4x4, then AxBxC in multiples of 4 with sides that do not fall, up to 6144 chips';
const GENERATION_RULE = 'a TPU generation is one of v4, v5e, v5p, v6e, tpu7x';

test('every shape on offer resolves when its machine type is named', () => {
  for (const { generation, topology, machineType, hosts } of GENERATIONS.flatMap(shapesOf)) {
    expect(resolveSlice({ generation, topology, machineType })).toMatchObject({
      topology,
      machineType,
      hosts,
    });
  }
});

test('a shape on one machine type needs no machine type', () => {
  expect(resolveSlice({ generation: 'v6e', topology: '4x4' })).toMatchObject({
    machineType: 'ct6e-standard-4t',
    hosts: 4,
  });
});

describe('a topology that does not exist', () => {
  test('fails for v6e 2x3 with the list and the nearest', () => {
    expect(problemsOf({ generation: 'v6e', topology: '2x3' })).toEqual([
      {
        id: 'TPU_TOPOLOGY',
        path: ['topology'],
        value: '2x3',
        rule: V6E_TOPOLOGIES,
        fix: 'use one of 2x4, 2x2, 4x4, 4x8, 1x1, 8x8',
      },
    ]);
  });

  test('fails for v6e 4x2, and the sorted form comes first', () => {
    expect(problemsOf({ generation: 'v6e', topology: '4x2' })).toEqual([
      {
        id: 'TPU_TOPOLOGY',
        path: ['topology'],
        value: '4x2',
        rule: V6E_TOPOLOGIES,
        fix: 'use one of 2x4, 2x2, 4x4, 4x8, 1x1, 8x8',
      },
    ]);
  });

  test('fails for a v6e slice with three sides and for text that is no topology', () => {
    expect(problemsOf({ generation: 'v6e', topology: '2x2x4' })).toMatchObject([{ rule: V6E_TOPOLOGIES }]);
    expect(problemsOf({ generation: 'v6e', topology: 'v6e-16' })).toEqual([
      {
        id: 'TPU_TOPOLOGY',
        path: ['topology'],
        value: 'v6e-16',
        rule: V6E_TOPOLOGIES,
        fix: 'write 4x4, since v6e-16 counts chips: 16 chips',
      },
    ]);
  });

  test.each([
    ['v6e', '2X4', 'write 2x4'],
    ['v6e', ' 2X4 ', 'write 2x4'],
    ['v6e', '2 x 4', 'write 2x4'],
    ['v6e', '2×4', 'write 2x4'],
    ['v6e', '4X2', 'use one of 2x4, 2x2, 4x4, 4x8, 1x1, 8x8'],
    ['tpu7x', 'tpu7x-128', 'write 4x4x4, since tpu7x-128 counts TensorCores: 64 chips'],
    ['tpu7x', 'v7x-128', 'write 4x4x4, since v7x-128 counts TensorCores: 64 chips'],
    [
      'tpu7x',
      'tpu7x-1024',
      'use one of 8x8x8, 4x8x16, 4x4x32, since tpu7x-1024 counts TensorCores: 512 chips',
    ],
    ['v5p', 'v5p-16', 'write 2x2x2, since v5p-16 counts TensorCores: 8 chips'],
    ['v5e', 'v5litepod-16', 'write 4x4, since v5litepod-16 counts chips: 16 chips'],
    ['v6e', 'v6e-20', 'use one of 4x4, 4x8, 2x4, 8x8, 2x2, 8x16, since v6e-20 counts chips: 20 chips'],
    ['v6e', 'v5p-16', 'use one of 1x1, 2x2, 2x4, 4x4, 4x8, 8x8'],
    ['v6e', 'many', 'use one of 1x1, 2x2, 2x4, 4x4, 4x8, 8x8'],
  ])('C7: for %s, %j leads to advice', (generation, topology, fix) => {
    expect(problemsOf({ generation, topology })).toMatchObject([
      { id: 'TPU_TOPOLOGY', value: topology, fix },
    ]);
  });

  test('C7: a pod type as generation leads to its topology', () => {
    expect(problemsOf({ generation: 'tpu7x-128', topology: '4x4x4' })).toMatchObject([
      {
        id: 'TPU_GENERATION',
        fix: 'write tpu7x; as topology, write 4x4x4, since tpu7x-128 counts TensorCores: 64 chips',
      },
    ]);
  });

  test.each([
    ['3x2x1', '2x2x2, 2x2x1, 2x2x4, 2x4x4, 4x4x4, 4x4x8'],
    ['8x4x4', '4x4x8, 4x4x12, 4x4x4, 4x4x16, 4x8x8, 4x4x20'],
    ['4x2x2', '2x2x4, 2x2x2, 2x4x4, 2x2x1, 4x4x4, 4x4x8'],
  ])('field report 15: fails for v5p %s with the nearest shapes', (topology, nearest) => {
    expect(problemsOf({ generation: 'v5p', topology })).toEqual([
      {
        id: 'TPU_TOPOLOGY',
        path: ['topology'],
        value: topology,
        rule: V5P_TOPOLOGIES,
        fix: `use one of ${nearest}`,
      },
    ]);
  });

  test('field report 15: fails for v5p 6x6x6', () => {
    expect(problemsOf({ generation: 'v5p', topology: '6x6x6' })).toEqual([
      {
        id: 'TPU_TOPOLOGY',
        path: ['topology'],
        value: '6x6x6',
        rule: V5P_TOPOLOGIES,
        fix: 'use one of 4x4x12, 4x4x16, 4x8x8, 4x4x20, 4x4x8, 4x4x24',
      },
    ]);
  });

  test('field report 15: v5p takes 2x2x1, and v4 takes 8x4x4', () => {
    expect(problemsOf({ generation: 'v5p', topology: '2x2x1' })).toEqual([]);
    expect(problemsOf({ generation: 'v4', topology: '8x4x4' })).toEqual([]);
  });
});

describe('field report 26: a generation that is none', () => {
  test.each([
    ['v6e-8', 'write v6e; as topology, write 2x4, since v6e-8 counts chips: 8 chips'],
    ['trillium', 'write v6e; chips and hosts follow from the topology'],
    ['Trillium', 'write v6e; chips and hosts follow from the topology'],
    ['ironwood', 'write tpu7x; chips and hosts follow from the topology'],
    ['v7x-16', 'write tpu7x; as topology, write 2x2x2, since v7x-16 counts TensorCores: 8 chips'],
    ['tpu-v6e-slice', 'write v6e; chips and hosts follow from the topology'],
    ['tpu-v5-lite-podslice', 'write v5e; chips and hosts follow from the topology'],
    ['v5litepod-16', 'write v5e; as topology, write 4x4, since v5litepod-16 counts chips: 16 chips'],
    ['V5P', 'write v5p; chips and hosts follow from the topology'],
    ['v3', 'use the generation only; chips and hosts follow from the topology'],
    ['', 'use the generation only; chips and hosts follow from the topology'],
    ['constructor', 'use the generation only; chips and hosts follow from the topology'],
  ])("fails for '%s'", (generation, fix) => {
    expect(problemsOf({ generation, topology: '4x4' })).toEqual([
      { id: 'TPU_GENERATION', path: ['generation'], value: generation, rule: GENERATION_RULE, fix },
    ]);
  });
});

describe('the machine type', () => {
  test('field report 17: fails for v6e 1x1 on a 4-chip machine', () => {
    expect(problemsOf({ generation: 'v6e', topology: '1x1', machineType: 'ct6e-standard-4t' })).toEqual([
      {
        id: 'TPU_MACHINE_TOPOLOGY',
        path: ['machineType'],
        value: 'ct6e-standard-4t',
        rule: 'v6e 1x1 exists on ct6e-standard-1t (1 host)',
        fix: 'leave machineType out, or name that one',
      },
    ]);
    expect(
      resolveSlice({ generation: 'v6e', topology: '1x1', machineType: 'ct6e-standard-1t' }),
    ).toMatchObject({
      hosts: 1,
      chips: 1,
    });
  });

  test('field report 27: fails for v5e 2x2 on an 8-chip machine', () => {
    expect(problemsOf({ generation: 'v5e', topology: '2x2', machineType: 'ct5lp-hightpu-8t' })).toEqual([
      {
        id: 'TPU_MACHINE_TOPOLOGY',
        path: ['machineType'],
        value: 'ct5lp-hightpu-8t',
        rule: 'v5e 2x2 exists on ct5lp-hightpu-4t (1 host)',
        fix: 'leave machineType out, or name that one',
      },
    ]);
  });

  test('fails for 2x4 without one, since it decides the hosts', () => {
    expect(problemsOf({ generation: 'v6e', topology: '2x4' })).toEqual([
      {
        id: 'TPU_MACHINE_AMBIGUOUS',
        path: ['machineType'],
        value: undefined,
        rule: 'v6e 2x4 exists on ct6e-standard-8t (1 host) and ct6e-standard-4t (2 hosts), so the machine type decides the number of hosts',
        fix: 'set machineType to ct6e-standard-8t or ct6e-standard-4t',
      },
    ]);
  });

  test('fails for 2x4 on a one-chip machine', () => {
    expect(problemsOf({ generation: 'v6e', topology: '2x4', machineType: 'ct6e-standard-1t' })).toEqual([
      {
        id: 'TPU_MACHINE_TOPOLOGY',
        path: ['machineType'],
        value: 'ct6e-standard-1t',
        rule: 'v6e 2x4 exists on ct6e-standard-8t (1 host) and ct6e-standard-4t (2 hosts)',
        fix: 'name one of ct6e-standard-8t (1 host), ct6e-standard-4t (2 hosts)',
      },
    ]);
  });

  test.each(['ct5p-hightpu-4t', 'n2-standard-8', 'constructor'])('fails for v6e on %s', (machineType) => {
    expect(problemsOf({ generation: 'v6e', topology: '4x4', machineType })).toEqual([
      {
        id: 'TPU_MACHINE',
        path: ['machineType'],
        value: machineType,
        rule: 'v6e machines are ct6e-standard-1t, ct6e-standard-4t, ct6e-standard-8t',
        fix: 'leave machineType out unless the topology exists on two machine types',
      },
    ]);
  });

  test('fails for a relative that is known and not offered, with the reason', () => {
    expect(problemsOf({ generation: 'tpu7x', topology: '2x2x1', machineType: 'tpu7x-standard-1t' })).toEqual([
      {
        id: 'TPU_MACHINE',
        path: ['machineType'],
        value: 'tpu7x-standard-1t',
        rule: 'tpu7x machines are tpu7x-standard-4t; tpu7x-standard-1t is not offered: a one-chip tpu7x host takes part in no training topology',
        fix: 'leave machineType out unless the topology exists on two machine types',
      },
    ]);
  });

  test('fails together with a topology that does not exist', () => {
    expect(problemsOf({ generation: 'v6e', topology: '2x3', machineType: 'ct5p-hightpu-4t' })).toMatchObject([
      { path: ['topology'] },
      { path: ['machineType'] },
    ]);
  });
});

test('whatever is typed gives a slice or readable Problems', () => {
  const typed = fc.oneof(
    fc.string(),
    fc.constantFrom('v6e', 'v4', 'tpu7x', '4x4', '2x2x2', '2x4', 'toString', '__proto__', 'ct6e-standard-4t'),
  );
  fc.assert(
    fc.property(typed, typed, fc.option(typed, { nil: undefined }), (generation, topology, machineType) => {
      const result = resolveSlice({
        generation,
        topology,
        ...(machineType === undefined ? {} : { machineType }),
      });
      if (!isProblems(result)) return;
      expect(result.length).toBeGreaterThan(0);
      for (const { rule, fix } of result) expect(`${rule} ${fix}`).not.toMatch(/undefined|\[object|function/);
    }),
  );
});
