import { pathText } from '../../lib/problems';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import schema from '../../lib/config/schema.json';
import type { RunSpec } from '../../lib/run';
import type { MaxTextTrainerSpec } from '../../lib/training';
import { EXTRA_PACKAGES, EXTRA_PACKAGES_OF_VALUES } from '../../lib/training/maxtext/judge';
import { MODEL_NAMES } from '../../lib/training/maxtext/model-catalogue';
import options from '../../lib/training/maxtext/options.json';
import { MAXTEXT_MODELS, readValue, valueRule } from '../../lib/training/maxtext/options';
import { maxTextOf } from '../support/maxtext-facts';
import { RUN, runProblems as quotedProblems, trainingRun } from '../support/training-run';

const ROOT = join(__dirname, '../..');

/** The run's Problems as lines, values without quotes. */
function runProblems(spec: RunSpec): string[] {
  return quotedProblems(spec).map((line) => line.replace(/: '([^']*)': /, ': $1: '));
}

/** A run of a large slice, on which the size of a model is no matter. */
function runOf(trainer: Partial<MaxTextTrainerSpec>, more: Partial<RunSpec> = {}): RunSpec {
  const base = { ...RUN.trainer, mesh: undefined, baseOutputDirectory: 'gs://my-bucket/out' };
  const spec = {
    ...RUN,
    ...more,
    tpu: { generation: 'v5p', topology: '8x8x16' },
    trainer: { ...base, ...trainer },
  };
  return JSON.parse(JSON.stringify(spec)) as RunSpec;
}

test('the table is of the MaxText of the image and of the tests', () => {
  for (const lock of ['images/maxtext/requirements.txt', 'test/ray/trainer/maxtext-requirements.txt']) {
    expect(readFileSync(join(ROOT, lock), 'utf8')).toMatch(
      new RegExp(`^maxtext(\\[tpu\\])?==${options.maxtext.replaceAll('.', '\\.')}$`, 'm'),
    );
  }
});

test('every model whose parameters are counted is one of MaxText’s', () => {
  expect(MODEL_NAMES.filter((name) => !MAXTEXT_MODELS.includes(name))).toEqual([]);
});

test('the remat policies of the run file are those of MaxText', () => {
  expect([...schema.definitions.RematPolicy.enum].sort()).toEqual(
    [...options.keys.remat_policy.values].sort(),
  );
});

test('no package that an option needs is in the image', () => {
  const lock = readFileSync(join(ROOT, 'images/maxtext/requirements.txt'), 'utf8').toLowerCase();
  for (const name of [...Object.values(EXTRA_PACKAGES), ...Object.values(EXTRA_PACKAGES_OF_VALUES)]) {
    expect(lock).not.toMatch(new RegExp(`^${name.replaceAll('_', '[-_]')}==`, 'm'));
  }
});

test.each([
  ['lerning_rate=1e-5', 'MaxText 0.2.5 has no key lerning_rate; did you mean learning_rate?'],
  ['learning_rate=fast', 'learning_rate of MaxText 0.2.5 is a number from 0; write such a value'],
  [
    'dtype=bf16',
    'dtype of MaxText 0.2.5 is bfloat16, float32, float16, float8_e4m3fn, float8_e5m2; write such a value',
  ],
  ['packing=yess', 'packing of MaxText 0.2.5 is true or false; write such a value'],
  [
    'normalization_layer_epsilon=1e-6',
    'llama3-8b has normalization_layer_epsilon=0.00001 in its file, and MaxText refuses another value; leave normalization_layer_epsilon out, or add override_model_config=true to the arguments',
  ],
])('B4: %s is refused', (argument, text) => {
  expect(runProblems(runOf({ arguments: [argument] }))).toEqual([
    `trainer.arguments[0]: ${argument}: ${text}`,
  ]);
});

test('B4: a remat policy that does not exist is refused', () => {
  const problems = runProblems(runOf({ rematPolicy: 'fulll' as 'full' }));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^trainer\.rematPolicy: fulll: .*full/);
});

test('B4: a variable that sets an option is refused, and a misspelt one', () => {
  expect(runProblems(runOf({ env: { M_STEPS: '5' } }))).toEqual([
    'trainer.env.M_STEPS: 5: M_STEPS sets steps of MaxText, which the run file has a place for; set steps instead',
  ]);
  expect(runProblems(runOf({}, { env: { M_LERNING_RATE: '1', M_Y_OWN: '2' } }))).toEqual([
    expect.stringContaining('write learning_rate=… in trainer.arguments'),
  ]);
});

test.each([
  ['gpt3-6b', 1024],
  ['gpt3-22b', 1024],
])('B3: %s with defaults has the length of its own file', (model) => {
  const given = maxTextOf(trainingRun(runOf({ model })).trainer).arguments;
  expect(given.filter((text) => text.startsWith('max_target_length='))).toEqual([]);
});

