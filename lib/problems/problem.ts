import { pathText } from './path';
import type { Path } from './path';
import { PROBLEMS } from './problems';
import type { ProblemId } from './problems';

/**
 * One reason why an input cannot be used. Rooms return Problems as values; only the outermost caller throws or prints.
 */
export interface Problem {
  /** Its kind, a heading of docs/errors.md. */
  readonly id: ProblemId;
  /** Where in the input. */
  readonly path: Path;
  /** What was found there. */
  readonly value: unknown;
  /** What is allowed, as a statement: lower case, no full stop. */
  readonly rule: string;
  /** What to do about it: lower case, no full stop. */
  readonly fix: string;
}

/** Names of the arguments of a text. */
type ArgumentsIn<Text extends string> = Text extends `${string}<${infer Name}>${infer Rest}`
  ? Name | ArgumentsIn<Rest>
  : never;

/** Names of the arguments of a kind's texts. */
type ArgumentsOf<Id extends ProblemId> = ArgumentsIn<
  (typeof PROBLEMS)[Id]['rule'] | (typeof PROBLEMS)[Id]['fix']
>;

/** The values of a kind's arguments; nothing where its texts have none. */
type ValuesOf<Id extends ProblemId> = [ArgumentsOf<Id>] extends [never]
  ? readonly []
  : readonly [Readonly<Record<ArgumentsOf<Id>, string | number>>];

/** A Problem of a kind of the table, its texts filled in. */
export function problem<Id extends ProblemId>(
  id: Id,
  path: Path,
  value: unknown,
  ...[values]: ValuesOf<Id>
): Problem {
  const { rule, fix } = PROBLEMS[id];
  const fill = (text: string): string =>
    values === undefined
      ? text
      : text.replace(/<(\w+)>/g, (_, name: string) => String((values as Record<string, unknown>)[name]));
  return { id, path, value, rule: fill(rule), fix: fill(fix) };
}

/** Those Problems that do not concern a part of the document in which `known` has found one already. */
export function problemsElsewhere(problems: readonly Problem[], known: readonly Problem[]): Problem[] {
  const paths = new Set(known.map(({ path }) => pathText(path)));
  return problems.filter(({ path }) => !paths.has(pathText(path)));
}

/** The same Problems, seen from a parent: their paths begin with `prefix`. */
export function nestProblems(prefix: Path, problems: readonly Problem[]): Problem[] {
  return problems.map((each) => ({ ...each, path: [...prefix, ...each.path] }));
}
