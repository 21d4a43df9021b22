import type { PlannedRun } from '../plan';
import { rangeText } from './words';

/** Why a run has another submission id, and so trains again, as sentences: what enters the hash of `submissionIdOf`. */
export function rerunReasons(was: PlannedRun, is: PlannedRun): string[] {
  const reasons = [
    ...changed('image', was.image, is.image),
    ...changed('generation', was.tpu.generation, is.tpu.generation),
    ...changed('topology', was.tpu.topology, is.tpu.topology),
    ...changed('machine type', was.tpu.machineType, is.tpu.machineType),
    ...changed('slices', rangeText(was.tpu.slices), rangeText(is.tpu.slices)),
    ...commandChanges(was.trainer.command, is.trainer.command),
    ...environmentChanges(was.env ?? {}, is.env ?? {}),
  ];
  // Of all that enters the hash, only this is nowhere to be seen.
  return reasons.length > 0 ? reasons : ['runId'];
}

function changed(what: string, before: string | undefined, after: string | undefined): string[] {
  return before === after ? [] : [`${what}: ${before ?? 'none'} -> ${after ?? 'none'}`];
}

function commandChanges(before: readonly string[], after: readonly string[]): string[] {
  const [one, other] = [argumentsOf(before), argumentsOf(after)];
  const keys = [...new Set([...one.keys(), ...other.keys()])];
  return keys.flatMap((key) => changed(`argument ${key}`, one.get(key), other.get(key)));
}

function environmentChanges(
  before: NonNullable<PlannedRun['env']>,
  after: NonNullable<PlannedRun['env']>,
): string[] {
  const text = (value: (typeof before)[string] | undefined): string | undefined =>
    value === undefined || typeof value === 'string' ? value : `Secret ${value.secretName}, key ${value.key}`;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    changed(`environment ${name}`, text(before[name]), text(after[name])),
  );
}

/** `key=value`, `--key value` and `--key` of a command line, by key; a repeated key keeps all of its values. */
function argumentsOf(command: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const add = (key: string, value: string): void => {
    found.set(key, found.has(key) ? `${found.get(key) ?? ''} ${value}` : value);
  };
  for (let index = 0; index < command.length; index++) {
    const word = command[index] ?? '';
    const next = command[index + 1];
    const equals = word.indexOf('=');
    if (word.startsWith('--') && equals < 0 && next !== undefined && !next.startsWith('-')) {
      add(word, next);
      index++;
    } else if (equals > 0) {
      add(word.slice(0, equals), word.slice(equals + 1));
    } else {
      add(word, 'given');
    }
  }
  return found;
}
