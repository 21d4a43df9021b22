import type { ErrorObject } from 'ajv';
import { nearestName } from '../nearest-name';

/**
 * What a value that breaks the schema was most likely meant to be, so that everything else in it can be checked at the
 * same time: misspelt keys under their right names, numbers where text is due as text, the nearest number where one is too small, too
 * large or no whole one. Never used for output.
 */
export function assumedValue(value: unknown, errors: readonly ErrorObject[]): unknown {
  if (value === null || typeof value !== 'object') return value;
  const copy = copyOf(value);
  // Values before names, since a renamed key's own errors still carry the old one.
  for (const error of errors) {
    if (error.keyword === 'type') convertScalar(copy, error);
    else if (LIMITS.has(error.keyword)) moveToLimit(copy, error);
  }
  for (const error of errors) {
    if (error.keyword === 'additionalProperties') renameKey(copy, error);
    else if (error.keyword === 'required') renameDiscriminator(copy, error);
  }
  return copy;
}

/** Keywords of least and most. */
const LIMITS: ReadonlySet<string> = new Set(['minimum', 'maximum', 'exclusiveMinimum']);

/** A copy, or undefined of what holds more than data. */
function copyOf(value: object): unknown {
  try {
    return structuredClone(value);
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

function moveToLimit(root: unknown, error: ErrorObject): void {
  const segments = segmentsOf(error.instancePath);
  const key = segments.pop();
  const parent = objectAt(root, segments);
  if (parent === undefined || key === undefined) return;
  const { limit } = error.params as { readonly limit: number };
  parent[key] = error.keyword === 'exclusiveMinimum' ? limit + 1 : limit;
}

function convertScalar(root: unknown, error: ErrorObject): void {
  const segments = segmentsOf(error.instancePath);
  const key = segments.pop();
  const parent = objectAt(root, segments);
  if (parent === undefined || key === undefined) return;
  const types = [(error.params as { readonly type: string | readonly string[] }).type].flat();
  const found = parent[key];
  if (types.includes('string') && (typeof found === 'number' || typeof found === 'boolean')) {
    parent[key] = String(found);
  } else if ((types.includes('integer') || types.includes('number')) && numberMeant(found) !== undefined) {
    parent[key] = numberMeant(found);
  } else if (types.includes('integer') && typeof found === 'number') {
    parent[key] = Number.isFinite(found) ? Math.ceil(found) : 1;
  }
}

/** Until a union knows which of its branches is meant, no other key of it can be called unknown. */
function renameDiscriminator(root: unknown, error: ErrorObject): void {
  const parent = objectAt(root, segmentsOf(error.instancePath));
  const misspelt = misspeltDiscriminator(error, parent);
  if (parent === undefined || misspelt === undefined) return;
  parent[(error.params as { readonly missingProperty: string }).missingProperty] = parent[misspelt];
  Reflect.deleteProperty(parent, misspelt);
}

/** The key that was most likely meant to be the one that tells the branches of a union apart. */
export function misspeltDiscriminator(error: ErrorObject, parent: unknown): string | undefined {
  if (error.parentSchema?.['allOf'] === undefined || parent === null || typeof parent !== 'object')
    return undefined;
  const { missingProperty } = error.params as { readonly missingProperty: string };
  return nearestName(missingProperty, Object.keys(parent));
}

function renameKey(root: unknown, error: ErrorObject): void {
  const parent = objectAt(root, segmentsOf(error.instancePath));
  const { additionalProperty: key } = error.params as { readonly additionalProperty: string };
  if (parent === undefined) return;
  const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as Record<string, unknown>);
  const meant = nearestName(key, known);
  if (meant !== undefined && !Object.hasOwn(parent, meant)) parent[meant] = parent[key];
  Reflect.deleteProperty(parent, key);
}

/** The number that a text stands for, also with separators of thousands as in `1_000`; undefined for other values. */
export function numberMeant(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const isNumeral = /^-?[0-9]+(\.[0-9]+)?$/.test(value) || /^-?[0-9]{1,3}([_,' ][0-9]{3})+$/.test(value);
  return isNumeral ? Number(value.replaceAll(/[_,' ]/g, '')) : undefined;
}

function objectAt(root: unknown, segments: readonly string[]): Record<string, unknown> | undefined {
  let current = root;
  for (const segment of segments) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, segment)) return undefined;
    current = (current as Record<string, unknown>)[segment];
  }
  return current !== null && typeof current === 'object' ? (current as Record<string, unknown>) : undefined;
}

/** Keys of a JSON pointer. */
export function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
