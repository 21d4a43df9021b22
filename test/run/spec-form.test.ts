import { pathText } from '../../lib/problems';
import schema from '../../lib/config/schema.json';
import { ProblemsError, TrainingRun } from '../../lib/run';
import type { PlatformSpec, RunSpec } from '../../lib/run';
import { PLATFORM, RUN, TORCH, TWO_SLICES } from '../support/training-run';

/** What `of` throws, as paths; the spec is anything, as JavaScript would pass it. */
function refused(spec: unknown, platform: unknown = PLATFORM): string[] {
  try {
    TrainingRun.of(platform as PlatformSpec, spec as RunSpec);
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    expect(error.message).not.toBe('');
    for (const { rule, fix } of error.problems) {
      expect(rule).not.toBe('');
      expect(fix).not.toBe('');
    }
    return error.problems.map(({ path }) => pathText(path));
  }
  return [];
}

const withTpu = (slices: unknown): unknown => ({ ...RUN, tpu: { ...RUN.tpu, slices } });
const withTrainer = (change: object): unknown => ({ ...RUN, trainer: { ...RUN.trainer, ...change } });

describe('a TypeScript user is told what a YAML file would be told', () => {
  test.each<[what: string, spec: unknown, ...paths: string[]]>([
    ['no slices', withTpu(0), 'tpu.slices'],
    ['negative slices', withTpu(-1), 'tpu.slices'],
    ['NaN slices', withTpu(NaN), 'tpu.slices'],
    ['a range from 0', withTpu({ min: 0, max: 1 }), 'tpu.slices'],
    ['a range from NaN', withTpu({ min: NaN, max: 1 }), 'tpu.slices'],
    ['more slices than a cluster has pools', withTpu(1025), 'tpu.slices'],
    ['no steps', withTrainer({ steps: 0 }), 'trainer.steps'],
    ['negative steps', withTrainer({ steps: -5 }), 'trainer.steps'],
    ['half a step', withTrainer({ steps: 1.5 }), 'trainer.steps'],
    ['NaN steps', withTrainer({ steps: NaN }), 'trainer.steps'],
    ['endless steps', withTrainer({ steps: Infinity }), 'trainer.steps'],
    ['steps beyond what is counted exactly', withTrainer({ steps: 2 ** 53 }), 'trainer.steps'],
    ['no tokens', withTrainer({ maxTargetLength: 0 }), 'trainer.maxTargetLength'],
    ['NaN tokens', withTrainer({ maxTargetLength: NaN }), 'trainer.maxTargetLength'],
    ['no batch', withTrainer({ perDeviceBatchSize: 0 }), 'trainer.perDeviceBatchSize'],
    ['a batch beyond measure', withTrainer({ perDeviceBatchSize: 1e300 }), 'trainer.perDeviceBatchSize'],
    ['a period of 0', withTrainer({ checkpointing: { period: 0 } }), 'trainer.checkpointing.period'],
    [
      'a period beyond measure',
      withTrainer({ checkpointing: { period: 1e30 } }),
      'trainer.checkpointing.period',
    ],
    ['failures without end', withTrainer({ maxFailures: 99_999_999_999 }), 'trainer.maxFailures'],
    ['root', { ...RUN, user: { uid: 0, gid: 0 } }, 'user.uid', 'user.gid'],
    ['a negative back-off', { ...RUN, submitter: { backoffLimit: -1 } }, 'submitter.backoffLimit'],
    ['a back-off beyond 31 bits', { ...RUN, submitter: { backoffLimit: 3e9 } }, 'submitter.backoffLimit'],
    ['a misspelt key', { ...RUN, imagePullPolcy: 'Always' }, 'imagePullPolcy'],
    ['a misspelt key further down', withTrainer({ stpes: 1 }), 'trainer.stpes'],
    ['no such end', { ...RUN, submitter: { onFinish: 'explode' } }, 'submitter.onFinish'],
    ['no such network', { ...TWO_SLICES, network: { mode: 'wifi' } }, 'network.mode'],
    ['no such capacity', { ...RUN, tpu: { ...RUN.tpu, capacity: { kind: 'free' } } }, 'tpu.capacity.kind'],
    ['no such trainer', { ...RUN, trainer: { kind: 'foo' } }, 'trainer.kind'],
    ['a variable that is a number', { ...RUN, env: { A: 1 } }, 'env.A'],
    ['a variable that is a function', { ...RUN, env: { A: () => 1 } }, 'env.A'],
    ['no tpu', { ...RUN, tpu: undefined }, 'tpu'],
    ['no image', { ...RUN, image: undefined }, 'image'],
    ['no name', { ...RUN, name: undefined }, 'name'],
    ['nothing', undefined, ''],
    [
      'a learning rate of 0',
      { ...TORCH, trainer: { kind: 'torchtpu-finetune', storagePath: 'gs://a-bucket', learningRate: 0 } },
      'trainer.learningRate',
    ],
  ])('%s', (_, spec, ...paths) => {
    expect(refused(spec)).toEqual(paths);
  });

  test('of the platform too', () => {
    expect(refused(RUN, { ...PLATFORM, cluster: undefined })).toEqual(['platform.cluster']);
    expect(refused(RUN, { ...PLATFORM, cluster: { ...PLATFORM.cluster, mode: 'big' } })).toEqual([
      'platform.cluster.mode',
    ]);
    expect(refused(RUN, { ...PLATFORM, project: 7, zone: 'x' })).toEqual([
      'platform.project',
      'platform.zone',
    ]);
    expect(refused(RUN, null)).toEqual(['platform']);
  });

  test('all at once, of both, and nothing of what was only assumed', () => {
    const spec = {
      ...RUN,
      image: 'a b',
      stepz: 1,
      user: { uid: 0, gid: 100 },
      trainer: { ...RUN.trainer, steps: -5, maxFailures: Infinity, model: 'llama4-8b' },
    };
    expect(refused(spec, { ...PLATFORM, region: 'europe', zone: 1 }).sort()).toEqual([
      'image',
      'platform.region',
      'platform.zone',
      'stepz',
      'trainer.maxFailures',
      'trainer.model',
      'trainer.steps',
      'user.uid',
    ]);
  });

  test('a number where text is due is told with what the text would have to be', () => {
    let thrown: unknown;
    try {
      TrainingRun.of(PLATFORM, { ...RUN, resources: { head: { memory: 16 } } } as unknown as RunSpec);
    } catch (error) {
      thrown = error;
    }
    expect((thrown as ProblemsError).message).toBe(
      'resources.head.memory: 16: it is text: memory is counted in bytes, at least 16Mi; the suffix m means thousandths of a byte; write it as in 16Gi [RESOURCE_QUANTITY]',
    );
  });
});

type Part = Readonly<Record<string, unknown>>;

/** Every part of the schema that is a number. */
function numbersOf(part: unknown, path: string): { readonly path: string; readonly part: Part }[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = part as Part;
  const isNumber = own['type'] === 'integer' || own['type'] === 'number';
  return [
    ...(isNumber ? [{ path, part: own }] : []),
    ...Object.entries(own).flatMap(([key, value]) => numbersOf(value, `${path}.${key}`)),
  ];
}

test('every number of the schema has a least and a most that are held exactly', () => {
  const numbers = numbersOf(schema.definitions, '');
  expect(numbers.length).toBeGreaterThan(15);
  for (const { path, part } of numbers) {
    const least = part['minimum'] ?? part['exclusiveMinimum'];
    expect([path, Number.isSafeInteger(least), Number.isSafeInteger(part['maximum'])]).toEqual([
      path,
      true,
      true,
    ]);
  }
});
