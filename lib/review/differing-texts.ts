/** Longest value of a field that is shown whole. */
const LONGEST_VALUE = 80;

/** What is shown before the first difference of values that are not shown whole. */
const CONTEXT = 16;

/** Two values that differ, as two texts that differ too: long ones are cut to where they do. */
export function differingTexts(before: unknown, after: unknown): readonly [before: string, after: string] {
  const [one, other] = isWords(before) && isWords(after) ? differingWords(before, after) : [before, after];
  const texts = [textOf(one), textOf(other)] as const;
  if (texts.every(({ length }) => length <= LONGEST_VALUE)) return texts;
  const start = Math.max(0, commonLength(...texts) - CONTEXT);
  const [was, is] = texts.map((text) => cut(text, start));
  return [was ?? '', is ?? ''];
}

function textOf(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(text: string, start: number): string {
  const end = start + LONGEST_VALUE;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${text.length > end ? '…' : ''}`;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The words of both lists that the other does not have in that order, each with the flag that it belongs to. */
function differingWords(before: readonly string[], after: readonly string[]): readonly [string, string] {
  const common = commonWords(before, after);
  return [
    wordsText(before, new Set(common.map(([one]) => one))),
    wordsText(after, new Set(common.map(([, other]) => other))),
  ];
}

function wordsText(words: readonly string[], common: ReadonlySet<number>): string {
  const shown = words.flatMap((word, index) => {
    if (!common.has(index)) return [word];
    const next = words[index + 1];
    const isFlagOfNext = word.startsWith('--') && next !== undefined && !next.startsWith('-');
    return isFlagOfNext && !common.has(index + 1) ? [word] : [];
  });
  return shown.length === 0 ? 'none' : shown.join(' ');
}

/** Places of a longest common subsequence in both lists. */
function commonWords(before: readonly string[], after: readonly string[]): (readonly [number, number])[] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  const lengthAt = (one: number, other: number): number => lengths[one]?.[other] ?? 0;
  for (let one = before.length - 1; one >= 0; one--) {
    for (let other = after.length - 1; other >= 0; other--) {
      const row = lengths[one];
      if (row === undefined) continue;
      row[other] =
        before[one] === after[other]
          ? lengthAt(one + 1, other + 1) + 1
          : Math.max(lengthAt(one + 1, other), lengthAt(one, other + 1));
    }
  }
  const places: (readonly [number, number])[] = [];
  let [one, other] = [0, 0];
  while (one < before.length && other < after.length) {
    if (before[one] === after[other]) places.push([one++, other++]);
    else if (lengthAt(one + 1, other) >= lengthAt(one, other + 1)) one++;
    else other++;
  }
  return places;
}
