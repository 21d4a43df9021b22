import { createHash } from 'node:crypto';

/** Digits of the hash in a Job's name. */
const HASH_DIGITS = 8;

/** What would change a run. Nothing else may enter the hash. */
export interface IdentityInput {
  /** Digest of the trainer kind's sources, see `digestOf`. */
  readonly sources: string;
  readonly image: string;
  /** The trainer's whole command line. */
  readonly command: readonly string[];
  readonly generation: string;
  readonly topology: string;
  readonly machineType: string;
  readonly slices: { readonly min: number; readonly max: number };
  readonly runId?: string;
}

/** Names that carry the run's identity. */
export interface RunIdentity {
  readonly jobName: string;
  readonly submissionId: string;
}

/** The identity of a run: the Job's name and Ray's submission id. */
export function identityOf(runName: string, input: IdentityInput): RunIdentity {
  const jobName = `${runName}-${digestOf(input)}`;
  return { jobName, submissionId: jobName };
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
