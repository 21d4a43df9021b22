import { stringify } from 'yaml';
import type { Data } from './documents';
import type { Random } from './random';

/** Values nobody expects. */
const HOSTILE: readonly Data[] = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  'true',
  'null',
  'llama',
  '4x4',
  '2x2x2',
  'v6e',
  'gs://my-bucket/x',
  '/data',
  '/data/../etc',
  '-rf',
  '--flag',
  'a b',
  'a\nb',
  'a\tb',
  'UPPER',
  'under_score',
  'ümlaut',
  '😀',
  '${HOME}',
  '$(x)',
  '`x`',
  '"',
  "'",
  '%',
  '#',
  '&a',
  '*a',
  '<<',
  '=',
  '0o755',
  '1e3',
  '2026-01-02',
  '1:30',
  'x'.repeat(64),
  'y'.repeat(5000),
  '\u0000',
  '\u0085',
  '\u2028',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'hf_abcdefghijklmnopqrstuvwxyz',
  'https://user:password@host/x',
  '1.36.0-gke.1',
  '1.4.0',
  '9.9.9',
  '10Gi',
  '0Gi',
  '500m',
  '1e9Ti',
  0,
  1,
  2,
  3,
  -1,
  0.5,
  1e21,
  -0,
  9007199254740993,
  2147483648,
  true,
  false,
  null,
  [],
  {},
  [null],
  [[]],
  { a: 1 },
  ['a', 'b'],
];

const HOSTILE_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'extra',
  'Name',
  'tpus',
  '',
  ' ',
  'a.b',
  'a/b',
  '0',
  '<<',
  '${X}',
  'name',
  'kind',
  'mode',
  'env',
];

const HOSTILE_TEXT = [
  '\t',
  '\n',
  '\r\n',
  ' ',
  '  ',
  ':',
  ': ',
  '- ',
  '#',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ',',
  '|',
  '>',
  '&a ',
  '*a',
  '!x ',
  '!!binary ',
  '!!set ',
  '%',
  '@',
  '`',
  '?',
  '? ',
  '---\n',
  '...\n',
  '<<: ',
  '\u0000',
  '\ufeff',
  '\u0085',
  '\u2028',
  '\ud800',
  '\\',
  '$',
  '${X}',
  '${',
  '0',
  'x',
];

/** The document with one to three mutations of its data or its text. */
export function mutate(document: { readonly [key: string]: Data }, random: Random): string {
  const data: Data = structuredClone(document);
  const count = 1 + random.below(3);
  const ofText = random.below(3) === 0;
  if (ofText) {
    let text = stringify(data);
    for (let step = 0; step < count; step += 1) text = mutateText(text, random);
    return text;
  }
  for (let step = 0; step < count; step += 1) mutateData(data, random);
  return stringify(data);
}

interface Slot {
  readonly holder: Data[] | { [key: string]: Data };
  readonly key: string | number;
}

function mutateData(root: Data, random: Random): void {
  const slots = slotsOf(root);
  if (slots.length === 0) return;
  const { holder, key } = random.pick(slots);
  if (Array.isArray(holder)) {
    mutateItem(holder, Number(key), random);
    return;
  }
  const name = String(key);
  const value = holder[name] ?? null;
  switch (random.below(7)) {
    case 0:
      Reflect.deleteProperty(holder, name);
      return;
    case 1:
      Reflect.deleteProperty(holder, name);
      define(holder, misspelt(name, random), value);
      return;
    case 2:
      define(holder, random.pick(HOSTILE_KEYS), structuredClone(random.pick(HOSTILE)));
      return;
    case 3:
      define(holder, name, [value]);
      return;
    case 4:
      define(holder, name, structuredClone(random.pick(slots.map((slot) => valueIn(slot)))));
      return;
    default:
      define(holder, name, structuredClone(random.pick(HOSTILE)));
  }
}

function mutateItem(list: Data[], index: number, random: Random): void {
  switch (random.below(4)) {
    case 0:
      list.splice(index, 1);
      return;
    case 1:
      list.push(structuredClone(list[index] ?? null));
      return;
    default:
      list[index] = structuredClone(random.pick(HOSTILE));
  }
}

/** As YAML would have it: `__proto__` as a key of its own. */
function define(holder: { [key: string]: Data }, key: string, value: Data): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function slotsOf(value: Data): Slot[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => [{ holder: value, key: index }, ...slotsOf(item)]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [{ holder: value, key }, ...slotsOf(item)]);
}

function valueIn({ holder, key }: Slot): Data {
  return (Array.isArray(holder) ? holder[Number(key)] : holder[String(key)]) ?? null;
}

function misspelt(name: string, random: Random): string {
  const at = random.below(Math.max(1, name.length));
  switch (random.below(4)) {
    case 0:
      return name.slice(0, at) + name.slice(at + 1);
    case 1:
      return name.slice(0, at) + name.charAt(at) + name.slice(at);
    case 2:
      return name.toUpperCase();
    default:
      return `${name.slice(0, at)}_${name.slice(at)}`;
  }
}

function mutateText(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const lines = text.split('\n');
  const line = random.below(lines.length);
  switch (random.below(8)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.below(5));
    case 2:
      return [...lines.slice(0, line), lines[line] ?? '', ...lines.slice(line)].join('\n');
    case 3:
      return [...lines.slice(0, line), ` ${lines[line] ?? ''}`, ...lines.slice(line + 1)].join('\n');
    case 4:
      return [...lines.slice(0, line), ...lines.slice(line + 1)].join('\n');
    default:
      return text.slice(0, at) + random.pick(HOSTILE_TEXT) + text.slice(at);
  }
}
