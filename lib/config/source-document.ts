import { LineCounter, isAlias, isMap, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';
import type { Document, Node, Pair } from 'yaml';
import type { Problem } from '../problem';
import type { LocatedProblem } from './located-problem';
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
  private readonly contents: Node | null;

  public constructor(
    public readonly file: string,
    text: string,
    environment: Environment,
  ) {
    this.contents = null;
    if (text.length > MOST_CHARACTERS) {
      const rule = `a file has at most ${String(MOST_CHARACTERS)} characters`;
      this.problems = [{ file, path: '', value: `${String(text.length)} characters`, rule, fix: 'split it' }];
      return;
    }
    const documents = parseAllDocuments(text, { lineCounter: this.lines, version: '1.2', uniqueKeys: true });
    const [document, second] = Array.isArray(documents) ? documents : [];
    if (document === undefined || document.contents === null) {
      this.problems = [
        { file, path: '', value: undefined, rule: 'the file holds one YAML document', fix: 'write one' },
      ];
      return;
    }
    // What the reader only warns of, such as a tag it does not know, would be read as something else in silence.
    const errors = [...document.errors, ...document.warnings, ...(second?.errors ?? [])];
    if (errors.length > 0) {
      this.problems = errors.map((error) => ({
        file,
        ...this.position(error.pos[0]),
        path: '',
        value: this.lineText(text, error.pos[0]),
        rule: `YAML: ${yamlMessage(error.message)}`,
        fix: 'correct the line',
      }));
      return;
    }
    if (second !== undefined) {
      this.problems = [
        {
          file,
          ...this.position(second.range[0]),
          path: '',
          value: 'a second document',
          rule: 'the file holds one YAML document',
          fix: 'put every run into a file of its own',
        },
      ];
      return;
    }
    this.contents = document.contents;
    const problems = [...this.checkNodes(document), ...this.fillPlaceholders(document, environment)];
    const value = problems.length > 0 ? undefined : this.readValue(document);
    if (value instanceof ReferenceError) {
      problems.push({
        file,
        path: '',
        value: '(aliases of aliases)',
        rule: `aliases stand for at most ${String(MOST_ALIASES)} copies`,
        fix: 'write the values out',
      });
    }
    this.problems = problems;
    if (problems.length === 0) this.value = value;
  }

  /** A Problem with the place of its path: the value, or the nearest part of the file that exists. */
  public locate(problem: Problem): LocatedProblem {
    const { node, offset } = this.find(problem.path);
    return {
      file: this.file,
      ...(offset === undefined ? {} : this.position(offset)),
      ...problem,
      value: valueAsWritten(problem.value, node),
    };
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
          path: '',
          value: `*${node.source}`,
          rule: 'an alias repeats what an anchor of its name marked before',
          fix: `mark it with &${node.source}, or put quotes around the text`,
        });
      },
      Pair: (_, pair) => {
        if (isScalar(pair.key)) return;
        problems.push({
          file: this.file,
          ...this.position((pair.key as Node | null)?.range?.[0] ?? 0),
          path: '',
          value: '(a list or map)',
          rule: 'a key is text',
          fix: 'write a name before the colon',
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
            path: '',
            value: node.value,
            rule: `\${${name}} is filled from the environment variable ${name}, which is not set`,
            fix: `export ${name}=… first, or write the value itself`,
          });
        }
        if (names.length > 0 && missing.length === 0) {
          node.value = substitute(node.value, environment, node.type === 'PLAIN');
        }
      },
    });
    return problems;
  }

  /** The node at a path, and where it or the nearest part of the file that exists stands. */
  private find(path: string): { node?: Node; offset?: number } {
    let node: Node | null = this.contents;
    let rest = path;
    let offset = node?.range?.[0];
    while (node !== null && rest !== '') {
      if (isAlias(node)) break;
      const step:
        { readonly node: Node | null; readonly rest: string; readonly offset?: number } | undefined = isMap(
        node,
      )
        ? stepIntoMap(node.items as Pair<Node, Node | null>[], rest)
        : isSeq(node)
          ? stepIntoSeq(node.items as Node[], rest)
          : undefined;
      if (step === undefined) break;
      offset = step.offset ?? offset;
      node = step.node;
      rest = step.rest;
    }
    return {
      ...(node === null || rest !== '' ? {} : { node }),
      ...(offset === undefined ? {} : { offset }),
    };
  }

  private position(offset: number): { line: number; column: number } {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  private lineText(text: string, offset: number): string {
    const { line } = this.lines.linePos(offset);
    return (text.split('\n')[line - 1] ?? '').trim().slice(0, 80);
  }
}

/** A number larger than numbers are held exactly, as its text has it: what was read is another one. */
function valueAsWritten(value: unknown, node: Node | undefined): unknown {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  const source = isScalar(node) ? node.source : undefined;
  return source === undefined || placeholdersIn(source).length > 0 ? value : `(${source})`;
}

/** What the reader says of a fault: its first line, without the place, which stands elsewhere. */
function yamlMessage(message: string): string {
  if (message.startsWith('Maximum call stack')) return 'Brackets are nested too deeply';
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** Keys may hold dots (node labels), so the longest key that begins the rest of the path is taken. */
function stepIntoMap(
  items: readonly Pair<Node, Node | null>[],
  path: string,
): { node: Node | null; rest: string; offset?: number } | undefined {
  const matches = items.flatMap((pair) => {
    const key = isScalar(pair.key) ? String(pair.key.value) : undefined;
    if (key === undefined || !path.startsWith(key)) return [];
    const rest = path.slice(key.length);
    return rest === '' || rest.startsWith('.') || rest.startsWith('[') ? [{ key, rest, pair }] : [];
  });
  const [longest] = matches.sort((a, b) => b.key.length - a.key.length);
  if (longest === undefined) return undefined;
  const { pair, rest } = longest;
  const value = pair.value;
  const offset =
    rest === '' ? (isScalar(value) ? value.range?.[0] : pair.key.range?.[0]) : pair.key.range?.[0];
  return { node: value, rest: rest.replace(/^\./, ''), ...(offset === undefined ? {} : { offset }) };
}

function stepIntoSeq(
  items: readonly Node[],
  path: string,
): { node: Node | null; rest: string; offset?: number } | undefined {
  const match = /^\[(\d+)\]\.?/.exec(path);
  const item = match === null ? undefined : items[Number(match[1])];
  if (match === null || item === undefined) return undefined;
  const offset = item.range?.[0];
  return { node: item, rest: path.slice(match[0].length), ...(offset === undefined ? {} : { offset }) };
}
