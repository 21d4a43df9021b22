import { problem } from '../../problems';
import type { Path, Problem } from '../../problems';
import { splitArgument } from './model';
import { MAXTEXT_VERSION, isOption, knownModel, nearestOption, readValue, valueRule } from './options';

/** An argument of MaxText's command line, and where the run file says it. */
export interface PlacedArgument {
  readonly key: string;
  readonly value: string;
  /** Where, relative to the trainer: an option, or `arguments[i]`. */
  readonly path: Path;
  /** What the run file has there. */
  readonly given: unknown;
}

/**
 * Python packages that an option imports when it is switched on, and that images/maxtext does not hold. A test compares them with the
 * image's lock.
 */
export const EXTRA_PACKAGES: Readonly<Record<string, string>> = {
  enable_mllog: 'mlperf_logging',
  enable_wandb: 'wandb',
};

/** The same by `key=value`: MaxText 0.2.5 reads these kinds of data with TensorFlow. */
export const EXTRA_PACKAGES_OF_VALUES: Readonly<Record<string, string>> = {
  'dataset_type=tfds': 'tensorflow',
  'dataset_type=c4_mlperf': 'tensorflow',
};

const OVERRIDE = 'override_model_config';

/**
 * Problems of the arguments by MaxText's own table: keys it does not have, values it does not take, keys that the model's file sets, and
 * what model, data and options need besides. Of rules between keys only those are here that a run meets with few arguments; MaxText has
 * some 250, and the rest it tells when the run starts. Paths are relative to the trainer.
 *
 * @param unchecked keys that are passed on as they are
 */
export function judgeArguments(
  model: string,
  placed: readonly PlacedArgument[],
  unchecked: ReadonlySet<string>,
): Problem[] {
  const given = new Map(placed.map(({ key, value }): [string, string] => [key, value]));
  const judged = placed.filter(({ key }) => !unchecked.has(key));
  return [
    ...judged.flatMap((argument) => judgeOne(argument) ?? judgeModelFile(model, argument, given)),
    ...judgeNeeds(model, given),
    ...judgeData(given, placed),
  ];
}

/** Problems of `unchecked`: an entry that speaks of nothing would hide a later mistake. */
export function judgeUnchecked(unchecked: readonly string[], keys: readonly string[]): Problem[] {
  return unchecked.flatMap((key, index) =>
    keys.includes(key) ? [] : [problem('UNCHECKED_IDLE', ['unchecked', index], key)],
  );
}

function judgeOne({ key, value, path, given }: PlacedArgument): Problem[] | undefined {
  if (!isOption(key)) {
    const near = nearestOption(key);
    return [
      problem('MAXTEXT_KEY', path, given, {
        maxtext: MAXTEXT_VERSION,
        key,
        advice:
          near === undefined
            ? `remove it, or for another MaxText add ${key} to trainer.unchecked`
            : `did you mean ${near}?`,
      }),
    ];
  }
  const rule = valueRule(key, value);
  if (rule !== undefined) {
    return [problem('MAXTEXT_VALUE', path, given, { key, maxtext: MAXTEXT_VERSION, rule })];
  }
  const extra =
    EXTRA_PACKAGES_OF_VALUES[`${key}=${value}`] ?? (readsAsTrue(value) ? EXTRA_PACKAGES[key] : undefined);
  if (extra !== undefined) return [problem('MAXTEXT_PACKAGE', path, given, { key, extra })];
  return undefined;
}

function judgeModelFile(
  model: string,
  { key, value, path, given }: PlacedArgument,
  all: ReadonlyMap<string, string>,
): Problem[] {
  const sets = knownModel(model)?.sets ?? {};
  if (!Object.hasOwn(sets, key) || readsAsTrue(all.get(OVERRIDE))) return [];
  const own = sets[key];
  if (isSame(own, readValue(value))) return [];
  return [problem('MODEL_FILE', path, given, { model, key, text: text(own) })];
}

/** What a model needs besides its name. */
function judgeNeeds(model: string, given: ReadonlyMap<string, string>): Problem[] {
  const known = knownModel(model);
  if (known?.refused !== undefined) {
    return [problem('MODEL_REFUSED', ['model'], model, { maxtext: MAXTEXT_VERSION, refused: known.refused })];
  }
  const needs = known?.needs;
  if (needs === undefined || needs.some((entries) => entries.every((entry) => holds(entry, given))))
    return [];
  return [
    problem('MODEL_NEEDS', ['model'], model, {
      maxtext: MAXTEXT_VERSION,
      needs: needs.map((entries) => entries.join(' and ')).join(', or with '),
      first: (needs[0] ?? []).join(' and '),
    }),
  ];
}

function holds(entry: string, given: ReadonlyMap<string, string>): boolean {
  const [key, value] = splitArgument(entry);
  const own = given.get(key);
  return own !== undefined && isSame(readValue(value), readValue(own));
}

/**
 * What a kind of data needs.
 * @see https://github.com/AI-Hypercomputer/maxtext src/maxtext/configs/types.py (0.2.5, data input validations)
 */
function judgeData(given: ReadonlyMap<string, string>, placed: readonly PlacedArgument[]): Problem[] {
  const has = (key: string): boolean => {
    const value = readValue(given.get(key) ?? '');
    return value !== null && value !== '';
  };
  const kind = given.get('dataset_type');
  const missing = (reason: string, advice: string): Problem[] => [
    problem('MAXTEXT_DATA', placed.find(({ key }) => key === 'dataset_type')?.path ?? ['datasetType'], kind, {
      reason,
      advice,
    }),
  ];
  const evaluates = Number(given.get('eval_interval') ?? -1) > 0;
  if (kind === 'hf') {
    if (!has('hf_path'))
      return missing('data of Hugging Face needs hf_path', 'add hf_path=… to the arguments');
    if (evaluates && !has('hf_eval_split') && !has('hf_eval_files')) {
      return missing(
        'evaluation needs hf_eval_split or hf_eval_files',
        'add one, or leave eval_interval out',
      );
    }
  }
  if (kind === 'grain') {
    const file = given.get('grain_file_type') ?? 'arrayrecord';
    const parquet = file === 'parquet' && has('hf_path');
    const records = file === 'tfrecord' && has('dataset_path');
    if (!has('grain_train_files') && !has('grain_train_mixture_config_path') && !parquet && !records) {
      return missing(
        'data of grain needs grain_train_files, or grain_train_mixture_config_path, or hf_path with grain_file_type=parquet, or dataset_path with grain_file_type=tfrecord',
        'add grain_train_files=… to the arguments',
      );
    }
    if (evaluates && !has('grain_eval_files') && !parquet && !records) {
      return missing(
        'evaluation needs grain_eval_files',
        'add grain_eval_files=…, or leave eval_interval out',
      );
    }
  }
  return [];
}

function readsAsTrue(value: string | undefined): boolean {
  const read = readValue(value ?? '');
  return read === true || read === 1 || (typeof read === 'string' && read.toLowerCase() === 'true');
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}

/** Python takes true for 1, and false for 0. */
function plain(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
