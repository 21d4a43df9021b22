import fc from 'fast-check';
import {
  MESH_AXES,
  axisDevices,
  describeAxes,
  isProblemList,
  maxtextMeshArguments,
  resolveMesh,
  resolveMeshes,
} from '../../lib/training/maxtext/mesh';
import type { MeshAxis, MeshSpec, ResolvedMesh } from '../../lib/training/maxtext/mesh';

function resolved(spec: MeshSpec, devices: number, slices: number): ResolvedMesh {
  const mesh = resolveMesh(spec, devices, slices);
  if (isProblemList(mesh)) throw new Error(JSON.stringify(mesh));
  return mesh;
}

test.each<[string, MeshSpec, number, number, ResolvedMesh]>([
  ['nothing given', {}, 16, 1, { ici: { fsdp: 16 }, dcn: {} }],
  ['nothing given, two slices', {}, 16, 2, { ici: { fsdp: 16 }, dcn: { data: 2 } }],
  ['one axis given', { ici: { tensor: 4 } }, 16, 1, { ici: { fsdp: 4, tensor: 4 }, dcn: {} }],
  ['all given', { ici: { fsdp: 4, tensor: 4 } }, 16, 1, { ici: { fsdp: 4, tensor: 4 }, dcn: {} }],
  ['fsdp over slices', { dcn: { fsdp: 2 } }, 16, 2, { ici: { fsdp: 16 }, dcn: { fsdp: 2 } }],
  ['another automatic axis', { ici: { fsdp: 2, data: -1 } }, 16, 1, { ici: { data: 8, fsdp: 2 }, dcn: {} }],
  ['ones', { ici: { fsdp: 1, data: 1, tensor: 1 } }, 1, 1, { ici: {}, dcn: {} }],
])('%s', (_, spec, devices, slices, mesh) => {
  expect(resolveMesh(spec, devices, slices)).toEqual(mesh);
});

test.each<[string, MeshSpec, number, number, string, string]>([
  [
    'a product that is too small',
    { ici: { fsdp: 8 } },
    16,
    1,
    'ici',
    'the ici axes multiply to the number of devices per slice: 16, not 8',
  ],
  [
    'an axis that leaves no whole number',
    { ici: { tensor: 3 } },
    16,
    1,
    'ici',
    'the fixed ici axes multiply to a divisor of 16 devices per slice, not to 3, so that fsdp (-1) can be filled in',
  ],
  [
    'two automatic axes, one of them by default',
    { ici: { tensor: -1 } },
    16,
    1,
    'ici',
    'at most one ici axis is -1, not fsdp and tensor (fsdp is -1 when left out)',
  ],
  [
    'more slices than there are',
    { dcn: { data: 2 } },
    16,
    1,
    'dcn',
    'the dcn axes multiply to the number of slices: 1, not 2',
  ],
  [
    'a fraction',
    { ici: { fsdp: 1.5 } },
    16,
    1,
    'ici.fsdp',
    'an axis is a whole number of at least 1, or -1 to be filled in',
  ],
  [
    'zero',
    { ici: { fsdp: 0 } },
    16,
    1,
    'ici.fsdp',
    'an axis is a whole number of at least 1, or -1 to be filled in',
  ],
])('fails on %s', (_, spec, devices, slices, path, rule) => {
  expect(resolveMesh(spec, devices, slices)).toMatchObject([{ path: path.split('.'), rule }]);
});

test('fails on an axis MaxText reads and ignores, and says what to use', () => {
  const spec = { ici: { sequence: 4 } } as unknown as MeshSpec;
  expect(resolveMesh(spec, 16, 1)).toEqual([
    {
      id: 'MESH_AXIS',
      path: ['ici', 'sequence'],
      value: 4,
      rule: `a mesh axis is one of ${MESH_AXES.join(', ')}; MaxText reads the sequence flags and ignores them`,
      fix: 'use context or tensor_sequence',
    },
  ]);
});

