import { volumeHandles } from '../../lib/manifest-rules/volume-handles';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { problemsOf } from '../support/manifest-rule';
import { renderProject } from '../support/render-project';
import { sampleObjects } from '../support/sample-objects';

/** A pod with two claims, each bound to a PersistentVolume with a handle. */
function pod(first: string, second: string, claims: readonly [string, string] = ['a', 'b']): object[] {
  const volume = (name: string, volumeHandle: string): object => ({
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeHandle } },
  });
  const claim = (name: string): object => ({
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'train' },
    spec: { volumeName: name },
  });
  return [
    volume('a', first),
    volume('b', second),
    claim('a'),
    claim('b'),
    {
      kind: 'Pod',
      metadata: { name: 'pod', namespace: 'train' },
      spec: {
        containers: [],
        volumes: claims.map((claimName, index) => ({
          name: `v${String(index)}`,
          persistentVolumeClaim: { claimName },
        })),
      },
    },
  ];
}

test('B1: volumes with handles of their own pass', () => {
  expect(problemsOf(volumeHandles, sampleObjects())).toEqual([]);
  expect(problemsOf(volumeHandles, pod('bucket', 'bucket:b'))).toEqual([]);
});

test.each([
  ['two PersistentVolumes on one bucket', pod('bucket', 'bucket'), 'b'],
  ['one claim mounted twice', pod('bucket', 'other', ['a', 'a']), 'a'],
  ['a claim of elsewhere mounted twice', pod('bucket', 'other', ['x', 'x']), 'x'],
])('B1: fails for %s', (_what, objects, value) => {
  expect(problemsOf(volumeHandles, objects)).toMatchObject([
    { path: 'spec.volumes[1].persistentVolumeClaim.claimName', value },
  ]);
});

test('B1: two PersistentVolumes of a run on one bucket are rendered with handles of their own', () => {
  const volume = (folder: string): string =>
    `  - kind: gcs-fuse\n    mountPath: /${folder}\n    onlyDir: ${folder}\n    form: persistent-volume\n`;
  const run = edited(RUN_YAML, ['volumes:\n', `volumes:\n${volume('a')}${volume('b')}`]);
  const { objects } = renderProject(PLATFORM_YAML, { train: run });
  expect(problemsOf(volumeHandles, objects)).toEqual([]);
  expect(JSON.stringify(objects)).toContain('"volumeHandle":"my-bucket:1"');
});
