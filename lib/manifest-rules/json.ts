import type { Path } from '../problems';

/** An object of a manifest. Nothing is known of its fields: rules also see what patches made of it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; empty if it is none. Wrong types are the schema's business. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; empty if it is none. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The value as a text; undefined if it is none. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** True for `{…}`, not for lists and null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Calls `visit` for the value and everything below it. `keys` is one list that changes: `visit` must not keep it. It is copied
 * only where a fault is found; every text of every manifest passes here.
 */
export function walk(root: unknown, visit: (value: unknown, keys: Path) => void): void {
  const keys: (string | number)[] = [];
  const step = (value: unknown): void => {
    visit(value, keys);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      const list = value as readonly unknown[];
      for (let index = 0; index < list.length; index += 1) {
        keys.push(index);
        step(list[index]);
        keys.pop();
      }
      return;
    }
    const object = value as JsonObject;
    for (const key of Object.keys(object)) {
      keys.push(key);
      step(object[key]);
      keys.pop();
    }
  };
  step(root);
}