test('reports both families at once', () => {
  expect(resolveMesh({ ici: { fsdp: 8 }, dcn: { data: 3 } }, 16, 2)).toMatchObject([
    { path: ['ici'] },
    { path: ['dcn'] },
  ]);
});

const sizes = fc.constantFrom(1, 2, 3, 4, 5, 8, 16);
const axes = fc.dictionary(fc.constantFrom<MeshAxis>(...MESH_AXES), sizes, { maxKeys: 4 });

test('a mesh that resolves multiplies out to devices and slices, and keeps what was given', () => {
  fc.assert(
    fc.property(
      axes,
      axes,
      fc.constantFrom(1, 4, 16, 60, 256),
      fc.integer({ min: 1, max: 8 }),
      (ici, dcn, devices, slices) => {
        const mesh = resolveMesh({ ici, dcn }, devices, slices);
        if (isProblemList(mesh)) {
          const fills = (
            given: Partial<Record<MeshAxis, number>>,
            open: MeshAxis,
            target: number,
          ): boolean => {
            const product = Object.values(given).reduce((all, size) => all * size, 1);
            return given[open] === undefined ? target % product === 0 : product === target;
          };
          return !fills(ici, 'fsdp', devices) || !fills(dcn, 'data', slices);
        }
        const product = (given: Partial<Record<MeshAxis, number>>): number =>
          Object.values(given).reduce((all, size) => all * size, 1);
        const kept = (
          given: Partial<Record<MeshAxis, number>>,
          out: Partial<Record<MeshAxis, number>>,
        ): boolean => (Object.keys(given) as MeshAxis[]).every((axis) => (out[axis] ?? 1) === given[axis]);
        return (
          product(mesh.ici) === devices &&
          product(mesh.dcn) === slices &&
          kept(ici, mesh.ici) &&
          kept(dcn, mesh.dcn)
        );
      },
    ),
  );
});

test('arguments name what is given, in MaxText’s order, and nothing else', () => {
  expect(maxtextMeshArguments({ ici: { tensor: 4, fsdp: -1 }, dcn: { fsdp: 2, data: 1 } })).toEqual([
    'ici_fsdp_parallelism=-1',
    'ici_tensor_parallelism=4',
    'dcn_data_parallelism=1',
    'dcn_fsdp_parallelism=2',
  ]);
  expect(maxtextMeshArguments({})).toEqual([]);
});

test('an elastic run has a mesh at every size', () => {
  expect(resolveMeshes({ ici: { fsdp: 16 }, dcn: { data: 1, fsdp: -1 } }, 16, { min: 1, max: 3 })).toEqual([
    { slices: 1, mesh: { ici: { fsdp: 16 }, dcn: {} } },
    { slices: 2, mesh: { ici: { fsdp: 16 }, dcn: { fsdp: 2 } } },
    { slices: 3, mesh: { ici: { fsdp: 16 }, dcn: { fsdp: 3 } } },
  ]);
});

test('fails on an elastic run whose dcn axes are all fixed', () => {
  expect(resolveMeshes({ dcn: { data: 2 } }, 16, { min: 2, max: 4 })).toMatchObject([
    { path: ['dcn'], rule: expect.stringContaining('exactly one dcn axis automatic') as string },
  ]);
});

test('fails once on an elastic run with a size at which the mesh does not multiply out', () => {
  expect(resolveMeshes({ dcn: { fsdp: 2 } }, 16, { min: 2, max: 5 })).toMatchObject([{ path: ['dcn'] }]);
});

test('devices of an axis are those within and across slices', () => {
  const mesh = resolved({ ici: { fsdp: 4, tensor: 4 }, dcn: { fsdp: 2, data: 1 } }, 16, 2);
  expect(axisDevices(mesh, 'fsdp')).toBe(8);
  expect(axisDevices(mesh, 'tensor')).toBe(4);
  expect(axisDevices(mesh, 'data')).toBe(1);
  expect([describeAxes(mesh.ici), describeAxes({})]).toEqual(['fsdp 4 x tensor 4', '1']);
});
