/** A GKE version such as `1.35.2-gke.1842000` as numbers, for comparison. */
export type GkeVersion = readonly [major: number, minor: number, patch: number, build: number];

const GKE_VERSION = /^(\d+)\.(\d+)\.(\d+)-gke\.(\d+)$/;

/** How a version must be written, for messages. */
export const GKE_VERSION_RULE = 'a GKE version is written in full, as in 1.35.2-gke.1842000';

/** Numbers of a full GKE version, or undefined when the text is not one. */
export function parseGkeVersion(text: string): GkeVersion | undefined {
  const match = GKE_VERSION.exec(text);
  if (match === null) return undefined;
  return [Number(match[1]), Number(match[2]), Number(match[3]), Number(match[4])];
}

/**
 * True when `version` is at least `minimum`. Compared number by number, so that 1.34.10 is newer than 1.34.9.
 * Throws on a text that is not a full GKE version: callers check with `parseGkeVersion` first.
 */
export function isGkeVersionAtLeast(version: string, minimum: string): boolean {
  const left = requireVersion(version);
  const right = requireVersion(minimum);
  for (const [index, part] of left.entries()) {
    const difference = part - (right[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function requireVersion(text: string): GkeVersion {
  const version = parseGkeVersion(text);
  if (version === undefined) throw new Error(`'${text}' is no GKE version: ${GKE_VERSION_RULE}`);
  return version;
}
