import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import type { RunSpec } from '../../lib/run';
import { TRAINER_KINDS, trainerKind } from '../../lib/training';
import type { MaxTextTrainerSpec, TorchTpuCollectivesSpec, TorchTpuFinetuneSpec } from '../../lib/training';
import { OWNED_ARGUMENTS } from '../../lib/training/maxtext/owned-arguments';
import { MAXTEXT_OPTIONS } from '../../lib/training/maxtext/options';
import { renderProject } from '../support/render-project';
import { PLATFORM, RUN, runProblems } from '../support/training-run';

const TRAINERS = join(__dirname, '../../trainers');

/**
 * Parses every Job's command as the pod would: the submitter's options, then those of the trainer's module behind `--`. One process for all; what
 * is refused is printed as [index, what the parser said].
 */
const PARSE = `
import contextlib, importlib, io, json, os, sys
from tpu_trainers import submit_arguments
# Folders are the pod's.
os.path.isdir = lambda _: True
refused = []
for index, words in enumerate(json.load(sys.stdin)):
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            submit_arguments.parse(words[3:])
            entry = words[words.index("--") + 1:]
            importlib.import_module(entry[2] + "_arguments").parse(entry[3:])
        except (SystemExit, submit_arguments.ArgumentsRefused) as error:
            refused.append([index, f"{error} {said.getvalue()}"])
print(json.dumps(refused))
`;

