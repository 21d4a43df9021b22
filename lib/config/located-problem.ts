import { describeValue } from '../run';
import type { Problem } from '../problem';

/** A Problem with its place in a file. */
export interface LocatedProblem extends Problem {
  /** File as the user knows it, relative to the project's directory. */
  readonly file: string;
  /** Line and column, from 1; absent when the whole file is meant. */
  readonly line?: number;
  readonly column?: number;
}

/** A Problem as it is printed: place and path, value, what is allowed, what to do. */
export function describeLocated(problem: LocatedProblem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  const head = problem.path === '' ? place : `${place}  ${problem.path}`;
  return `${head}\n    got      ${describeValue(problem.value)}\n    allowed  ${problem.rule}\n    fix      ${problem.fix}`;
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
