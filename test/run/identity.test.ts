import { submissionIdOf } from '../../lib/run';
import type { PlatformSpec, RunContents, RunSpec } from '../../lib/run';
import { PLATFORM, RUN, TWO_SLICES, trainingRun } from '../support/training-run';

const idOf = (spec: RunSpec, platform: PlatformSpec = PLATFORM): string =>
  trainingRun(spec, platform).submissionId;

const BASE = idOf(RUN);

test('field report 9: the same input gives the same id', () => {
  expect(idOf(structuredClone(RUN))).toBe(BASE);
  expect(BASE).toMatch(/^train-[0-9a-f]{8}$/);
});

test.each<[string, RunSpec]>([
  ['the image', { ...RUN, image: 'registry.example/maxtext:2' }],
  ['an option of the trainer', { ...RUN, trainer: { ...RUN.trainer, steps: 101 } }],
  ['an argument of the trainer', { ...RUN, trainer: { ...RUN.trainer, arguments: ['dtype=bfloat16'] } }],
  ['the environment of the trainer', { ...RUN, trainer: { ...RUN.trainer, env: { A: 'b' } } }],
  ['the environment of the pods', { ...RUN, env: { A: 'b' } }],
  ['a Secret in it', { ...RUN, env: { A: { secretName: 'b', key: 'c' } } }],
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
  expect(idOf(spec)).not.toBe(BASE);
});

test('the generation and the machine type change it', () => {
  const contents: RunContents = {
    image: 'image',
    command: ['python3'],
    environment: {},
    generation: 'v6e',
    topology: '2x4',
    machineType: 'ct6e-standard-4t',
    slices: { min: 1, max: 1 },
  };
  const ids = [
    contents,
    { ...contents, generation: 'v5e' },
    { ...contents, machineType: 'ct6e-standard-8t' },
    { ...contents, slices: { min: 1, max: 2 } },
  ].map((changed) => submissionIdOf('run', changed));
  expect(new Set(ids).size).toBe(4);
});

test('a default written out does not', () => {
  expect(idOf({ ...RUN, ray: { version: '2.60.0' }, tpu: { ...RUN.tpu, slices: 1 } })).toBe(BASE);
});

test('the order of keys does not', () => {
  const { trainer, ...rest } = RUN;
  const turned = Object.fromEntries(Object.entries(trainer).reverse()) as unknown as RunSpec['trainer'];
  expect(idOf({ ...rest, trainer: turned })).toBe(BASE);
});
