import { gib } from './words';

/** What the compiler said about a run at one number of slices; bytes per device. */
export interface FitVerdict {
  readonly slices: number;
  readonly fits: boolean;
  /** Weights, moments and the batch: what lives from step to step. Absent where the compiler refused. */
  readonly argumentBytes?: number;
  /** Activations, gradients and buffers of a step. Absent where the compiler refused. */
  readonly temporaryBytes?: number;
  /** All the step needs, the program included. */
  readonly totalBytes: number;
  /** What the compiler may use of the device's memory. */
  readonly usableBytes: number;
}

/** The compiler's verdict on a run, as `runs/<name>.fit.json` holds it. */
export interface Fit {
  /** Hash of what the verdict depends on, see `fitKey`. */
  readonly key: string;
  /** Versions of what compiled. */
  readonly compiler: Readonly<Record<string, string>>;
  /** One for each number of slices, smallest first. */
  readonly verdicts: readonly FitVerdict[];
}

/** The file of a run's verdict, from the project's directory. */
export function fitPath(runName: string): string {
  return `runs/${runName}.fit.json`;
}

/** The text of a verdict's file. */
export function formatFit(fit: Fit): string {
  return `${JSON.stringify(fit, undefined, 2)}\n`;
}

/** The verdict in a file's text, or undefined when it is not one. */
export function parseFit(text: string): Fit | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isFit(value) ? value : undefined;
}

/** `compiled: 12.6 of 31.2 GiB`, the tightest size first said of an elastic run, or that it is stale. */
export function describeFit(fit: Fit, key: string): string {
  if (fit.key !== key) return 'compiled before its last change: run the compile check again';
  const refused = fit.verdicts.find((verdict) => !verdict.fits);
  const tightest = fit.verdicts.reduce((tight, verdict) =>
    verdict.totalBytes > tight.totalBytes ? verdict : tight,
  );
  const shown = refused ?? tightest;
  const size =
    fit.verdicts.length > 1 ? ` at ${String(shown.slices)} ${shown.slices === 1 ? 'slice' : 'slices'}` : '';
  const figures = `${gib(shown.totalBytes).replace(' GiB', '')} of ${gib(shown.usableBytes)}${size}`;
  return refused === undefined ? `compiled: ${figures}` : `compiled: does not fit, ${figures}`;
}

function isFit(value: unknown): value is Fit {
  if (!isRecord(value) || typeof value['key'] !== 'string' || !isRecord(value['compiler'])) return false;
  const { verdicts } = value as { verdicts?: unknown };
  return Array.isArray(verdicts) && verdicts.length > 0 && verdicts.every(isVerdict);
}

function isVerdict(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['fits'] === 'boolean' &&
    [value['slices'], value['totalBytes'], value['usableBytes']].every((number) => typeof number === 'number')
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
