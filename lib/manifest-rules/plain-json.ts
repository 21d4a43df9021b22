import { problem } from '../problems';
import type { Problem } from '../problems';
import { isObject, walk } from './json';
import { forEachManifest } from './rule';

/**
 * Objects are plain JSON: no null, NaN, Infinity, undefined in a list, function or class instance. YAML would write them as something,
 * and the API server would take it as a deletion or a string. A field whose value is undefined is not written and may stand.
 */
export const plainJson = forEachManifest(({ object }) => {
  const problems: Problem[] = [];
  walk(object, (value, keys) => {
    const rule = faultOf(value, typeof keys[keys.length - 1] === 'number');
    if (rule !== undefined) {
      problems.push(problem('PLAIN_JSON', [...keys], value, { reason: rule }));
    }
  });
  return problems;
});

function faultOf(value: unknown, isItem: boolean): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'undefined':
      return isItem ? 'a list has no undefined items: they would be written as null' : undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : 'a number is finite';
    case 'object':
      return value === null ? 'no field is null' : objectFault(value);
    default:
      return `a manifest is plain JSON, and a ${typeof value} is not`;
  }
}

function objectFault(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  // A plain object's prototype has none itself; compared so, objects of another realm (a vm, a test runner) pass, too.
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = isObject(value) && (prototype === null || Object.getPrototypeOf(prototype) === null);
  return isPlain ? undefined : 'a manifest is plain JSON, and an instance of a class is not';
}
