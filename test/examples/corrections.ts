import type { Fields } from './field-paths';

/** A documented difference between a published manifest and ours. */
export interface Correction {
  /** Row of docs/tutorial-corrections.md. */
  readonly id: string;
  /** Fields it covers. */
  readonly path: RegExp;
  /** The published value; undefined where the field is ours alone. */
  readonly theirs?: unknown;
  /** Our value; undefined where we leave the field out. */
  readonly ours?: unknown;
}

/** Differences that no correction covers, and corrections that cover none; both empty when the documents are complete. */
export function uncorrected(
  theirs: Fields,
  ours: Fields,
  corrections: readonly Correction[],
): { differences: string[]; unused: string[] } {
  const used = new Set<Correction>();
  const differences: string[] = [];
  for (const path of [...new Set([...theirs.keys(), ...ours.keys()])].sort()) {
    const [a, b] = [theirs.get(path), ours.get(path)];
    if (a === b) continue;
    const match = corrections.find(
      (correction) => correction.path.test(path) && correction.theirs === a && correction.ours === b,
    );
    if (match === undefined) differences.push(`${path}: ${String(a)} -> ${String(b)}`);
    else used.add(match);
  }
  return {
    differences,
    unused: corrections
      .filter((correction) => !used.has(correction))
      .map(({ id, path }) => `${id} ${String(path)}`),
  };
}
