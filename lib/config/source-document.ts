import { LineCounter, isMap, isNode, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';
import type { Document, Node } from 'yaml';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import type { LocatedProblem, Place } from './located-problem';
import { placeholdersIn, substitute } from './placeholders';

/** Larger files are no run files; parsing them would only take time. */
const MOST_CHARACTERS = 2 ** 20;

/** Copies that aliases may stand for; more is an attack or a mistake. */
const MOST_ALIASES = 100;

/** The environment that fills `${NAME}`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One YAML file: its value with every `${NAME}` filled in, and where each part stands. */
export class SourceDocument {
  /** Problems of the text itself: syntax, several documents, missing environment variables. */
  public readonly problems: readonly LocatedProblem[];
  /** The value, or undefined when there are Problems. */
  public readonly value: unknown;
  private readonly lines = new LineCounter();
  private readonly document: Document.Parsed | undefined;

  public constructor(
    public readonly file: string,
    text: string,
    environment: Environment,
  ) {
    if (text.length > MOST_CHARACTERS) {
      this.problems = [
        {
          file,
          ...problem('FILE_TOO_LARGE', [], `${String(text.length)} characters`, {
            mostCharacters: MOST_CHARACTERS,
          }),
        },
      ];
      return;
    }
    const documents = parseAllDocuments(text, { lineCounter: this.lines, version: '1.2', uniqueKeys: true });
    const [document, second] = Array.isArray(documents) ? documents : [];
    if (document === undefined || document.contents === null) {
      this.problems = [{ file, ...problem('FILE_EMPTY', [], undefined) }];
      return;
    }
    // What the reader only warns of, such as a tag it does not know, would be read as something else in silence.
    const errors = [...document.errors, ...document.warnings, ...(second?.errors ?? [])];
    if (errors.length > 0) {
      this.problems = errors.map((error) => ({
        file,
        ...this.position(error.pos[0]),
        ...problem('YAML_SYNTAX', [], this.lineText(text, error.pos[0]), {
          yamlMessage: yamlMessage(error.message),
        }),
      }));
      return;
    }
    if (second !== undefined) {
      this.problems = [
        { file, ...this.position(second.range[0]), ...problem('FILE_DOCUMENTS', [], 'a second document') },
      ];
      return;
    }
    this.document = document;
    const problems = [...this.checkNodes(document), ...this.fillPlaceholders(document, environment)];
    const value = problems.length > 0 ? undefined : this.readValue(document);
    if (value instanceof ReferenceError) {
      problems.push({
        file,
        ...problem('YAML_ALIASES', [], '(aliases of aliases)', { mostAliases: MOST_ALIASES }),
      });
    }
    this.problems = problems;
    if (problems.length === 0) this.value = value;
  }

  /** A Problem with the place of its path. */
  public locate(problem: Problem): LocatedProblem {
    const value = valueAsWritten(problem.value, this.document?.getIn(problem.path, true));
    return { file: this.file, ...this.placeOf(problem.path), ...problem, value };
  }

  /** Where a part of the document stands: a value, the key of a list or map, or the nearest part that exists. */
  public placeOf(path: Path): Place | undefined {
    const offset = this.offsetOf(path, true);
    return offset === undefined ? undefined : this.position(offset);
  }

  /** The value, or the error of aliases that multiply beyond measure. */
  private readValue(document: Document.Parsed): unknown {
    try {
      return document.toJS({ maxAliasCount: MOST_ALIASES });
    } catch (error) {
      if (error instanceof ReferenceError) return error;
      throw error;
    }
  }

  /** Problems of what YAML allows and plain data cannot hold: aliases of nothing, keys that are no text. */
  private checkNodes(document: Document.Parsed): LocatedProblem[] {
    const problems: LocatedProblem[] = [];
    visit(document, {
      Alias: (_, node) => {
        if (node.resolve(document) !== undefined) return;
        problems.push({
          file: this.file,
          ...this.position(node.range?.[0] ?? 0),
          ...problem('YAML_ALIAS', [], `*${node.source}`, { source: node.source }),
        });
      },
      Pair: (_, pair) => {
        if (isScalar(pair.key)) return;
        problems.push({
          file: this.file,
          ...this.position((pair.key as Node | null)?.range?.[0] ?? 0),
          ...problem('YAML_KEY', [], '(a list or map)'),
        });
      },
    });
    return problems;
  }

  private fillPlaceholders(document: Document.Parsed, environment: Environment): LocatedProblem[] {
    const problems: LocatedProblem[] = [];
    visit(document, {
      Scalar: (key, node) => {
        if (key === 'key' || typeof node.value !== 'string') return;
        const names = placeholdersIn(node.value);
        const missing = names.filter((name) => environment[name] === undefined);
        for (const name of missing) {
          problems.push({
            file: this.file,
            ...this.position(node.range?.[0] ?? 0),
            ...problem('PLACEHOLDER_UNSET', [], node.value, { name }),
          });
        }
        if (names.length > 0 && missing.length === 0) {
          node.value = substitute(node.value, environment, node.type === 'PLAIN');
        }
      },
    });
    return problems;
  }

  private offsetOf(path: Path, isWhole: boolean): number | undefined {
    const key = path.at(-1);
    if (key === undefined) return this.document?.contents?.range[0];
    const above = path.slice(0, -1);
    const parent = this.document?.getIn(above, true);
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === key);
      if (isScalar(pair?.key)) return (isWhole && isScalar(pair.value) ? pair.value : pair.key).range?.[0];
    }
    const item = isSeq(parent) ? parent.get(key, true) : undefined;
    return isNode(item) ? item.range?.[0] : this.offsetOf(above, false);
  }

  private position(offset: number): Place {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  private lineText(text: string, offset: number): string {
    const { line } = this.lines.linePos(offset);
    return (text.split('\n')[line - 1] ?? '').trim().slice(0, 80);
  }
}

/** A number larger than numbers are held exactly, as its text has it: what was read is another one. */
function valueAsWritten(value: unknown, node: unknown): unknown {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  const source = isScalar(node) ? node.source : undefined;
  return source === undefined || placeholdersIn(source).length > 0 ? value : `(${source})`;
}

/** What the reader says of a fault: its first line, without the place, which stands elsewhere. */
function yamlMessage(message: string): string {
  if (message.startsWith('Maximum call stack')) return 'Brackets are nested too deeply';
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}
