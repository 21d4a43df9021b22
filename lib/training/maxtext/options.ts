import { parse } from 'yaml';
import { nearestName } from '../../nearest-name';
import table from './options.json';

/** A kind of value, as MaxText's own types name it. */
type Kind = 'bool' | 'int' | 'float' | 'str' | 'list' | 'map' | 'null';

/** What MaxText takes for a key. */
interface Option {
  /** The value is of one of them; none where any value will do. */
  readonly kinds: readonly Kind[];
  readonly values?: readonly (string | number | boolean)[];
  readonly minimum?: number;
  readonly above?: number;
  readonly maximum?: number;
  readonly below?: number;
}

/** A model that MaxText knows by name. */
export interface KnownModel {
  /** What its file sets; MaxText refuses another value. Undefined where it has no file, so that MaxText would build its default model. */
  readonly sets?: Readonly<Record<string, unknown>>;
  /** Lists of arguments of which MaxText needs one beside the name. */
  readonly needs?: readonly (readonly string[])[];
  /** Why MaxText refuses it whatever is added. */
  readonly refused?: string;
}

/** The version of MaxText that the table was made from. */
export const MAXTEXT_VERSION: string = table.maxtext;

const OPTIONS: Readonly<Record<string, Option>> = table.keys as Readonly<Record<string, Option>>;
const MODELS: Readonly<Record<string, KnownModel>> = table.models;

/** Every key of MaxText, those of its groups with a dot. */
export const MAXTEXT_OPTIONS: readonly string[] = Object.keys(OPTIONS);

/** Names that MaxText takes for `model_name`. */
export const MAXTEXT_MODELS: readonly string[] = Object.keys(MODELS);

/** What MaxText knows of a model, or undefined where it does not know the name. */
export function knownModel(name: string): KnownModel | undefined {
  return Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
}

/** Whether MaxText has the key. */
export function isOption(key: string): boolean {
  return Object.hasOwn(OPTIONS, key);
}

/** The key of MaxText that is nearest to a misspelt one. */
export function nearestOption(key: string): string | undefined {
  return nearestName(key, MAXTEXT_OPTIONS);
}

/** What MaxText reads in an argument's text: YAML 1.1, where nothing and `none` are null; undefined where it is no YAML. */
export function readValue(text: string): unknown {
  let value: unknown;
  try {
    value = parse(text, { version: '1.1', logLevel: 'error', merge: false });
  } catch {
    return undefined;
  }
  return typeof value === 'string' && value.toLowerCase() === 'none' ? null : value;
}

/** What a value of a key should be where it is not, as in `true or false`; undefined where MaxText takes it. */
export function valueRule(key: string, text: string): string | undefined {
  const option = OPTIONS[key];
  // OmegaConf fills in ${…} from other keys.
  if (option === undefined || option.kinds.length === 0 || text.includes('${')) return undefined;
  const value = readValue(text);
  return option.kinds.some((kind) => isOf(kind, value, option)) ? undefined : describe(option);
}

function isOf(kind: Kind, value: unknown, option: Option): boolean {
  switch (kind) {
    case 'null':
      return value === null;
    case 'list':
      return Array.isArray(value);
    case 'map':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'str':
      return typeof value === 'string' && isAllowed(value, option);
    case 'bool':
      return asBoolean(value) !== undefined;
    case 'int':
    case 'float': {
      const number = asNumber(value, kind === 'int');
      return number !== undefined && isAllowed(number, option) && isWithin(number, option);
    }
  }
}

function isAllowed(value: string | number, { values }: Option): boolean {
  return values === undefined || values.includes(value);
}

function isWithin(number: number, option: Option): boolean {
  const { minimum = -Infinity, above = -Infinity, maximum = Infinity, below = Infinity } = option;
  const isAbove = above === -Infinity || number > above;
  const isBelow = below === Infinity || number < below;
  return number >= minimum && isAbove && number <= maximum && isBelow;
}

/** Pydantic takes these words, in any case, and the numbers 0 and 1. */
const TRUE = ['1', 'on', 't', 'true', 'y', 'yes'];
const FALSE = ['0', 'off', 'f', 'false', 'n', 'no'];

function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 0 || value === 1) return value === 1;
  if (typeof value !== 'string') return undefined;
  const word = value.toLowerCase();
  return TRUE.includes(word) ? true : FALSE.includes(word) ? false : undefined;
}

/** A number as pydantic takes it: booleans count as 0 and 1, and text may hold one. */
function asNumber(value: unknown, whole: boolean): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  const text = typeof value === 'string' ? value.trim().replaceAll(/(?<=\d)_(?=\d)/g, '') : undefined;
  const pattern = whole ? /^[-+]?\d+(\.0+)?$/ : /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
  const number =
    typeof value === 'number' ? value : text !== undefined && pattern.test(text) ? Number(text) : undefined;
  if (number === undefined) {
    return !whole && /^[-+]?(inf|infinity|nan)$/i.test(text ?? '') ? Number.NaN : undefined;
  }
  return whole && !Number.isInteger(number) ? undefined : number;
}

const TITLES: Readonly<Record<Kind, string>> = {
  bool: 'true or false',
  int: 'a whole number',
  float: 'a number',
  str: 'text (a number or yes needs quotes: key="5")',
  list: 'a list, as in [a, b]',
  map: 'a map, as in {a: 1}',
  null: 'none',
};

function describe(option: Option): string {
  const kinds = option.kinds.map((kind) => {
    if (kind === 'str' && option.values !== undefined) return option.values.join(', ');
    const isNumber = kind === 'int' || kind === 'float';
    return isNumber ? [TITLES[kind], ...bounds(option)].join(' ') : TITLES[kind];
  });
  return [...new Set(kinds)].join(', or ');
}

function bounds({ minimum, above, maximum, below }: Option): string[] {
  return [
    ...(minimum === undefined ? [] : [`from ${String(minimum)}`]),
    ...(above === undefined ? [] : [`above ${String(above)}`]),
    ...(maximum === undefined ? [] : [`to ${String(maximum)}`]),
    ...(below === undefined ? [] : [`below ${String(below)}`]),
  ];
}
