import { TrainerSubmitter } from '../../lib/constructs';
import type { TrainerSubmitterProps } from '../../lib/constructs';
import { JsonPatch } from 'cdk8s';
import type { ApiObject, Chart } from 'cdk8s';
import { MUTABLE_JOB_FIELDS } from '../../lib/run';
import { newChart, newCluster, newSources, objectsOf, yamlOf } from '../support/constructs';

const SUBMITTER: TrainerSubmitterProps['submitter'] = {
  startDeadlineSeconds: 3600,
  onActiveRun: 'fail',
  onFinish: 'keep',
  onTermination: 'detach',
  backoffLimit: 3,
  nodeSelector: {},
};

function newSubmitter(chart: Chart, change: Partial<TrainerSubmitterProps> = {}): TrainerSubmitter {
  return new TrainerSubmitter(chart, 'submitter', {
    runName: 'train',
    namespace: 'training',
    submissionId: 'train-1a2b3c4d',
    cluster: newCluster(chart),
    sources: newSources(chart),
    command: ['python3', '-m', 'tpu_trainers.maxtext'],
    image: 'registry.example/maxtext:1',
    serviceAccountName: 'trainer',
    wait: { slices: 1, hostsPerSlice: 4, podType: 'v6e-16', tpuPerHost: 4 },
    submitter: SUBMITTER,
    resources: { cpu: '100m', cpuLimit: '1', memory: '256Mi', sharedMemory: '128Mi' },
    ...change,
  });
}

function job(change: Partial<TrainerSubmitterProps> = {}): string {
  const { chart } = newChart();
  newSubmitter(chart, change);
  return yamlOf(chart)
    .split('---\n')
    .filter((text) => /^kind: (Job|Role|RoleBinding)$/m.test(text))
    .join('---\n');
}

test('field report 69: with what it needs at least, every default is written', () => {
  expect(job()).toMatchSnapshot();
});

test.each<[Partial<TrainerSubmitterProps>, string]>([
  [{ submitter: { ...SUBMITTER, backoffLimit: -1 } }, 'submitter.backoffLimit: -1'],
  [{ submitter: { ...SUBMITTER, backoffLimit: NaN } }, 'submitter.backoffLimit: NaN'],
  [{ submitter: { ...SUBMITTER, startDeadlineSeconds: 0 } }, 'submitter.startDeadlineSeconds: 0'],
  [{ submitter: { ...SUBMITTER, runDeadlineSeconds: Infinity } }, 'submitter.runDeadlineSeconds: Infinity'],
  [{ wait: { slices: NaN, hostsPerSlice: 4, podType: 'v6e-16', tpuPerHost: 4 } }, 'wait.slices: NaN'],
])('fails for %j', (change, message) => {
  expect(() => job(change)).toThrow(`${message}: a whole number from`);
});

test('with all props', () => {
  const { chart } = newChart();
  const props: Required<TrainerSubmitterProps> = {
    runName: 'train',
    namespace: 'training',
    submissionId: 'train-1a2b3c4d',
    cluster: newCluster(chart),
    sources: newSources(chart),
    command: ['python3', '-m', 'tpu_trainers.maxtext', '--', 'steps=1'],
    image: 'registry.example/maxtext:1',
    imagePullPolicy: 'Always',
    serviceAccountName: 'trainer',
    wait: { slices: 2, hostsPerSlice: 4, podType: 'v6e-16', tpuPerHost: 4 },
    submitter: {
      ...SUBMITTER,
      runDeadlineSeconds: 7200,
      onFinish: 'deleteCluster',
      onActiveRun: 'replace',
      onTermination: 'stop',
      nodeSelector: { pool: 'cpu' },
    },
    resources: { cpu: '1', cpuLimit: '2', memory: '1Gi', sharedMemory: '512Mi' },
    authTokenSecret: 'ray-token',
    annotations: { 'example.com/owner': 'research' },
  };
  new TrainerSubmitter(chart, 'submitter', props);
  const own = objectsOf(chart).filter(({ kind }) => kind !== 'RayCluster' && kind !== 'ConfigMap');
  expect(own).toMatchSnapshot();
});

