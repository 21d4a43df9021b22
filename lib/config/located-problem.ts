import { describeValue } from '../run';
import { pathText } from '../problems';
import type { Problem, ProblemId } from '../problems';

/** Line and column, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A Problem with its place in a file, which has none when the whole file is meant. */
export interface LocatedProblem extends Problem, Partial<Place> {
  /** File as the user knows it, relative to the project's directory. */
  readonly file: string;
}

/** A Problem as it is printed: place, path and id, value, what is allowed, what to do, where to read on. */
export function describeLocated(problem: LocatedProblem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  const head = [place, pathText(problem.path), `[${problem.id}]`].filter((part) => part !== '').join('  ');
  return [
    head,
    `    got   ${describeValue(problem.value)}`,
    `    rule  ${problem.rule}`,
    `    fix   ${problem.fix}`,
    `    see   ${docsLink(problem.id)}`,
  ].join('\n');
}

/** Where a kind of Problem is described, from the root of the package. */
export function docsLink(id: ProblemId): string {
  return `docs/errors.md#${id.toLowerCase()}`;
}

/** Problems in the order of files, lines and columns. */
export function sortLocated(problems: readonly LocatedProblem[]): LocatedProblem[] {
  return [...problems].sort(
    (a, b) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}
