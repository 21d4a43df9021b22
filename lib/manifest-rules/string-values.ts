import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { asList, asObject, walk } from './json';
import { forEachManifest } from './rule';

/** Maps whose values the API server accepts as strings only. */
const STRING_MAPS: ReadonlySet<unknown> = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'rayStartParams',
  'volumeAttributes',
  'headServiceAnnotations',
]);

/** Lists of words a process is started with. */
const STRING_LISTS: ReadonlySet<unknown> = new Set(['command', 'args']);

/**
 * Values that must be strings are strings: a number or boolean there is refused at apply, or dropped. TypeScript lets them through where a
 * patch or `any` is used.
 */
export const stringValues = forEachManifest(({ object, kind }) => {
  const problems: Problem[] = kind === 'ConfigMap' ? mapProblems(['data'], object['data']) : [];
  walk(object, (value, keys) => {
    const key = keys[keys.length - 1];
    if (keys[0] === 'data' && kind === 'ConfigMap') return;
    if (STRING_MAPS.has(key)) problems.push(...mapProblems([...keys], value));
    else if (STRING_LISTS.has(key) && Array.isArray(value)) problems.push(...listProblems([...keys], value));
    else if (key === 'env' && Array.isArray(value)) problems.push(...environmentProblems([...keys], value));
  });
  return problems;
});

function mapProblems(path: Path, map: unknown): Problem[] {
  return Object.entries(asObject(map)).flatMap(([key, value]) => notString([...path, key], value));
}

function listProblems(path: Path, list: readonly unknown[]): Problem[] {
  return list.flatMap((value, index) => notString([...path, index], value));
}

function environmentProblems(path: Path, list: readonly unknown[]): Problem[] {
  return list.flatMap((entry, index) => {
    const { value } = asObject(entry);
    return value === undefined ? [] : notString([...path, index, 'value'], value);
  });
}

/** What is null or NaN is named by another rule. */
function notString(path: Path, value: unknown): Problem[] {
  if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'object') return [];
  if (value === null || Number.isNaN(value)) return [];
  return [problem('STRING_VALUE', path, value, { stringify: JSON.stringify(String(asWord(value))) })];
}

function asWord(value: unknown): unknown {
  return typeof value === 'object' ? JSON.stringify(asList(value).length > 0 ? asList(value) : value) : value;
}
