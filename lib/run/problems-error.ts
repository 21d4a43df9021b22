import { credentialIn } from '../kubernetes/credentials';
import { pathText } from '../problems';
import type { Problem } from '../problems';

/** Thrown for a TypeScript user: every Problem at once. */
export class ProblemsError extends Error {
  public readonly problems: readonly Problem[];

  public constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.name = 'ProblemsError';
    this.problems = problems;
  }
}

/** One Problem as a line: where, what was found, what is allowed, what to do, and its id. */
export function describeProblem({ id, path, value, rule, fix }: Problem): string {
  const where = path.length === 0 ? 'document' : pathText(path);
  return `${where}: ${describeValue(value)}: ${rule}; ${fix} [${id}]`;
}

/** Longer values are cut in messages. */
const MOST_SHOWN = 120;

/**
 * A value as it is shown in messages: on one line, of bearable length, and never a credential. A text that begins with
 * a parenthesis is a remark on the value, not the value.
 */
export function describeValue(value: unknown): string {
  const text = textOf(value);
  if (credentialIn(text) !== undefined) return '(not shown)';
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

function textOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `(a ${typeof value})`;
  if (typeof value !== 'string') return jsonOf(value);
  if (value.startsWith('(')) return value;
  // Line breaks and control characters would break the message, or do things to a terminal.
  return /^[^\p{Cc}]*$/u.test(value) ? `'${value}'` : JSON.stringify(value);
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, (_, item: unknown) => (isJson(item) ? item : String(item)));
  } catch {
    // A YAML alias may point to the collection it stands in.
    return '(contains itself)';
  }
}

/** What JSON would leave out, write as null or refuse: NaN, infinity, functions and their like. */
function isJson(item: unknown): boolean {
  if (typeof item === 'number') return Number.isFinite(item);
  return typeof item !== 'bigint' && typeof item !== 'function' && typeof item !== 'symbol';
}
