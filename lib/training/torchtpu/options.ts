import { nearestName } from '../../nearest-name';
import { problem } from '../../problems';
import type { Problem } from '../../problems';

/** What an option of `arguments` takes. */
export type OptionValue =
  | {
      readonly type: 'integer' | 'number';
      readonly minimum?: number;
      readonly above?: number;
      readonly maximum?: number;
    }
  | { readonly type: 'text' }
  | { readonly type: 'choice'; readonly choices: readonly string[] };

export const COUNT: OptionValue = { type: 'integer', minimum: 0 };
export const POSITIVE_COUNT: OptionValue = { type: 'integer', minimum: 1 };
export const POSITIVE_NUMBER: OptionValue = { type: 'number', above: 0 };
export const SECONDS = POSITIVE_NUMBER;
/** @see trainers/tpu_trainers/torchtpu_arguments.py (MOST_SEED) */
export const SEED: OptionValue = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 };

/** Who sets the options of a program. */
export interface ProgramOptions {
  /** Options that follow from something else in the run file, and from what. */
  readonly owned: Readonly<Record<string, string>>;
  /** Options that `arguments` may set, as the program's own parser takes them. */
  readonly free: Readonly<Record<string, OptionValue>>;
}

/** Options that follow from something else in the run file, whatever the kind. */
export const OWNED_BY_ALL: Readonly<Record<string, string>> = {
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

const LONGEST = 2 ** 12;

/** Problems of a TorchTPU trainer's `arguments`; paths are relative to the trainer. */
export function checkTorchTpuArguments(
  kind: string,
  { owned, free }: ProgramOptions,
  entries: readonly string[],
): Problem[] {
  const seen = new Set<string>();
  return entries.flatMap((value, index) => {
    const path = ['arguments', index];
    const [, name, given] = /^--([a-z][a-z0-9-]*)=([^\r\n]*)$/.exec(value) ?? [];
    if (name === undefined || given === undefined || value.length >= LONGEST) {
      return [problem('OPTION_FORM', path, value)];
    }
    const owner = owned[name];
    if (owner !== undefined) {
      return [problem('OPTION_OWNED', path, value, { name, owner })];
    }
    const taken = free[name];
    if (taken === undefined) {
      const names = Object.keys(free);
      const near = nearestName(name, names);
      return [
        problem('OPTION_UNKNOWN', path, value, {
          kind,
          names: names.map((each) => `--${each}`).join(', '),
          advice: near === undefined ? 'remove it' : `did you mean --${near}?`,
        }),
      ];
    }
    if (seen.has(name)) {
      return [problem('OPTION_TWICE', path, value, { name })];
    }
    seen.add(name);
    const rule = ruleOf(taken, given);
    return rule === undefined ? [] : [problem('OPTION_VALUE', path, value, { name, rule })];
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
