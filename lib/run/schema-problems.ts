import type { ErrorObject } from 'ajv';
import { nearestName } from '../nearest-name';
import { isSamePath, pathText, problem } from '../problems';
import type { Path, Problem } from '../problems';
import { misspeltDiscriminator, segmentsOf } from './assumed-value';
import { typeAdvice, variableAdvice } from './value-advice';

/** Errors that only say which branch of a union failed; the branch's own errors follow. */
const ONLY_BRANCHES: ReadonlySet<string> = new Set(['if']);

/** Unions, where a schema's own words would be a wall of alternatives: the path of the one a path lies in. */
const UNIONS: readonly {
  readonly id: 'VARIABLE_VALUE' | 'SLICES_VALUE';
  readonly at: (path: Path) => Path | undefined;
}[] = [
  {
    id: 'VARIABLE_VALUE',
    at: (path) => (path[0] === 'env' && path.length > 1 ? path.slice(0, 2) : undefined),
  },
  {
    id: 'SLICES_VALUE',
    at: (path) => (isSamePath(path.slice(0, 2), ['tpu', 'slices']) ? path.slice(0, 2) : undefined),
  },
];

/** ajv's errors as Problems: unions folded into one, unknown keys with the nearest known one. */
export function schemaProblems(errors: readonly ErrorObject[], value: unknown): Problem[] {
  const folded = new Map<string, Problem>();
  const misspelt = misspeltKeys(errors);
  for (const error of errors) {
    if (misspelt.has(missingKeyOf(error))) continue;
    const found = describeError(error, value);
    if (found === undefined) continue;
    const shown = unionProblem(found.path, value) ?? found;
    const key = `${pathText(shown.path)} ${shown.rule}`;
    if (!folded.has(key)) folded.set(key, shown);
  }
  return [...folded.values()];
}

/** JSON pointer of the key that an error misses. */
function missingKeyOf({ keyword, instancePath, params }: ErrorObject): string {
  return keyword === 'required'
    ? `${instancePath}/${String((params as Record<string, unknown>)['missingProperty'])}`
    : '';
}

/** JSON pointers of known keys that stand under a misspelt name: they are not missing as well. */
function misspeltKeys(errors: readonly ErrorObject[]): ReadonlySet<string> {
  return new Set(
    errors
      .filter(({ keyword }) => keyword === 'additionalProperties')
      .flatMap((error) => {
        const { additionalProperty } = error.params as { readonly additionalProperty: string };
        const nearest = nearestName(additionalProperty, knownKeysOf(error));
        return nearest === undefined ? [] : [`${error.instancePath}/${nearest}`];
      }),
  );
}

function knownKeysOf(error: ErrorObject): string[] {
  return Object.keys((error.parentSchema?.['properties'] ?? {}) as Record<string, unknown>);
}

function unionProblem(path: Path, value: unknown): Problem | undefined {
  for (const { id, at } of UNIONS) {
    const union = at(path);
    if (union === undefined) continue;
    const found = valueAt(value, union);
    return id === 'VARIABLE_VALUE'
      ? problem(id, union, found, { advice: variableAdvice(found) })
      : problem(id, union, found);
  }
  return undefined;
}

function describeError(error: ErrorObject, value: unknown): Problem | undefined {
  const segments = segmentsOf(error.instancePath);
  const path = pathOf(segments, value);
  const found = valueAt(value, path);
  const params = error.params as Record<string, unknown>;
  const limit = String(params['limit']);
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const known = knownKeysOf(error);
      const nearest = nearestName(key, known);
      return problem('KEY_UNKNOWN', [...path, key], valueAt(found, [key]), {
        key,
        known: nearest === undefined ? `: known keys are ${known.join(', ')}` : '',
        advice: nearest === undefined ? 'remove it' : `did you mean ${nearest}?`,
      });
    }
    case 'required': {
      const key = String(params['missingProperty']);
      const misspelt = misspeltDiscriminator(error, found);
      if (misspelt !== undefined) {
        return problem('KEY_UNKNOWN', [...path, misspelt], valueAt(found, [misspelt]), {
          key: misspelt,
          known: '',
          advice: `did you mean ${key}?`,
        });
      }
      const choices = choicesOf(error, key);
      return problem('KEY_MISSING', [...path, key], undefined, {
        key,
        advice: choices === undefined ? 'add it' : `add it: one of ${choices.join(', ')}`,
      });
    }
    case 'enum':
    case 'const': {
      const allowed =
        error.keyword === 'enum' ? (params['allowedValues'] as unknown[]) : [params['allowedValue']];
      const names = allowed.map(String);
      const nearest = typeof found === 'string' ? nearestName(found, names) : undefined;
      return problem('VALUE_CHOICE', path, found, {
        allowed: names.join(', '),
        advice: nearest === undefined ? 'use one of them' : `did you mean ${nearest}?`,
      });
    }
    case 'type': {
      const types = [params['type']].flat().map(String);
      const advice = typeAdvice(types, found, choicesOf(error, 'kind'));
      return types.join() === 'string'
        ? problem('VALUE_TEXT', path, found, { advice })
        : problem('VALUE_TYPE', path, found, { types: types.map(typeTitle).join(' or '), advice });
    }
    case 'minimum':
      return problem('VALUE_MINIMUM', path, found, { limit });
    case 'maximum':
      return problem('VALUE_MAXIMUM', path, found, { limit });
    case 'exclusiveMinimum':
      return problem('VALUE_ABOVE', path, found, { limit });
    case 'minLength':
      return problem('VALUE_EMPTY', path, found);
    case 'anyOf':
      return problem('VALUE_FORM', path, found);
    default:
      if (ONLY_BRANCHES.has(error.keyword)) return undefined;
      return problem('VALUE_SCHEMA', path, found, { reason: error.message ?? error.keyword });
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

/** Allowed values of a key of the map that an error is about; undefined where any will do. */
function choicesOf(error: ErrorObject, key: string): readonly string[] | undefined {
  const properties = (error.parentSchema?.['properties'] ?? {}) as Record<
    string,
    { readonly enum?: string[] }
  >;
  return Object.hasOwn(properties, key) ? properties[key]?.enum : undefined;
}

/** The keys of a JSON pointer, where those of lists are numbers. */
function pathOf(segments: readonly string[], value: unknown): Path {
  return segments.map((segment, index) =>
    Array.isArray(valueAt(value, segments.slice(0, index))) ? Number(segment) : segment,
  );
}

function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const key of path) {
    if (current === null || typeof current !== 'object') return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}
