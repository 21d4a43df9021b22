import fc from 'fast-check';
import {
  GENERATIONS,
  GENERATION_FACTS,
  MACHINE_FACTS,
  MACHINE_TYPES,
  chipsOf,
  describeShape,
  machineTypesOf,
  parseTopology,
  shapesOf,
  shapesWithTopology,
} from '../../lib/tpu';
import type { Generation, MachineType, Shape } from '../../lib/tpu';

const EVERY_SHAPE = GENERATIONS.flatMap(shapesOf);

const anyShape = fc.constantFrom(...EVERY_SHAPE);

function topologiesOf(generation: Generation): string[] {
  return [...new Set(shapesOf(generation).map(({ topology }) => topology))];
}

describe('every shape', () => {
  test('has as many chips as hosts times chips per host', () => {
    fc.assert(
      fc.property(anyShape, (shape) => {
        const slice = describeShape(shape);
        expect(slice.hosts * slice.chipsPerHost).toBe(slice.chips);
        expect(slice.devices).toBe(slice.chips * slice.devicesPerChip);
        expect(slice.devicesPerHost * slice.hosts).toBe(slice.devices);
      }),
    );
  });

  test('field report 27: has a whole number of hosts, at least one', () => {
    for (const { topology, machineType, hosts } of EVERY_SHAPE) {
      expect(Number.isInteger(hosts) && hosts >= 1).toBe(true);
      expect(hosts).toBe(chipsOf(topology) / MACHINE_FACTS[machineType].chips);
    }
  });

  test('has the dimensions of its generation and at most its chips', () => {
    for (const { generation, topology } of EVERY_SHAPE) {
      expect(parseTopology(topology)).toHaveLength(GENERATION_FACTS[generation].dimensions);
      expect(chipsOf(topology)).toBeLessThanOrEqual(GENERATION_FACTS[generation].maxChipsPerSlice);
    }
  });

  test('has one host, or runs on the multi-host machine of its generation', () => {
    for (const { generation, machineType, hosts, topology } of EVERY_SHAPE) {
      if (hosts === 1) expect(topology).toBe(MACHINE_FACTS[machineType].singleHostTopology);
      else expect(machineType).toBe(GENERATION_FACTS[generation].multiHostMachineType);
    }
  });

  test('exists once', () => {
    const keys = EVERY_SHAPE.map(({ generation, topology, machineType }) =>
      [generation, topology, machineType].join(' '),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('shares its memory evenly among its devices', () => {
    fc.assert(
      fc.property(anyShape, (shape) => {
        const slice = describeShape(shape);
        const { hbmBytesPerChip } = GENERATION_FACTS[shape.generation];
        expect(slice.hbmBytesPerDevice * slice.devices).toBe(hbmBytesPerChip * slice.chips);
      }),
    );
  });

  test('two machine types share a topology only for 2x4 of v5e and v6e', () => {
    const shared = GENERATIONS.flatMap((generation) =>
      topologiesOf(generation)
        .filter((topology) => shapesWithTopology(generation, topology).length > 1)
        .map((topology) => `${generation} ${topology}`),
    );
    expect(shared).toEqual(['v5e 2x4', 'v6e 2x4']);
  });
});

describe('two-dimensional generations', () => {
  test.each(['v5e', 'v6e'] as const)('%s offers the fixed list', (generation) => {
    expect(topologiesOf(generation)).toEqual(['1x1', '2x2', '2x4', '4x4', '4x8', '8x8', '8x16', '16x16']);
  });
});

describe('three-dimensional generations', () => {
  const sides = fc.tuple(
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 9 }),
  );

  test.each(['v4', 'v5p', 'tpu7x'] as const)(
    '%s offers 2x2x1, 2x2x2, 2x2x4, 2x4x4 below one cube',
    (generation) => {
      expect(topologiesOf(generation).filter((topology) => chipsOf(topology) < 64)).toEqual([
        '2x2x1',
        '2x2x2',
        '2x2x4',
        '2x4x4',
      ]);
    },
  );

  test.each(['v5p', 'tpu7x'] as const)('%s takes cubes only with sides that do not fall', (generation) => {
    const offered = new Set(topologiesOf(generation));
    fc.assert(
      fc.property(sides, ([a, b, c]) => {
        const rises = a <= b && b <= c;
        const fits = a * b * c * 64 <= GENERATION_FACTS[generation].maxChipsPerSlice;
        expect(offered.has(`${a * 4}x${b * 4}x${c * 4}`)).toBe(rises && fits);
      }),
    );
  });

  test('v4 takes cubes in any order', () => {
    const offered = new Set(topologiesOf('v4'));
    fc.assert(
      fc.property(sides, ([a, b, c]) => {
        expect(offered.has(`${a * 4}x${b * 4}x${c * 4}`)).toBe(a * b * c <= 64);
      }),
    );
  });

  test('above one cube every side is a multiple of 4', () => {
    for (const { generation, topology } of EVERY_SHAPE) {
      if (GENERATION_FACTS[generation].dimensions === 2 || chipsOf(topology) < 64) continue;
      expect((parseTopology(topology) ?? []).every((side) => side % 4 === 0)).toBe(true);
    }
  });

  test.each([
    ['v4', 4096, 1024],
    ['v5p', 6144, 1536],
    ['tpu7x', 9216, 2304],
  ] as const)('%s ends at %d chips on %d hosts', (generation, chips, hosts) => {
    const largest = shapesOf(generation).at(-1);
    expect(chipsOf(largest?.topology ?? '')).toBe(chips);
    expect(largest?.hosts).toBe(hosts);
  });
});

test.each([
  // Single hosts.
  ['v5e', '1x1', 'ct5lp-hightpu-1t', 1, 1],
  ['v5e', '2x2', 'ct5lp-hightpu-4t', 4, 1],
  ['v5e', '2x4', 'ct5lp-hightpu-8t', 8, 1],
  ['v6e', '1x1', 'ct6e-standard-1t', 1, 1],
  ['v6e', '2x2', 'ct6e-standard-4t', 4, 1],
  ['v6e', '2x4', 'ct6e-standard-8t', 8, 1],
  ['v4', '2x2x1', 'ct4p-hightpu-4t', 4, 1],
  ['v5p', '2x2x1', 'ct5p-hightpu-4t', 4, 1],
  ['tpu7x', '2x2x1', 'tpu7x-standard-4t', 4, 1],
  // Several hosts.
  ['v5e', '2x4', 'ct5lp-hightpu-4t', 8, 2],
  ['v6e', '2x4', 'ct6e-standard-4t', 8, 2],
  ['v6e', '4x4', 'ct6e-standard-4t', 16, 4],
  ['v6e', '4x8', 'ct6e-standard-4t', 32, 8],
  ['v6e', '8x8', 'ct6e-standard-4t', 64, 16],
  ['v6e', '8x16', 'ct6e-standard-4t', 128, 32],
  ['v6e', '16x16', 'ct6e-standard-4t', 256, 64],
  ['v5e', '16x16', 'ct5lp-hightpu-4t', 256, 64],
  ['tpu7x', '2x2x2', 'tpu7x-standard-4t', 8, 2],
  ['tpu7x', '2x2x4', 'tpu7x-standard-4t', 16, 4],
  ['tpu7x', '2x4x4', 'tpu7x-standard-4t', 32, 8],
  ['tpu7x', '4x4x4', 'tpu7x-standard-4t', 64, 16],
  ['tpu7x', '4x4x8', 'tpu7x-standard-4t', 128, 32],
  ['v5p', '4x8x8', 'ct5p-hightpu-4t', 256, 64],
  ['v5p', '8x8x8', 'ct5p-hightpu-4t', 512, 128],
  ['v5p', '16x16x24', 'ct5p-hightpu-4t', 6144, 1536],
  ['v4', '12x12x16', 'ct4p-hightpu-4t', 2304, 576],
] as const)(
  'field reports 14 and 22: %s %s on %s has %d chips and %d hosts',
  (generation, topology, machineType, chips, hosts) => {
    const shape = shapesWithTopology(generation, topology).find((found) => found.machineType === machineType);
    expect(describeShape(shape as Shape)).toMatchObject({ chips, hosts });
  },
);

test.each([
  ['v4', '2x2x2', 'TPU-V4', 'v4-16', 'v4-16'],
  ['v5e', '4x4', 'TPU-V5LITEPOD', 'v5litepod-16', 'v5litepod-16'],
  ['v5p', '2x2x2', 'TPU-V5P', 'v5p-16', 'v5p-16'],
  ['v5p', '16x16x24', 'TPU-V5P', 'v5p-12288', 'v5p-12288'],
  ['v6e', '4x4', 'TPU-V6E', 'v6e-16', 'v6e-16'],
  ['tpu7x', '2x2x2', 'TPU-V7X', 'v7x-16', 'tpu7x-16'],
  ['tpu7x', '4x4x4', 'TPU-V7X', 'v7x-128', 'tpu7x-128'],
] as const)(
  'field report 20: %s %s is %s to Ray Train, %s as Ray pod type and %s as GKE pod type',
  (generation, topology, rayAcceleratorType, rayPodType, gkePodType) => {
    const [shape] = shapesWithTopology(generation, topology);
    expect(describeShape(shape as Shape)).toMatchObject({ rayAcceleratorType, rayPodType, gkePodType });
  },
);

test.each([
  ['v4', 'tpu-v4-podslice', 1, 32],
  ['v5e', 'tpu-v5-lite-podslice', 1, 16],
  ['v5p', 'tpu-v5p-slice', 1, 95],
  ['v6e', 'tpu-v6e-slice', 1, 32],
  ['tpu7x', 'tpu7x', 2, 96],
] as const)('%s nodes are labelled %s; a chip is %d devices of %d GiB', (generation, label, devices, gib) => {
  const [shape] = shapesOf(generation);
  expect(describeShape(shape as Shape)).toMatchObject({
    acceleratorLabel: label,
    devicesPerChip: devices,
    hbmBytesPerDevice: gib * 2 ** 30,
  });
});

test.each([
  ['ct5lp-hightpu-1t', 1, 24, 48],
  ['ct5lp-hightpu-4t', 4, 112, 192],
  ['ct5lp-hightpu-8t', 8, 224, 384],
  ['ct5p-hightpu-4t', 4, 208, 448],
  // Where documents disagree the smaller figure counts.
  ['ct6e-standard-1t', 1, 44, 176],
  ['ct6e-standard-4t', 4, 180, 720],
  ['ct6e-standard-8t', 8, 180, 1440],
  ['tpu7x-standard-4t', 4, 224, 960],
] as const)('field report 87: %s has %d chips, %d vCPUs and %d GB', (machineType, chips, vcpus, memoryGb) => {
  expect(MACHINE_FACTS[machineType]).toMatchObject({ chips, vcpus, memoryGb });
});

test('only v4 is marked as not checked against a published page', () => {
  expect(GENERATIONS.filter((generation) => GENERATION_FACTS[generation].unverified)).toEqual(['v4']);
});

test('D9: minimum GKE versions of v6e and tpu7x', () => {
  expect(GENERATION_FACTS.v6e.minimumGkeVersion).toEqual({ standard: '1.31.2-gke.1115000' });
  expect(GENERATION_FACTS.tpu7x.minimumGkeVersion).toEqual({
    standard: '1.34.0-gke.2201000',
    autopilot: '1.34.1-gke.3084001',
  });
});

test('network cards that DRANET gives out: two on 4t machines of v6e and tpu7x, one on ct6e-standard-8t', () => {
  const cards = (machineType: MachineType): number | undefined =>
    MACHINE_FACTS[machineType].dranet ? MACHINE_FACTS[machineType].networkCards : undefined;
  expect(Object.fromEntries(MACHINE_TYPES.map((machineType) => [machineType, cards(machineType)]))).toEqual({
    'ct4p-hightpu-4t': undefined,
    'ct5lp-hightpu-1t': undefined,
    'ct5lp-hightpu-4t': undefined,
    'ct5lp-hightpu-8t': undefined,
    'ct5p-hightpu-4t': undefined,
    'ct6e-standard-1t': undefined,
    'ct6e-standard-4t': 2,
    'ct6e-standard-8t': 1,
    'tpu7x-standard-4t': 2,
  });
});

test('machine types of a generation come in the order of their chips', () => {
  expect(machineTypesOf('v6e')).toEqual(['ct6e-standard-1t', 'ct6e-standard-4t', 'ct6e-standard-8t']);
});

describe('topology texts', () => {
  test.each([
    '4',
    '4x',
    'x4',
    '4x4x4x4',
    '04x4',
    '4X4',
    '4 x 4',
    '-4x4',
    '4.0x4',
    '',
    '4×4',
    '0x4',
    '99999x1',
  ])("'%s' is none", (text) => {
    expect(parseTopology(text)).toBeUndefined();
    expect(() => chipsOf(text)).toThrow(
      `'${text}' is no topology: write sides joined by x, as in 4x4 or 2x2x2`,
    );
  });

  test('sides survive being written and read', () => {
    const side = fc.integer({ min: 1, max: 9999 });
    fc.assert(
      fc.property(fc.array(side, { minLength: 2, maxLength: 3 }), (sides) => {
        expect(parseTopology(sides.join('x'))).toEqual(sides);
      }),
    );
  });
});