test.each<[Partial<MaxTextTrainerSpec>, string]>([
  [
    { model: 'gpt3-6b', maxTargetLength: 2048 },
    'trainer.maxTargetLength: 2048: gpt3-6b has max_target_length=1024',
  ],
  [
    { model: 'gpt3-175b', checkpointing: { period: 50 } },
    'trainer.checkpointing.period: 50: gpt3-175b has checkpoint_period=10000',
  ],
  [{ model: 'gemma4-e2b' }, 'trainer.model: gemma4-e2b: MaxText 0.2.5 trains it only with scan_layers=false'],
  [{ model: 'gemma4-e4b' }, 'trainer.model: gemma4-e4b: MaxText 0.2.5 trains it only with scan_layers=false'],
  [
    { model: 'deepseek3.2-671b' },
    'trainer.model: deepseek3.2-671b: MaxText 0.2.5 trains it only with attention=dot_product',
  ],
  [
    { model: 'deepseek4-284b' },
    'trainer.model: deepseek4-284b: MaxText 0.2.5 trains it only with attention=dot_product',
  ],
  [{ model: 'deepseek3-671b-lineage' }, 'has the name and no file for it, and would train its default model'],
])('B3: %j is refused', (trainer, text) => {
  expect(runProblems(runOf(trainer))).toEqual([expect.stringContaining(text)]);
});

test.each([
  [{ model: 'gemma4-e2b', arguments: ['scan_layers=False'] }],
  [{ model: 'gpt3-6b', maxTargetLength: 2048, arguments: ['override_model_config=true'] }],
  [{ model: 'gpt3-6b', maxTargetLength: 1024 }],
])('B3: %j is accepted', (trainer) => {
  expect(runProblems(runOf(trainer))).toEqual([]);
});

test.each<[Partial<MaxTextTrainerSpec>, string]>([
  [
    { datasetType: 'hf' },
    'trainer.datasetType: hf: data of Hugging Face needs hf_path; add hf_path=… to the arguments',
  ],
  [{ datasetType: 'grain' }, 'trainer.datasetType: grain: data of grain needs grain_train_files, or'],
  [{ datasetType: 'hf', arguments: ['hf_path='] }, 'trainer.arguments[0]'],
  [
    { datasetType: 'hf', arguments: ['hf_path=parquet', 'eval_interval=5'] },
    'evaluation needs hf_eval_split',
  ],
])('B7: %j is refused', (trainer, text) => {
  expect(runProblems(runOf(trainer))[0]).toContain(text);
});

test('B8: what needs a package that the image does not hold says so', () => {
  expect(runProblems(runOf({ arguments: ['enable_wandb=true'] }))).toEqual([
    expect.stringContaining('enable_wandb imports the Python package wandb'),
  ]);
  expect(runProblems(runOf({ arguments: ['enable_wandb=false'] }))).toEqual([]);
});

test.each(['tfds', 'c4_mlperf'] as const)(
  'A0: %s data needs TensorFlow, which the image does not hold',
  (datasetType) => {
    const given = { datasetType, arguments: ['dataset_path=gs://my-bucket/c4', 'packing=true'] };
    expect(runProblems(runOf(given))).toEqual([
      expect.stringMatching(/^trainer\.datasetType: .*imports the Python package tensorflow/),
    ]);
    expect(runProblems(runOf({ ...given, unchecked: ['dataset_type'] }))).toEqual([]);
  },
);

test.each(['llama3.1-8b-Instruct', 'deepseek3-671b-2dfsdp', 'gpt3-52k'])('C3: %s is accepted', (model) => {
  expect(runProblems(runOf({ model, perDeviceBatchSize: 1 }))).toEqual([]);
});

test('C3: a model without dimensions is accepted, and its memory is not estimated', () => {
  const run = trainingRun(runOf({ model: 'qwen3-vl-2b', arguments: ['scan_layers=false'] }));
  expect(maxTextOf(run.trainer)).toMatchObject({ parameters: undefined, memory: [] });
  expect(run.warnings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('memory of qwen3-vl-2b is not estimated'),
  );
});

test('keys can be declared as unchecked, which synth says', () => {
  const run = trainingRun(
    runOf({
      model: 'mine-3b',
      arguments: ['my_key=1', 'enable_wandb=true'],
      unchecked: ['model_name', 'my_key', 'enable_wandb'],
    }),
  );
  expect(maxTextOf(run.trainer).arguments).toEqual(
    expect.arrayContaining(['model_name=mine-3b', 'my_key=1']),
  );
  expect(run.warnings.map(({ path, message }) => `${pathText(path)}: ${message}`)).toContainEqual(
    expect.stringContaining(
      'trainer.unchecked: not checked against MaxText 0.2.5: model_name, my_key, enable_wandb',
    ),
  );
  expect(runProblems(runOf({ unchecked: ['my_key'] }))).toEqual([
    expect.stringContaining(
      'trainer.unchecked[0]: my_key: unchecked lists keys that this run gives to MaxText',
    ),
  ]);
});

test('values are read as MaxText reads them', () => {
  expect(['yes', 'off', '1e-5', '0x10', '5_0', "'5'", '', 'None', '[a'].map(readValue)).toEqual([
    true,
    false,
    1e-5,
    16,
    50,
    '5',
    null,
    null,
    undefined,
  ]);
  expect(['1', 'on', 't', '0.0', 'yes'].map((text) => valueRule('packing', text))).toEqual(
    Array(5).fill(undefined),
  );
  expect(['2', 'maybe', ''].filter((text) => valueRule('packing', text) === undefined)).toEqual([]);
  expect(['5', '1e3', '5_0', "'5'", 'true'].map((text) => valueRule('steps', text))).toEqual(
    Array(5).fill(undefined),
  );
  expect(['1.5', 'none', 'x'].filter((text) => valueRule('steps', text) === undefined)).toEqual([]);
});
