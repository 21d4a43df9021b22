import { dirname, join } from 'node:path';
import ts from 'typescript';

/** A TypeScript example in a Markdown file. */
export interface Snippet {
  /** File and line, for messages. */
  readonly place: string;
  readonly text: string;
}

/** The fenced `ts` blocks of a Markdown text. */
export function snippetsOf(file: string, markdown: string): Snippet[] {
  return [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    place: `${file}:${String(markdown.slice(0, match.index).split('\n').length + 1)}`,
    text: match[1] ?? '',
  }));
}

/**
 * Faults that the compiler finds in snippets, each a module of its own that imports this package by its name.
 *
 * @param root the repository
 */
export function compileSnippets(root: string, snippets: readonly Snippet[]): string[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const settings: ts.CompilerOptions = {
    ...options,
    // A reader's example may leave its result unused.
    noUnusedLocals: false,
    types: ['node'],
    paths: {
      'cdk8s-tpu-ray': [join(root, 'lib/index.ts')],
      'cdk8s-tpu-ray/node': [join(root, 'lib/project/index.ts')],
    },
  };
  const files = new Map(
    snippets.map((snippet, index) => [join(root, `docs/snippet-${String(index)}.ts`), snippet]),
  );
  const host = ts.createCompilerHost(settings);
  const getSourceFile = host.getSourceFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  const readFile = host.readFile.bind(host);
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, language, ...rest) => {
    const snippet = files.get(path);
    // The last line makes a module of a snippet without imports.
    return snippet === undefined
      ? getSourceFile(path, language, ...rest)
      : ts.createSourceFile(path, `${snippet.text}\nexport {};\n`, language);
  };
  const program = ts.createProgram([...files.keys()], settings, host);
  const sources = [...files.keys()].map((path) => program.getSourceFile(path));
  return sources.flatMap((source) =>
    [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText, start }) => {
        const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start ?? 0).line;
        const place = files.get(source?.fileName ?? '')?.place ?? dirname(root);
        return `${place} line ${String(line + 1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      },
    ),
  );
}
