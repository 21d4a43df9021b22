import { pathText } from '../../lib/problems';
import fc from 'fast-check';
import { TrainingRun, resolvePlatform } from '../../lib/run';
import type { RunSpec } from '../../lib/run';
import { resolveSlice, isProblems } from '../../lib/tpu';
import { chooseMesh } from '../../lib/training/maxtext/default-mesh';
import { renderArguments } from '../../lib/training/maxtext/rendered-arguments';
import { OWNED_ARGUMENTS } from '../../lib/training/maxtext/owned-arguments';
import type { MaxTextTrainerSpec } from '../../lib/training/maxtext/spec';
import options from '../../lib/training/maxtext/options.json';
import { EXTRA_PACKAGES } from '../../lib/training/maxtext/judge';
import { PLATFORM } from '../support/training-run';

/**
 * Prints runs with synth's verdict and the arguments that MaxText would get, as JSON lines: every model that MaxText knows with nothing but
 * what a run must have, and COUNT generated runs. agree.py asks MaxText.
 *
 * usage: tsx test/maxtext/cases.ts COUNT SEED [MODELS]   (only every MODELS-th model)
 */

/** A case as agree.py reads it. */
interface Case {
  readonly name: string;
  readonly arguments: readonly string[];
  readonly devices: number;
  readonly slices: number;
  /** Why synth refuses the run; none where it accepts it. */
  readonly problems: readonly string[];
}

interface Option {
  readonly kinds: readonly string[];
  readonly default?: unknown;
}

const KEYS = options.keys as Readonly<Record<string, Option>>;
const MODELS = Object.keys(options.models);

/** Keys that synth judges by more than MaxText's configuration does: packages of the image, and what must not stand on a command line. */
const STRICTER = new Set([...Object.keys(EXTRA_PACKAGES), 'hf_access_token']);

const PLAIN_KEYS = Object.keys(KEYS).filter(
  (key) =>
    !OWNED_ARGUMENTS.has(key) && !STRICTER.has(key) && !key.includes('.') && KEYS[key]?.default !== undefined,
);

/** Keys with values that MaxText's rules between keys do not touch. */
const VARIED: Readonly<Record<string, readonly string[]>> = {
  learning_rate: ['1e-5', '3.0e-4', '1', "'0.1'"],
  adam_b1: ['0.8', '0.95'],
  gradient_clipping_threshold: ['0', '1.5'],
  log_period: ['10', '250'],
  packing: ['true', 'yes', 'False', '1'],
  dtype: ['bfloat16', 'float32'],
  enable_goodput_recording: ['false', 'off'],
  'lora.enable_lora': ['false'],
  tokenizer_path: ['gs://my-bucket/tokenizer', '/data/tokenizer'],
  allow_split_physical_axes: ['true'],
  gradient_accumulation_steps: ['1', '4'],
  scan_layers: ['false'],
  attention: ['dot_product'],
  use_tokamax_splash: ['true'],
  data_shuffle_seed: ['7', '0x10'],
  eval_interval: ['-1'],
};

/** Values that some kind does not take. */
const WRONG = ['fast', 'bf16', 'yess', '-1.5', '2.5', '7', 'none', '', '[1, a]', 'true', 'a b'];

const argument = fc.oneof(
  fc.constantFrom(
    ...Object.entries(VARIED).flatMap(([key, values]) => values.map((value) => `${key}=${value}`)),
  ),
  fc.constantFrom(...PLAIN_KEYS).map((key) => `${key}=${scalar(KEYS[key]?.default)}`),
  fc
    .tuple(fc.constantFrom(...PLAIN_KEYS), fc.constantFrom(...WRONG))
    .filter(([key, value]) => isOfNoKind(key, value))
    .map(([key, value]) => `${key}=${value}`),
  fc.constantFrom('lerning_rate=1e-5', 'adam_b3=0.1', 'max_target_len=4', 'lora.enable=true'),
);

const data = fc.constantFrom<Pick<MaxTextTrainerSpec, 'datasetType' | 'arguments'>>(
  {},
  {},
  {},
  { datasetType: 'synthetic' },
  { datasetType: 'hf' },
  { datasetType: 'hf', arguments: ['hf_path=allenai/c4'] },
  {
    datasetType: 'hf',
    arguments: ['hf_path=parquet', 'hf_train_files=gs://my-bucket/a.parquet', 'eval_interval=5'],
  },
  { datasetType: 'grain' },
  { datasetType: 'grain', arguments: ['grain_train_files=/data/*.array_record'] },
  { datasetType: 'grain', arguments: ['hf_path=parquet', 'grain_file_type=parquet'] },
  { datasetType: 'grain', arguments: ['grain_file_type=tfrecord', 'dataset_path=gs://my-bucket/c4'] },
);

