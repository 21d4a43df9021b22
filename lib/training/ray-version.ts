/** A Ray version such as `2.60.0` as numbers, or undefined when the text is not one. */
export function parseRayVersion(text: string): readonly [number, number, number] | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** True when `version` is at least `minimum`; both must be Ray versions. */
export function isRayVersionAtLeast(version: string, minimum: string): boolean {
  const left = requireRayVersion(version);
  const right = requireRayVersion(minimum);
  for (const [index, part] of left.entries()) {
    const difference = part - (right[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function requireRayVersion(text: string): readonly [number, number, number] {
  const version = parseRayVersion(text);
  if (version === undefined) throw new Error(`'${text}' is no Ray version: write it in full, as in 2.60.0`);
  return version;
}
