import type { ErrorObject } from 'ajv';
import type { Problem } from '../problem';
import { nearestName } from '../nearest-name';
import { segmentsOf } from './assumed-value';

/** What is said of a value that should be text. */
export const TEXT_RULE = 'it is text';

/** Errors that only say which branch of a union failed; the branch's own errors follow. */
const ONLY_BRANCHES: ReadonlySet<string> = new Set(['if']);

/** What a path's union allows, where a schema's own words would be a wall of alternatives. */
const UNIONS: readonly { readonly path: RegExp; readonly rule: string; readonly fix: string }[] = [
  {
    path: /^env\./,
    rule: 'an environment variable is text, or a reference {secretName: …, key: …}',
    fix: 'put quotes around a number or true and false',
  },
  {
    path: /^tpu\.slices/,
    rule: 'slices is a whole number from 1 to 1024, as each slice is a node pool of its own, or a range {min: …, max: …}',
    fix: 'write it as in 2, or {min: 1, max: 2}',
  },
];

/** ajv's errors as Problems: unions folded into one, unknown keys with the nearest known one. */
export function schemaProblems(errors: readonly ErrorObject[], value: unknown): Problem[] {
  const folded = new Map<string, Problem>();
  for (const error of errors) {
    const problem = describeError(error, value);
    if (problem === undefined) continue;
    const union = UNIONS.find(({ path }) => path.test(problem.path));
    const shown = union === undefined ? problem : { ...problem, ...unionProblem(union, problem, value) };
    const key = union === undefined ? `${shown.path} ${shown.rule}` : shown.path;
    if (!folded.has(key)) folded.set(key, shown);
  }
  return [...folded.values()];
}

function unionProblem(union: (typeof UNIONS)[number], problem: Problem, value: unknown): Problem {
  const path = problem.path.startsWith('env.') ? pathOf(problem.path.split('.').slice(0, 2)) : 'tpu.slices';
  return { path, value: valueAt(value, path.split('.')), rule: union.rule, fix: union.fix };
}

function describeError(error: ErrorObject, value: unknown): Problem | undefined {
  const segments = segmentsOf(error.instancePath);
  const path = pathOf(segments);
  const found = valueAt(value, segments);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as Record<string, unknown>);
      const nearest = nearestName(key, known);
      return {
        path: path === '' ? key : `${path}.${key}`,
        value: valueAt(found, [key]),
        rule: `no key ${key} exists here: known keys are ${known.join(', ')}`,
        fix: nearest === undefined ? 'remove it' : `did you mean ${nearest}?`,
      };
    }
    case 'required': {
      const key = String(params['missingProperty']);
      return {
        path: path === '' ? key : `${path}.${key}`,
        value: undefined,
        rule: `${key} is required`,
        fix: 'add it',
      };
    }
    case 'enum':
    case 'const': {
      const allowed =
        error.keyword === 'enum' ? (params['allowedValues'] as unknown[]) : [params['allowedValue']];
      const names = allowed.map(String);
      const nearest = typeof found === 'string' ? nearestName(found, names) : undefined;
      return {
        path,
        value: found,
        rule: `allowed values are ${names.join(', ')}`,
        fix: nearest === undefined ? 'use one of them' : `did you mean ${nearest}?`,
      };
    }
    case 'type': {
      const types = [params['type']].flat().map(String);
      return {
        path,
        value: found,
        rule: types.join() === 'string' ? TEXT_RULE : `it is ${types.map(typeTitle).join(' or ')}`,
        fix: typeFix(types, found),
      };
    }
    case 'minimum':
      return {
        path,
        value: found,
        rule: `it is at least ${String(params['limit'])}`,
        fix: 'write a larger number',
      };
    case 'maximum':
      return {
        path,
        value: found,
        rule: `it is at most ${String(params['limit'])}`,
        fix: 'write a smaller number',
      };
    case 'exclusiveMinimum':
      return {
        path,
        value: found,
        rule: `it is above ${String(params['limit'])}`,
        fix: 'write a larger number',
      };
    case 'minLength':
      return { path, value: found, rule: 'it is not empty', fix: 'write something, or leave the key out' };
    case 'anyOf':
      return {
        path,
        value: found,
        rule: 'it has none of the allowed forms',
        fix: 'look the key up in the configuration reference',
      };
    default:
      if (ONLY_BRANCHES.has(error.keyword)) return undefined;
      return {
        path,
        value: found,
        rule: `it fits its description: ${error.message ?? error.keyword}`,
        fix: 'look the key up in the configuration reference',
      };
  }
}

function typeTitle(type: string): string {
  switch (type) {
    case 'string':
      return 'text';
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    default:
      return 'a map of keys and values';
  }
}

function typeFix(types: readonly string[], found: unknown): string {
  if (types.includes('string') && (typeof found === 'boolean' || Number.isSafeInteger(found))) {
    return `put quotes around it: "${String(found)}"`;
  }
  // What was written is not known any more: 1.10 and 1.1 are the same number.
  if (types.includes('string') && typeof found === 'number') return 'put quotes around it, as it was written';
  if (typeof found === 'number' && !Number.isFinite(found))
    return 'write a number: NaN and infinity are none';
  if (types.includes('array')) return 'begin each entry with "- " on a line of its own';
  if (types.includes('object')) return 'write keys and values on the lines below, indented';
  if (typeof found === 'string') return 'write it without quotes';
  return 'write a value of that kind';
}

function pathOf(segments: readonly string[]): string {
  return segments.reduce(
    (path, segment) =>
      /^\d+$/.test(segment) ? `${path}[${segment}]` : path === '' ? segment : `${path}.${segment}`,
    '',
  );
}

function valueAt(value: unknown, segments: readonly string[]): unknown {
  let current = value;
  for (const segment of segments) {
    if (current === null || typeof current !== 'object') return undefined;
    current = (current as Record<string, unknown>)[segment];
  }
  return current;
}
