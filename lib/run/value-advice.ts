import { nearestName } from '../nearest-name';
import { numberMeant } from './assumed-value';

/** Words that YAML 1.1 read as true and false. */
const WORDS_OF_OLD: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['y', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['n', false],
]);

/** What to do about a value of another type; `kinds` are those of a union of maps. */
export function typeAdvice(types: readonly string[], found: unknown, kinds?: readonly string[]): string {
  if (types.includes('string') && (typeof found === 'boolean' || Number.isSafeInteger(found))) {
    return `put quotes around it: "${String(found)}"`;
  }
  // What was written is not known any more: 1.10 and 1.1 are the same number.
  if (types.includes('string') && typeof found === 'number') return 'put quotes around it, as it was written';
  if (typeof found === 'number' && !Number.isFinite(found))
    return 'write a number: NaN and infinity are none';
  if (types.includes('array')) return 'begin each entry with "- " on a line of its own';
  if (types.includes('object')) return mapAdvice(found, kinds);
  if (typeof found !== 'string') return 'write a value of that kind';
  return types.includes('boolean') ? booleanAdvice(found) : numberAdvice(found);
}

function mapAdvice(found: unknown, kinds: readonly string[] | undefined): string {
  if (Array.isArray(found)) return 'write keys and values, indented, without the dashes of a list';
  if (kinds === undefined || typeof found !== 'string')
    return 'write keys and values on the lines below, indented';
  const kind = nearestName(found, kinds);
  return kind === undefined
    ? `write kind: … on the line below, indented, with one of ${kinds.join(', ')}`
    : `write kind: ${kind} on the line below, indented, and what else it needs beneath`;
}

function booleanAdvice(found: string): string {
  const meant = WORDS_OF_OLD.get(found.toLowerCase());
  if (meant === undefined) return 'write true or false';
  if (found === String(meant)) return 'write it without quotes';
  return `write ${String(meant)}: YAML 1.2 reads ${found} as text`;
}

function numberAdvice(found: string): string {
  const meant = numberMeant(found);
  if (meant === undefined) return 'write a number, in digits';
  return /[_,' ]/.test(found)
    ? `write ${String(meant)}: numbers have no separators`
    : 'write it without quotes';
}

/** What to do about a value of `env` that is neither text nor a reference. */
export function variableAdvice(found: unknown): string {
  if (typeof found === 'number' || typeof found === 'boolean')
    return 'put quotes around a number or true and false';
  if (found === null || found === undefined) return 'write "" for empty text, or leave the variable out';
  const source = partOf(found, 'valueFrom') ?? found;
  const reference = partOf(source, 'secretKeyRef');
  const [name, key] = [partOf(reference, 'name'), partOf(reference, 'key')];
  if (typeof name === 'string' && typeof key === 'string') return `write {secretName: ${name}, key: ${key}}`;
  return 'write text in quotes, or {secretName: …, key: …} for a key of a Secret';
}

function partOf(value: unknown, key: string): unknown {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
