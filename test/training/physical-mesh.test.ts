import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPhysicalMesh } from '../../lib/training/maxtext/physical-mesh';

/** Generation, topology, sizes of the axes data, fsdp and tensor, and whether JAX laid them out. */
type RecordedMesh = readonly [string, string, readonly number[], boolean];

/** What JAX 0.12.0 does; made by compile_check/record_meshes.py. */
const RECORDED = JSON.parse(
  readFileSync(join(__dirname, 'jax-meshes.json'), 'utf8'),
) as readonly RecordedMesh[];

test.each(RECORDED)('%s %s with axes %j: %s', (generation, topology, [data = 1, fsdp, tensor], accepted) => {
  const mesh = {
    ici: { data, ...(fsdp === undefined ? {} : { fsdp }), ...(tensor === undefined ? {} : { tensor }) },
    dcn: {},
  };
  const slice = { generation, topology, devicesPerChip: generation === 'tpu7x' ? 2 : 1 };
  expect(checkPhysicalMesh(mesh, slice)).toHaveLength(accepted ? 0 : 1);
});

test('says what cannot be covered and what to do', () => {
  const slice = { generation: 'v6e', topology: '4x4', devicesPerChip: 1 };
  expect(checkPhysicalMesh({ ici: { fsdp: 2, tensor: 8 }, dcn: {} }, slice)).toEqual([
    {
      id: 'MESH_PHYSICAL',
      path: ['ici'],
      value: 'fsdp 2 x tensor 8',
      rule: 'each ici axis covers whole dimensions of the 4x4 slice, and nothing of it is left for tensor 8',
      fix: 'use other sizes, or add allow_split_physical_axes=true to the arguments (slower links)',
    },
  ]);
});
