import { wrapWords } from './words';

/** Attributes of an element; those that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element with children that are markup already. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        ` ${key}="${escapeText(typeof value === 'number' ? shortNumber(value) : (value ?? ''))}"`,
    )
    .join('');
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`;
}

/** Text that means itself in HTML and SVG, in attributes too. */
export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** At most two digits behind the point: enough for a picture. */
function shortNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Widest average character of the fonts that pages ask for, in parts of the font's size. */
const CHARACTER_WIDTH = 0.62;

/** Width of a text, rather too large than too small. */
export function textWidth(text: string, fontSize: number): number {
  return text.length * fontSize * CHARACTER_WIDTH;
}

/** Lines of a text that fit a width, broken at blanks, or anywhere when a word alone is too long. */
export function wrapText(text: string, fontSize: number, width: number): string[] {
  return wrapWords(text, Math.max(1, Math.floor(width / (fontSize * CHARACTER_WIDTH))));
}

/** Lines of text below each other, `y` being the baseline of the first. */
export function textLines(
  lines: readonly string[],
  x: number,
  y: number,
  lineHeight: number,
  attributes: Attributes = {},
): string {
  return lines
    .map((line, index) => element('text', { x, y: y + index * lineHeight, ...attributes }, escapeText(line)))
    .join('');
}
