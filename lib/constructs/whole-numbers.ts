import type { Path } from '../problems';
import { problem } from '../problems';
import { ProblemsError } from '../run';

/** A number that reaches a manifest, with the least and the most it may be. */
export interface WholeNumber {
  /** The prop, as in `slices.min`. */
  readonly path: Path;
  /** Undefined where an optional prop is left out. */
  readonly value: number | undefined;
  readonly least: number;
  /**
   * @default - the largest integer of a manifest
   */
  readonly most?: number;
  /** Why, where that is not plain. */
  readonly because?: string;
}

/** Kubernetes holds such numbers in 32 bits. */
const LARGEST = 2 ** 31 - 1;

/**
 * Throws a ProblemsError with every number that is no whole one within its limits: NaN would be rendered as null, and a fraction refused at
 * apply.
 */
export function requireWholeNumbers(numbers: readonly WholeNumber[]): void {
  const problems = numbers.flatMap(({ path, value, least, most = LARGEST, because }) => {
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return [];
    const limits = `a whole number from ${String(least)} to ${String(most)}`;
    const rule = because === undefined ? limits : `${limits}: ${because}`;
    return [problem('WHOLE_NUMBER', path, value, { reason: rule, least })];
  });
  if (problems.length > 0) throw new ProblemsError(problems);
}
