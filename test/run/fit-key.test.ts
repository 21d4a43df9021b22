import { compiledArguments, fitKey } from '../../lib/run/fit-key';
import type { FitFacts } from '../../lib/run/fit-key';

const FACTS: FitFacts = {
  generation: 'v6e',
  topology: '4x4',
  slices: { min: 1, max: 1 },
  maxtextArguments: ['model_name=llama3-8b', 'per_device_batch_size=1', 'run_name=a', 'steps=100'],
};

test.each<[string, Partial<FitFacts>]>([
  ['another generation', { generation: 'v5e' }],
  ['another topology', { topology: '4x8' }],
  ['more slices', { slices: { min: 1, max: 2 } }],
  ['another batch', { maxtextArguments: ['model_name=llama3-8b', 'per_device_batch_size=2'] }],
  ['a flag for libtpu', { libtpuInitArgs: ['--xla_tpu_scoped_vmem_limit_kib=122880'] }],
])('the key changes with %s', (_, change) => {
  expect(fitKey({ ...FACTS, ...change })).not.toBe(fitKey(FACTS));
});

test.each<[string, readonly string[]]>([
  ['the run’s name and length', ['model_name=llama3-8b', 'per_device_batch_size=1', 'run_name=b', 'steps=7']],
  ['the order of arguments', ['per_device_batch_size=1', 'model_name=llama3-8b']],
  [
    'where checkpoints go',
    [...FACTS.maxtextArguments, 'base_output_directory=gs://b', 'checkpoint_period=10'],
  ],
])('the key is the same whatever %s', (_, maxtextArguments) => {
  expect(fitKey({ ...FACTS, maxtextArguments })).toBe(fitKey(FACTS));
});

test('storage is left out of what is compiled', () => {
  expect(compiledArguments([...FACTS.maxtextArguments, 'load_parameters_path=gs://b/0'])).toEqual([
    'model_name=llama3-8b',
    'per_device_batch_size=1',
  ]);
});
