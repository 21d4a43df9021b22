/** The first two numbers of a version in a text, as in `v1.34.4-gke.1829000`; undefined when there is none. */
export function minorOf(text: string): readonly [major: number, minor: number] | undefined {
  const match = /(\d+)\.(\d+)/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2])];
}

/** Negative when `a` is older than `b` by its first two numbers. */
export function compareMinors(a: readonly [number, number], b: readonly [number, number]): number {
  return a[0] - b[0] || a[1] - b[1];
}
