import { problem } from '../problems';
import type { Problem } from '../problems';

/**
 * Problems of a list of `key=value` arguments: a malformed entry, a key given twice, a key that a typed option owns.
 * Paths are relative to the list.
 */
export function checkKeyValueArguments(
  entries: readonly string[],
  ownedKeys: ReadonlyMap<string, string>,
): Problem[] {
  const seen = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    const path = [index];
    const match = /^([A-Za-z_][A-Za-z0-9_.]*)=(.*)$/s.exec(entry);
    const key = match?.[1];
    if (key === undefined || /[\r\n]/.test(entry)) {
      return [problem('ARGUMENT_FORM', path, entry)];
    }
    const owner = ownedKeys.get(key);
    if (owner !== undefined) {
      return [problem('ARGUMENT_OWNED', path, entry, { key, owner })];
    }
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      return [problem('ARGUMENT_TWICE', path, entry, { key, earlier })];
    }
    seen.set(key, index);
    return [];
  });
}