function refusedByParsers(commands: readonly (readonly string[])[]): unknown {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', PARSE], {
    encoding: 'utf8',
    input: JSON.stringify(commands),
    env: { ...process.env, PYTHONPATH: TRAINERS, PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 2 ** 26,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const duration = fc
  .tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom('s', 'm', 'h'))
  .map(([amount, unit]) => `${String(amount)}${unit}`);
const count = fc.integer({ min: 1, max: 1000 });
/** Text as people put it into options: with spaces, quotes, dashes and equals signs. */
const text = fc.stringMatching(/^[A-Za-z{][-A-Za-z0-9 "'{}=:,./$%]{0,12}[A-Za-z0-9}]$/);
const env = fc.dictionary(fc.stringMatching(/^LOG_[A-Z]{1,4}$/), text, { maxKeys: 2 });

const freeKeys = MAXTEXT_OPTIONS.filter((key) => !OWNED_ARGUMENTS.has(key));
const maxtext: fc.Arbitrary<MaxTextTrainerSpec> = fc.record({
  kind: fc.constant('maxtext' as const),
  model: fc.constantFrom('llama3-8b', 'gemma2-2b', 'gpt3-6b', 'llama3.1-8b-Instruct'),
  steps: count,
  baseOutputDirectory: fc.constantFrom('/data', '/data/a b=c', 'gs://my-bucket/out'),
  runName: optional(fc.constantFrom('first', '0.1_b-c')),
  perDeviceBatchSize: optional(fc.constantFrom(1, 2)),
  datasetType: optional(fc.constant('synthetic' as const)),
  checkpointing: optional(
    fc.record({
      enabled: optional(fc.boolean()),
      period: optional(count),
      onPreemption: optional(fc.boolean()),
    }),
  ),
  profile: optional(fc.record({ skip: fc.integer({ min: 0, max: 5 }), steps: count })),
  xlaDumpDirectory: optional(fc.constantFrom('/tmp/xla')),
  env: optional(env),
  arguments: optional(
    fc.uniqueArray(
      fc.oneof(
        fc.constantFrom(
          'lora.enable_lora=true',
          'learning_rate=1e-5',
          'packing=false',
          'tokenizer_path=/data/a=b',
        ),
        fc.tuple(fc.constantFrom(...freeKeys), text).map(([key, value]) => `${key}=${value}`),
      ),
      { maxLength: 3, selector: (entry) => entry.split('=')[0] },
    ),
  ),
  maxFailures: optional(fc.integer({ min: 0, max: 9 })),
  startDeadline: optional(duration),
  stepTimeout: optional(duration),
  groupStartTimeout: optional(duration),
  resizeInterval: optional(duration),
});

const collectives: fc.Arbitrary<TorchTpuCollectivesSpec> = fc.record({
  kind: fc.constant('torchtpu-collectives' as const),
  matrixSize: optional(fc.constantFrom(8, 64, 1024)),
  startDeadline: optional(duration),
  env: optional(env),
  arguments: optional(fc.subarray(['--seed=7', '--tolerance=0.5', '--batch-size=2', '--step-timeout=1.5e3'])),
});

const finetune: fc.Arbitrary<TorchTpuFinetuneSpec> = fc.record({
  kind: fc.constant('torchtpu-finetune' as const),
  model: optional(fc.constantFrom('google/gemma-4-E2B-it', '/data/model')),
  dataset: optional(fc.constantFrom('/data/rows.jsonl')),
  storagePath: fc.constantFrom('/data', 'gs://my-bucket/out'),
  epochs: optional(count),
  learningRate: optional(fc.constantFrom(1e-7, 2e-5, 1)),
  maxLength: optional(fc.integer({ min: 8, max: 4096 })),
  rows: optional(fc.integer({ min: 0, max: 9 })),
  maxFailures: optional(fc.integer({ min: 0, max: 9 })),
  env: optional(env),
  arguments: optional(
    fc
      .tuple(
        text,
        fc.subarray(['--seed=0', '--weight-decay=0', '--weight-dtype=float32', '--keep-checkpoints=2']),
      )
      .map(([template, others]) => [...others, `--template=${template}`]),
  ),
});

const submitter = fc.record({
  startDeadline: optional(duration),
  runDeadline: optional(duration),
  onActiveRun: optional(fc.constantFrom('fail' as const, 'wait' as const, 'replace' as const)),
  onFinish: optional(fc.constantFrom('keep' as const, 'deleteCluster' as const)),
  onTermination: optional(fc.constantFrom('detach' as const, 'stop' as const)),
});

const run = fc
  .record({
    trainer: fc.oneof(maxtext, maxtext, collectives, finetune),
    topology: fc.constantFrom('2x2', '4x4', '4x8'),
    slices: fc.constantFrom(1, 2, { min: 1, max: 2 }),
    submitter: optional(submitter),
  })
  .map(
    ({ trainer, topology, slices, ...rest }): RunSpec =>
      JSON.parse(
        JSON.stringify({
          ...RUN,
          ...rest,
          trainer,
          tpu: { generation: 'v6e', topology, slices: trainer.kind === 'maxtext' ? slices : 1 },
        }),
      ) as RunSpec,
  );

/** The commands of the Jobs of runs that synth accepts. */
function commandsOf(specs: readonly RunSpec[]): string[][] {
  const named = specs.map((spec, index) => ({ ...spec, name: `run-${String(index)}` }));
  const texts = Object.fromEntries(named.map((spec) => [spec.name, stringify(spec)]));
  const { objects, problems } = renderProject(stringify(PLATFORM), texts);
  expect(problems).toEqual([]);
  return objects
    .filter(({ kind }) => kind === 'Job')
    .map((job) => {
      const { spec } = job as {
        spec: { template: { spec: { containers: { command?: string[]; args?: string[] }[] } } };
      };
      const [container] = spec.template.spec.containers;
      return [...(container?.command ?? []), ...(container?.args ?? [])];
    });
}

test('B5, B6: no command of an accepted run is refused by the parsers of submitter and trainer', () => {
  const accepted = fc
    .sample(run, { numRuns: 600, seed: 20 })
    .filter((spec) => runProblems(spec).length === 0);
  const kinds = new Set(accepted.map(({ trainer }) => trainer.kind));
  expect([...kinds].sort()).toEqual([...TRAINER_KINDS].sort());
  expect(accepted.length).toBeGreaterThan(150);
  const commands = commandsOf(accepted);
  expect(commands).toHaveLength(accepted.length);
  expect(refusedByParsers(commands)).toEqual([]);
});

test('B5: a key with a dot reaches MaxText', () => {
  const spec = { ...RUN, trainer: { ...RUN.trainer, arguments: ['lora.enable_lora=true'] } };
  const [command] = commandsOf([spec]);
  expect(command).toContain('lora.enable_lora=true');
  expect(refusedByParsers([command ?? []])).toEqual([]);
});

test('B6: an elastic run without checkpoints is refused', () => {
  const spec = {
    ...RUN,
    tpu: { ...RUN.tpu, slices: { min: 1, max: 2 } },
    trainer: { ...RUN.trainer, checkpointing: { enabled: false } },
  };
  expect(runProblems(spec)).toEqual([
    expect.stringContaining('trainer.checkpointing.enabled: false: an elastic run needs checkpoints'),
  ]);
});

test('what the parsers refuse is seen', () => {
  const [command = []] = commandsOf([RUN]);
  expect(refusedByParsers([command, [...command, 'steps=2']])).toEqual([
    [1, expect.stringContaining('given twice')],
  ]);
});

/** Options that a trainer's parser has, by kind; help is not one. */
const OPTIONS = `
import argparse, importlib, json, sys
print(json.dumps([
    sorted(s[2:] for a in importlib.import_module(m + "_arguments")._parser()._actions for s in a.option_strings if s.startswith("--") and s != "--help")
    for m in sys.argv[1:]
]))
`;

/** Options that only tests and rehearsals set, or that keep the trainer's default. */
const UNSET: Readonly<Record<string, readonly string[]>> = { maxtext: ['platform', 'storage-path'] };

test('the options that each kind writes are those of its program', () => {
  const { stdout, stderr } = spawnSync(
    'python3',
    ['-c', OPTIONS, ...TRAINER_KINDS.map((kind) => trainerKind(kind).module)],
    { encoding: 'utf8', env: { ...process.env, PYTHONPATH: TRAINERS, PYTHONDONTWRITEBYTECODE: '1' } },
  );
  expect(stderr).toBe('');
  const known = TRAINER_KINDS.map((kind) =>
    [...trainerKind(kind).programOptions, ...(UNSET[kind] ?? [])].sort(),
  );
  expect(known).toEqual(JSON.parse(stdout));
});
