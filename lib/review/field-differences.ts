/** One field that differs. Absent on a side is undefined. */
export interface FieldDifference {
  /** Dotted keys; an item of a list stands by its name where all have one, else by its number. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Every field that differs between two JSON values, in the order of the first, then of the second. */
export function fieldDifferences(before: unknown, after: unknown, path = ''): FieldDifference[] {
  if (Object.is(before, after)) return [];
  if (isList(before) && isList(after)) return listDifferences(before, after, path);
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) =>
      fieldDifferences(before[key], after[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return [{ path, before, after }];
}

/** Lists of objects are compared item by item; lists of plain values as one value. */
function listDifferences(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): FieldDifference[] {
  if (![...before, ...after].every(isRecord)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  }
  const [one, other] = [itemsByName(before), itemsByName(after)];
  const named = one !== undefined && other !== undefined;
  const left = named ? one : itemsByNumber(before);
  const right = named ? other : itemsByNumber(after);
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  return keys.flatMap((key) => fieldDifferences(left.get(key), right.get(key), `${path}[${key}]`));
}

/** Fields that name the items of Kubernetes' lists. */
const NAMES = ['name', 'groupName', 'containerPort', 'mountPath', 'key'] as const;

function itemsByName(list: readonly unknown[]): Map<string, unknown> | undefined {
  for (const field of NAMES) {
    const names = list.map((item) => (isRecord(item) ? item[field] : undefined));
    if (names.every((name) => typeof name === 'string') && new Set(names).size === names.length) {
      return new Map(list.map((item, index) => [String(names[index]), item]));
    }
  }
  return undefined;
}

function itemsByNumber(list: readonly unknown[]): Map<string, unknown> {
  return new Map(list.map((item, index) => [String(index), item]));
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
