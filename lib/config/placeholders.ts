import { parseDocument } from 'yaml';

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Names of the `${NAME}` in a text, each once. */
export function placeholdersIn(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''))];
}

/**
 * The text with every `${NAME}` filled in. A plain (unquoted) scalar is then read as YAML reads it, so that
 * `steps: ${STEPS}` can be a number; a quoted one stays text.
 */
export function substitute(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  plain: boolean,
): unknown {
  const filled = text.replace(PLACEHOLDER, (_, name: string) => environment[name] ?? '');
  if (!plain || !/^[-+.0-9A-Za-z~]*$/.test(filled)) return filled;
  const scalar: unknown = parseDocument(filled, { version: '1.2' }).toJS();
  return typeof scalar === 'number' || typeof scalar === 'boolean' ? scalar : filled;
}
