import type { Problem } from '../problem';
import { nearestName } from '../nearest-name';
import type { TrainerKind } from './trainer';

type TorchTpuKind = Exclude<TrainerKind, 'maxtext'>;

/** What an option of `arguments` takes. */
type OptionValue =
  | {
      readonly type: 'integer' | 'number';
      readonly minimum?: number;
      readonly above?: number;
      readonly maximum?: number;
    }
  | { readonly type: 'text' }
  | { readonly type: 'choice'; readonly choices: readonly string[] };

const COUNT: OptionValue = { type: 'integer', minimum: 0 };
const POSITIVE_COUNT: OptionValue = { type: 'integer', minimum: 1 };
const SECONDS: OptionValue = { type: 'number', above: 0 };
/** @see trainers/tpu_trainers/torchtpu_arguments.py (MOST_SEED) */
const SEED: OptionValue = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 };

/** Options that `arguments` may set, as the trainers' own parsers take them. */
export const FREE_OPTIONS: Readonly<Record<TorchTpuKind, Readonly<Record<string, OptionValue>>>> = {
  'torchtpu-collectives': {
    'batch-size': POSITIVE_COUNT,
    seed: SEED,
    'step-timeout': SECONDS,
    tolerance: { type: 'number', above: 0 },
  },
  'torchtpu-finetune': {
    'checkpoint-every': COUNT,
    'controller-failure-limit': COUNT,
    'group-start-timeout': SECONDS,
    'keep-checkpoints': POSITIVE_COUNT,
    seed: SEED,
    split: { type: 'text' },
    'step-timeout': SECONDS,
    template: { type: 'text' },
    'weight-decay': { type: 'number', minimum: 0 },
    'weight-dtype': { type: 'choice', choices: ['bfloat16', 'float32'] },
  },
};

/** Options that follow from something else in the run file. */
const OWNED_BY_BOTH: Readonly<Record<string, string>> = {
  'accelerator-type': 'tpu.generation',
  backend: 'the trainer kind',
  env: 'env',
  hosts: 'tpu.topology',
  run: 'name',
  'start-deadline': 'startDeadline',
  topology: 'tpu.topology',
  'tpu-per-worker': 'the trainer kind',
  workers: 'tpu.topology',
};

export const OWNED_OPTIONS: Readonly<Record<TorchTpuKind, Readonly<Record<string, string>>>> = {
  'torchtpu-collectives': { ...OWNED_BY_BOTH, 'matrix-size': 'matrixSize' },
  'torchtpu-finetune': {
    ...OWNED_BY_BOTH,
    dataset: 'dataset',
    epochs: 'epochs',
    'learning-rate': 'learningRate',
    'max-failures': 'maxFailures',
    'max-length': 'maxLength',
    model: 'model',
    'per-device-batch-size': 'perDeviceBatchSize',
    rows: 'rows',
    'storage-path': 'storagePath',
  },
};

const LONGEST = 2 ** 12;

/** Problems of a TorchTPU trainer's `arguments`; paths are relative to the trainer. */
export function checkTorchTpuArguments(kind: TorchTpuKind, entries: readonly string[]): Problem[] {
  const seen = new Set<string>();
  return entries.flatMap((value, index) => {
    const path = `arguments[${String(index)}]`;
    const [, name, given] = /^--([a-z][a-z0-9-]*)=([^\r\n]*)$/.exec(value) ?? [];
    if (name === undefined || given === undefined || value.length >= LONGEST) {
      return [
        {
          path,
          value,
          rule: 'an option is written as --name=value on one line',
          fix: 'write it as in --seed=7',
        },
      ];
    }
    const owner = OWNED_OPTIONS[kind][name];
    if (owner !== undefined) {
      const rule = `--${name} follows from ${owner}`;
      return [{ path, value, rule, fix: `remove it, and set ${owner} instead` }];
    }
    const taken = FREE_OPTIONS[kind][name];
    if (taken === undefined) {
      const names = Object.keys(FREE_OPTIONS[kind]);
      const near = nearestName(name, names);
      return [
        {
          path,
          value,
          rule: `an option of ${kind}: ${names.map((each) => `--${each}`).join(', ')}`,
          fix: near === undefined ? 'remove it' : `did you mean --${near}?`,
        },
      ];
    }
    if (seen.has(name)) {
      return [{ path, value, rule: 'an option is given once', fix: `keep one of the --${name}` }];
    }
    seen.add(name);
    const rule = ruleOf(taken, given);
    return rule === undefined
      ? []
      : [{ path, value, rule: `--${name} is ${rule}`, fix: 'write such a value' }];
  });
}

/** What a value should be where it is not, undefined where it is. */
function ruleOf(taken: OptionValue, given: string): string | undefined {
  if (taken.type === 'text') return given === '' ? 'some text' : undefined;
  if (taken.type === 'choice') {
    return taken.choices.includes(given) ? undefined : taken.choices.join(' or ');
  }
  const number = /^-?\d+(\.\d+)?(e-?\d+)?$/i.test(given) ? Number(given) : Number.NaN;
  const { minimum = -Infinity, above = -Infinity, maximum = Infinity } = taken;
  const whole = taken.type === 'number' || /^-?\d+$/.test(given);
  if (whole && Number.isFinite(number) && number >= minimum && number > above && number <= maximum)
    return undefined;
  const bounds = [
    ...(minimum === -Infinity ? [] : [`from ${String(minimum)}`]),
    ...(above === -Infinity ? [] : [`above ${String(above)}`]),
    ...(maximum === Infinity ? [] : [`to ${String(maximum)}`]),
  ];
  return [taken.type === 'integer' ? 'a whole number' : 'a number', ...bounds].join(' ');
}
