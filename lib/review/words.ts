import type { CapacitySpec } from '../tpu';

export { rangeText } from '../training';

/** `1 host`, `4 hosts`. */
export function count(amount: number, thing: string): string {
  return `${String(amount)} ${thing}${amount === 1 ? '' : 's'}`;
}

/** `spot`, or `reservation NAME of PROJECT`. */
export function capacityText(capacity: CapacitySpec): string {
  if (capacity.kind !== 'reservation') return capacity.kind;
  return capacity.project === undefined
    ? `reservation ${capacity.name}`
    : `reservation ${capacity.name} of ${capacity.project}`;
}

/** Lines of at most `width` characters, broken at blanks, or anywhere when a word alone is too long. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const end = blank > 0 ? blank : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
