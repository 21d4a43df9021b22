import { createHash } from 'node:crypto';
import type { EnvValue } from './run-spec';

/** Hexadecimal digits of a hash in a name. */
const HASH_DIGITS = 8;

/** What a run trains. Nothing else may enter the hash of its submission id. */
export interface RunContents {
  readonly image: string;
  /** The trainer's whole command line, its own environment included. */
  readonly command: readonly string[];
  /** Environment of head and workers as the run file has it; a Secret by name and key. */
  readonly environment: Readonly<Record<string, EnvValue>>;
  readonly generation: string;
  readonly topology: string;
  readonly machineType: string;
  readonly slices: { readonly min: number; readonly max: number };
  readonly runId?: string;
}

/**
 * The id under which Ray knows a run: `<run>-<hash>`. Only what trains changes it, so that whatever else changes attaches to the run that is there.
 *
 * @param runName at most 41 characters
 */
export function submissionIdOf(runName: string, contents: RunContents): string {
  return `${runName}-${digestOf(contents)}`;
}

/**
 * Fields of a Job's spec that Kubernetes lets be changed while the Job is there. All others are immutable and enter the Job's name.
 * @see https://github.com/kubernetes/kubernetes pkg/apis/batch/validation (ValidateJobSpecUpdate)
 */
export const MUTABLE_JOB_FIELDS = [
  'activeDeadlineSeconds',
  'backoffLimit',
  'parallelism',
  'suspend',
  'ttlSecondsAfterFinished',
] as const;

/**
 * The name of a Job: `<submission id>-<hash>`, at most 59 characters. The hash is over the rendered spec but for `MUTABLE_JOB_FIELDS`: a Job
 * that the API server would refuse to change has another name, and never needs to be replaced.
 *
 * @param spec the Job's spec as it is written
 */
export function jobNameOf(submissionId: string, spec: Readonly<Record<string, unknown>>): string {
  const isMutable = (key: string): boolean => (MUTABLE_JOB_FIELDS as readonly string[]).includes(key);
  const fixed = Object.entries(spec).filter(([key]) => !isMutable(key));
  return `${submissionId}-${digestOf(Object.fromEntries(fixed))}`;
}

/** First digits of the SHA-256 of a value's canonical JSON: keys in order, absent keys left out. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, HASH_DIGITS);
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
    return `{${entries.join(',')}}`;
  }
  return JSON.stringify(value);
}
