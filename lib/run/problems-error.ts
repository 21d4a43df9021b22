import type { Problem } from '../problem';

/** Thrown for a TypeScript user: every Problem at once. */
export class ProblemsError extends Error {
  public readonly problems: readonly Problem[];

  public constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.name = 'ProblemsError';
    this.problems = problems;
  }
}

/** One Problem as a line: where, what was found, what is allowed, what to do. */
export function describeProblem(problem: Problem): string {
  const where = problem.path === '' ? 'document' : problem.path;
  return `${where}: ${describeValue(problem.value)}: ${problem.rule}; ${problem.fix}`;
}

/** A value as it is shown in messages. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return value.startsWith('(') ? value : `'${value}'`;
  return JSON.stringify(value);
}