test('field report 61: deleteCluster may delete its own RayCluster and no other', () => {
  const { chart } = newChart();
  newSubmitter(chart, { submitter: { ...SUBMITTER, onFinish: 'deleteCluster' } });
  const role = objectsOf(chart).find(({ kind }) => kind === 'Role');
  expect(role?.['rules']).toEqual([
    { apiGroups: ['ray.io'], resources: ['rayclusters'], resourceNames: ['train'], verbs: ['get', 'delete'] },
  ]);
  expect(objectsOf(chart).find(({ kind }) => kind === 'RoleBinding')).toMatchObject({
    subjects: [{ kind: 'ServiceAccount', name: 'trainer', namespace: 'training' }],
  });
});

test('field report 69: the token is mounted only where the submitter deletes', () => {
  expect(job()).toContain('automountServiceAccountToken: false');
  expect(job()).not.toContain('kind: Role');
  expect(job({ submitter: { ...SUBMITTER, onFinish: 'deleteCluster' } })).toContain(
    'automountServiceAccountToken: true',
  );
});

test('A13: repairSlices may list and delete pods of the namespace, and nothing else', () => {
  const { chart } = newChart();
  newSubmitter(chart, { submitter: { ...SUBMITTER, repairSlices: true } });
  const roles = objectsOf(chart).filter(({ kind }) => kind === 'Role');
  expect(roles).toHaveLength(1);
  expect(roles[0]).toMatchObject({
    metadata: { namespace: 'training' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'delete'] }],
  });
  expect(yamlOf(chart)).toContain('- --repair-slices');
  expect(yamlOf(chart)).toContain('automountServiceAccountToken: true');
});

test('A3: every Job of a run mounts, under one name, what was applied last', () => {
  const { chart } = newChart();
  const { currentObject } = newSubmitter(chart);
  expect(currentObject.toJson()).toMatchObject({
    metadata: { name: 'train-current', namespace: 'training' },
    data: { 'current.json': '{"submission":"train-1a2b3c4d","onActiveRun":"fail"}\n' },
    immutable: false,
  });
  expect(job()).toContain('name: train-current');
  expect(job()).not.toContain('immutable: true');
});

test('field report 10: no TPU is asked for', () => {
  expect(job()).not.toMatch(/google\.com\/tpu|gke-tpu/);
});

test('field report 2: a verdict on the run ends the Job, a lost node does not', () => {
  const { chart } = newChart();
  newSubmitter(chart);
  expect(objectsOf(chart).find(({ kind }) => kind === 'Job')).toMatchObject({
    spec: {
      backoffLimit: 3,
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          { action: 'FailJob', onExitCodes: { containerName: 'submitter', operator: 'In' } },
        ],
      },
    },
  });
});

test('the token of Ray is a file of the submitter', () => {
  expect(job({ authTokenSecret: 'ray-token' })).toContain('secretName: ray-token');
});

describe('the name of the Job', () => {
  const nameOf = (change: Partial<TrainerSubmitterProps> = {}, patch?: (job: ApiObject) => void): string => {
    const { chart } = newChart();
    const submitter = newSubmitter(chart, change);
    patch?.(submitter.apiObject);
    return (submitter.apiObject.toJson() as { metadata: { name: string } }).metadata.name;
  };
  const NAME = nameOf();

  test('is the submission id with a hash, and the same for the same', () => {
    expect(NAME).toMatch(/^train-1a2b3c4d-[0-9a-f]{8}$/);
    expect(nameOf()).toBe(NAME);
  });

  test.each(['template/metadata/labels/team', 'template/spec/priorityClassName', 'completionMode'])(
    'A4: a patch of spec/%s changes it, since the API server would refuse the change',
    (path) => {
      expect(nameOf({}, (job) => job.addJsonPatch(JsonPatch.add(`/spec/${path}`, 'x')))).not.toBe(NAME);
    },
  );

  test.each(MUTABLE_JOB_FIELDS)('spec.%s does not: it is changed in place', (field) => {
    expect(nameOf({}, (job) => job.addJsonPatch(JsonPatch.add(`/spec/${field}`, 7)))).toBe(NAME);
  });

  test('annotations and labels of the Job do not', () => {
    expect(nameOf({ annotations: { 'example.com/owner': 'research' } })).toBe(NAME);
    expect(nameOf({}, (job) => job.metadata.addLabel('team', 'x'))).toBe(NAME);
  });
});
