import { ApiObject, Chart, JsonPatch, Testing } from 'cdk8s';
import type { App } from 'cdk8s';
import { Construct } from 'constructs';
import { createProjectApp } from '../../lib/charts';
import { TpuRayCluster } from '../../lib/constructs';
import { TrainerSourceFiles, resolvePlatform } from '../../lib/run';
import type { PlatformSpec, RunSpec } from '../../lib/run';
import { CLUSTER } from '../support/constructs';
import { AUTOPILOT, TWO_SLICES, trainingRun } from '../support/training-run';

const PLATFORM: PlatformSpec = { ...AUTOPILOT, namespace: 'training', ownNamespace: true };

const SPEC: RunSpec = {
  ...TWO_SLICES,
  volumes: [{ kind: 'gcs-fuse', mountPath: '/data', form: 'persistent-volume' }],
  submitter: { onFinish: 'deleteCluster' },
};

function newApp(): App {
  const run = trainingRun(SPEC, PLATFORM);
  const sources = new TrainerSourceFiles('maxtext', { 'tpu_trainers/maxtext.py': 'print("x")\n' });
  return createProjectApp({
    platform: resolvePlatform(PLATFORM).platform,
    runs: [run],
    sources: new Map([['maxtext', sources]]),
    outdir: 'unused',
  });
}

function apiObjectsOf(root: Construct): ApiObject[] {
  return root.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
}

const KINDS = [
  'ComputeClass',
  'ConfigMap',
  'Job',
  'Namespace',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'RayCluster',
  'ResourceClaimTemplate',
  'Role',
  'RoleBinding',
  'ServiceAccount',
];

test('the project has an object of every kind that is written here', () => {
  expect([...new Set(apiObjectsOf(newApp()).map(({ kind }) => kind))].sort()).toEqual(KINDS);
});

test.each(KINDS)('field report 70: a patch and a field nobody knows reach the manifest of a %s', (kind) => {
  const object = apiObjectsOf(newApp()).find((candidate) => candidate.kind === kind);
  const before = object?.toJson() as object;
  object?.addJsonPatch(
    JsonPatch.add('/futureField', { nested: ['kept', 1, '4', {}] }),
    JsonPatch.add('/metadata/annotations', { 'example.com/note': 'kept' }),
  );
  expect(object?.toJson()).toMatchObject({
    futureField: { nested: ['kept', 1, '4', {}] },
    metadata: { annotations: { 'example.com/note': 'kept' } },
  });
  expect(Object.keys(object?.toJson() as object)).toEqual(expect.arrayContaining(Object.keys(before)));
});

test('field report 75: moved below another construct, every object keeps its name', () => {
  const app = Testing.app({ outdir: 'unused' });
  const chart = new Chart(app, 'elsewhere');
  const parent = new Construct(new Construct(chart, 'team'), 'stack');
  const moved = new TpuRayCluster(parent, 'other-id', CLUSTER);
  const plain = new TpuRayCluster(new Chart(Testing.app({ outdir: 'unused' }), 'chart'), 'cluster', CLUSTER);
  expect(moved.apiObject.toJson()).toEqual(plain.apiObject.toJson());
});
