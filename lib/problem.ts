/**
 * One reason why an input cannot be used. Rooms return Problems as values; only the outermost caller throws or prints.
 */
export interface Problem {
  /** Where in the input: dotted keys and `[index]`, e.g. `trainer.mesh.ici.fsdp`. Empty for the whole document. */
  readonly path: string;
  /** What was found there. */
  readonly value: unknown;
  /** What is allowed, as a statement: lower case, no full stop. */
  readonly rule: string;
  /** What to do about it: lower case, no full stop. */
  readonly fix: string;
}

/** The same Problems, seen from a parent: `path` is prefixed with `prefix`. */
export function nestProblems(prefix: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: joinPath(prefix, problem.path) }));
}

function joinPath(prefix: string, path: string): string {
  if (prefix === '') return path;
  if (path === '') return prefix;
  return path.startsWith('[') ? prefix + path : `${prefix}.${path}`;
}
