import type { Problem } from '../problem';

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
    const path = `[${String(index)}]`;
    const match = /^([A-Za-z_][A-Za-z0-9_.]*)=(.*)$/s.exec(entry);
    const key = match?.[1];
    if (key === undefined || /[\r\n]/.test(entry)) {
      return [
        {
          path,
          value: entry,
          rule: 'an argument is written as key=value on one line',
          fix: 'write it as in dtype=bfloat16',
        },
      ];
    }
    const owner = ownedKeys.get(key);
    if (owner !== undefined) {
      return [{ path, value: entry, rule: `${key} follows from ${owner}`, fix: `set ${owner} instead` }];
    }
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      return [
        {
          path,
          value: entry,
          rule: `${key} is given already by entry ${String(earlier)}`,
          fix: 'keep one of them',
        },
      ];
    }
    seen.set(key, index);
    return [];
  });
}
