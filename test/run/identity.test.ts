import type { RunSpec } from '../../lib/run';
import { identityOf } from '../../lib/run';
import type { PlatformSpec } from '../../lib/run';
import { PLATFORM, RUN, TWO_SLICES, trainingRun } from '../support/training-run';

const SOURCES = 'digest-1';

function jobOf(spec: RunSpec, platform: PlatformSpec = PLATFORM, sources = SOURCES): string {
  return trainingRun(spec, platform).identity(sources).jobName;
}

const BASE = jobOf(RUN);

test('field report 9: the same input gives the same name', () => {
  expect(jobOf(structuredClone(RUN))).toBe(BASE);
  expect(BASE).toMatch(/^train-[0-9a-f]{8}$/);
});

test('field report 3: the submission id is the name of the Job', () => {
  const { jobName, submissionId } = trainingRun().identity(SOURCES);
  expect(submissionId).toBe(jobName);
});

test.each<[string, RunSpec]>([
  ['the image', { ...RUN, image: 'registry.example/maxtext:2' }],
  ['an option of the trainer', { ...RUN, trainer: { ...RUN.trainer, steps: 101 } }],
  ['an argument of the trainer', { ...RUN, trainer: { ...RUN.trainer, arguments: ['dtype=bfloat16'] } }],
  ['the environment of the trainer', { ...RUN, trainer: { ...RUN.trainer, env: { A: 'b' } } }],
  [
    'the topology',
    {
      ...RUN,
      tpu: { generation: 'v6e', topology: '4x8' },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 32 } } },
    },
  ],
  ['the number of slices', TWO_SLICES],
  ['the run id', { ...RUN, runId: 'again' }],
  ['the name', { ...RUN, name: 'other' }],
])('field report 9: %s changes it', (_, spec) => {
  expect(jobOf(spec)).not.toBe(BASE);
});

test('field report 9: the sources change it', () => {
  expect(jobOf(RUN, PLATFORM, 'digest-2')).not.toBe(BASE);
});

test('the generation and the machine type change it', () => {
  const input = {
    sources: SOURCES,
    image: 'image',
    command: ['python3'],
    generation: 'v6e',
    topology: '2x4',
    machineType: 'ct6e-standard-4t',
    slices: { min: 1, max: 1 },
  };
  const hashes = [
    input,
    { ...input, generation: 'v5e' },
    { ...input, machineType: 'ct6e-standard-8t' },
    { ...input, slices: { min: 1, max: 2 } },
  ].map((changed) => identityOf('run', changed).jobName);
  expect(new Set(hashes).size).toBe(4);
});

test.each<[string, RunSpec, PlatformSpec?]>([
  ['the environment of the pods', { ...RUN, env: { A: 'b' } }],
  ['resources', { ...RUN, resources: { worker: { cpu: '10', memory: '100Gi' } } }],
  [
    'deadlines and policies',
    {
      ...RUN,
      submitter: { startDeadline: '1h', onActiveRun: 'replace', onFinish: 'deleteCluster', backoffLimit: 0 },
    },
  ],
  ['the capacity', { ...RUN, tpu: { ...RUN.tpu, capacity: { kind: 'spot' } } }],
  ['a machine type that is the only one', { ...RUN, tpu: { ...RUN.tpu, machineType: 'ct6e-standard-4t' } }],
  [
    'another volume',
    { ...RUN, volumes: [...RUN.volumes, { kind: 'empty-dir', mountPath: '/scratch', size: '10Gi' }] },
  ],
  ['the user', { ...RUN, user: { uid: 2000, gid: 2000 } }],
  ['the pull policy', { ...RUN, imagePullPolicy: 'Always' }],
  [
    'the platform',
    RUN,
    {
      ...PLATFORM,
      namespace: 'training',
      kubeRayVersion: '1.7.0',
      cluster: { ...PLATFORM.cluster, name: 'other', version: '1.36.0-gke.1' },
    },
  ],
  ['a default written out', { ...RUN, ray: { version: '2.60.0' }, tpu: { ...RUN.tpu, slices: 1 } }],
])('%s does not', (...[, spec, platform]) => {
  expect(jobOf(spec, platform)).toBe(BASE);
});

test('the order of keys does not', () => {
  const { trainer, ...rest } = RUN;
  const turned = Object.fromEntries(Object.entries(trainer).reverse()) as unknown as RunSpec['trainer'];
  expect(jobOf({ ...rest, trainer: turned })).toBe(BASE);
});
