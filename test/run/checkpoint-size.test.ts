import type { VolumeSpec } from '../../lib/run';
import { AUTOPILOT, PLATFORM, RUN, TORCH, trainingRun } from '../support/training-run';

const DATA = { kind: 'gcs-fuse', mountPath: '/data' } as const;

/** What is said of the volumes. */
function said(change: object, platform = AUTOPILOT): string[] {
  return trainingRun({ ...RUN, ...change }, platform)
    .warnings.filter(({ path }) => path[0] === 'volumes')
    .map(({ message }) => message);
}

test('B14: a checkpoint larger than the disk of an Autopilot sidecar is a warning with its size', () => {
  // 8.03 billion parameters x 12 bytes.
  expect(said({})).toEqual([
    'one checkpoint has 96 GB, 24 GB per host, and Autopilot limits the FUSE sidecar to 10Gi of disk, which holds what is not uploaded yet: raise sidecar.ephemeralStorageLimit, add the mount option enable-streaming-writes, or write to gs://',
  ]);
});

test.each<[string, object]>([
  ['the limit is large enough', { volumes: [{ ...DATA, sidecar: { ephemeralStorageLimit: '30Gi' } }] }],
  ['writes are streamed', { volumes: [{ ...DATA, mountOptions: ['write:enable-streaming-writes:true'] }] }],
  ['nothing is saved', { trainer: { ...RUN.trainer, checkpointing: { enabled: false } } }],
  ['checkpoints go past the mount', { trainer: { ...RUN.trainer, baseOutputDirectory: 'gs://my-bucket/x' } }],
])('B14: nothing is said where %s', (_what, change) => {
  expect(said(change)).toEqual([]);
});

test('B14: the limit of any volume counts, for the sidecar is one', () => {
  const other: VolumeSpec = {
    ...DATA,
    mountPath: '/o',
    onlyDir: 'o',
    sidecar: { ephemeralStorageLimit: '5Gi' },
  };
  expect(said({ volumes: [DATA, other] })).toEqual([expect.stringContaining('to 5Gi of disk')]);
});

test('B14: Standard has no such limit, and a trainer whose state is not counted nothing to compare', () => {
  expect(said({}, PLATFORM)).toEqual([]);
  expect(said({ ...TORCH, volumes: [DATA] })).toEqual([]);
});