const trainer = fc
  .record({
    model: fc.constantFrom(...MODELS),
    data,
    more: fc.uniqueArray(argument, { maxLength: 3, selector: (text) => text.split('=')[0] }),
    maxTargetLength: fc.option(fc.constantFrom(512, 1024, 2048, 4096), { nil: undefined }),
    perDeviceBatchSize: fc.option(fc.constantFrom(1, 2, 4), { nil: undefined }),
    weightDtype: fc.option(fc.constantFrom('float32' as const, 'bfloat16' as const), { nil: undefined }),
    period: fc.option(fc.constantFrom(50, 100), { nil: undefined }),
    override: fc.boolean(),
  })
  .map(({ model, data: own, more, period, override, ...rest }): MaxTextTrainerSpec => {
    const keys = new Set((own.arguments ?? []).map((text) => text.split('=')[0]));
    const needs =
      (options.models as Readonly<Record<string, { needs?: readonly (readonly string[])[] }>>)[model]
        ?.needs?.[0] ?? [];
    const given = [...(own.arguments ?? []), ...more.filter((text) => !keys.has(text.split('=')[0]))];
    const missing = needs.filter(
      (text) => !given.some((other) => other.split('=')[0] === text.split('=')[0]),
    );
    return {
      kind: 'maxtext',
      model,
      steps: 10,
      baseOutputDirectory: 'gs://my-bucket/out',
      ...rest,
      ...(own.datasetType === undefined ? {} : { datasetType: own.datasetType }),
      ...(period === undefined ? {} : { checkpointing: { period } }),
      arguments: [...given, ...missing, ...(override ? ['override_model_config=true'] : [])],
    };
  });

/** A value that is of no kind that the key takes, by the words of the kinds alone: the test must not ask the code under test. */
function isOfNoKind(key: string, value: string): boolean {
  const kinds = KEYS[key]?.kinds ?? [];
  if (kinds.length === 0 || kinds.includes('str') || kinds.includes('list') || kinds.includes('map'))
    return false;
  if (['none', ''].includes(value)) return !kinds.includes('null');
  const isNumber = Number.isFinite(Number(value));
  const isWhole = isNumber && Number.isInteger(Number(value));
  if (kinds.includes('float')) return !isNumber && value !== 'true';
  if (kinds.includes('int')) return !isWhole && value !== 'true';
  return !['true'].includes(value);
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? (value === '' ? "''" : JSON.stringify(value)) : String(value);
}

/** A slice on which the size of a model is no matter. */
const TPU = { generation: 'v5p', topology: '8x8x16' } as const;

function caseOf(name: string, spec: MaxTextTrainerSpec): Case {
  const slice = resolveSlice(TPU);
  if (isProblems(slice)) throw new Error('the slice of the cases has Problems');
  const run: RunSpec = { name: 'case', tpu: TPU, image: 'registry.example/maxtext:1', trainer: spec };
  const { problems } = TrainingRun.check(resolvePlatform(PLATFORM).platform, run);
  const { mesh } = chooseMesh(spec.mesh ?? {}, { slice, slices: { min: 1, max: 1 } }, undefined);
  return {
    name,
    arguments: renderArguments(spec, { runName: 'case' }, { mesh }).map(
      ({ key, value }) => `${key}=${value}`,
    ),
    devices: slice.devices,
    slices: 1,
    // How a model divides over devices JAX says when it lays it out, which needs the devices: test/training/memory.test.ts has that.
    problems: problems
      .filter(({ path }) => pathText(path) !== 'trainer.mesh')
      .map(({ path, rule }) => `${pathText(path)}: ${rule}`),
  };
}

function main([count = '300', seed = '1', stride = '1']: readonly string[]): void {
  const models = MODELS.filter((_, index) => (index + Number(seed)) % Number(stride) === 0).map((model) =>
    caseOf(`model ${model}`, {
      kind: 'maxtext',
      model,
      steps: 10,
      baseOutputDirectory: 'gs://my-bucket/out',
    }),
  );
  const generated = fc
    .sample(trainer, { numRuns: Number(count), seed: Number(seed) })
    .map((spec, index) => caseOf(`run ${String(index)} ${JSON.stringify(spec)}`, spec));
  for (const one of [...models, ...generated]) process.stdout.write(`${JSON.stringify(one)}\n`);
}

main(process.argv.slice(2));
