import { stringify } from 'yaml';

/** How cdk8s writes YAML. */
const WRITE_OPTIONS = { version: '1.1', lineWidth: 0, keepUndefined: true } as const;

/**
 * Characters that YAML readers take for line breaks, drop or refuse, and halves of surrogate pairs. Other control characters are written
 * as escapes and survive.
 */
const LOST_CHARACTER = /[\u007f-\u009f\u2028\u2029\ufffe\uffff]|\p{Surrogate}/u;

/** After underscores are taken out, what the Go reader of the Kubernetes tools takes for a number. */
const GO_NUMBER =
  /^[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;

/** Several lines that begin with a tab, or are blank with spaces among them: the Go reader refuses or loses them in a block. */
const BLOCK_START_LOST = /^\n*\t|^[ \n]*[ \t][ \n\t]*$/;

/**
 * Why a text would not be read back as written by YAML 1.1 readers and the Go reader of kubectl and GitOps tools, or undefined if it would.
 * Only texts that a reader is known to misread are looked for: the list is what is left of a comparison of some 400,000 hostile texts with
 * sigs.k8s.io/yaml 1.6.
 */
export function misreading(text: string): string | undefined {
  const lost = lostCharacter(text);
  if (lost !== undefined) return lost;
  if (text.includes('\n')) {
    if (!BLOCK_START_LOST.test(text) || !written(text).startsWith('|')) return undefined;
    return 'YAML readers refuse a block of lines that begins with a tab or is blank';
  }
  const first = text.charCodeAt(0);
  if (!isNumberStart(first) || !GO_NUMBER.test(text.replaceAll('_', ''))) return undefined;
  return written(text) === text ? 'kubectl would read this text as a number' : undefined;
}

/** Why a text is not read back as written wherever it stands, or undefined: it has a character that YAML readers lose. */
export function lostCharacter(text: string): string | undefined {
  const lost = LOST_CHARACTER.exec(text)?.[0];
  if (lost === undefined) return undefined;
  const code = (lost.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `the character U+${code} does not survive YAML`;
}

function written(text: string): string {
  return stringify(text, WRITE_OPTIONS).trimEnd();
}

/** Digits, sign and dot: cheaper than an expression, for this is asked of every text. */
function isNumberStart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e;
}
