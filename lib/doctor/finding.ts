import { at } from '../review';

/** What can be said of a thing that must be there. */
export type Verdict = 'ok' | 'missing' | 'unknown';

/** One line of the doctor: what was looked at, what was found, and what to do unless it is ok. */
export interface Finding {
  readonly area: 'machine' | 'cluster' | 'access' | 'run';
  readonly subject: string;
  readonly verdict: Verdict;
  /** What was found. */
  readonly detail: string;
  /** What to do about it; absent when it is ok. */
  readonly remedy?: string;
}

/** What a command answered: its output, or why there is none. */
export type Observation =
  | { readonly isThere: true; readonly output: string }
  | { readonly isThere: false; readonly isNotFound: boolean; readonly reason: string };

/** Nothing was asked, for a reason. */
export function unasked(reason: string): Observation {
  return { isThere: false, isNotFound: false, reason };
}

/** The JSON of an answer; undefined without one. */
export function jsonOf(observation: Observation): unknown {
  if (!observation.isThere) return undefined;
  try {
    return JSON.parse(observation.output);
  } catch {
    return undefined;
  }
}

/** The text or number below keys; undefined where there is neither. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

/** Findings of one area, written with less words. */
export class Examination {
  public readonly findings: Finding[] = [];

  public constructor(private readonly area: Finding['area']) {}

  public ok(subject: string, detail: string): void {
    this.findings.push({ area: this.area, subject, verdict: 'ok', detail });
  }

  public missing(subject: string, detail: string, remedy: string): void {
    this.findings.push({ area: this.area, subject, verdict: 'missing', detail, remedy });
  }

  public cannotTell(subject: string, detail: string, remedy: string): void {
    this.findings.push({ area: this.area, subject, verdict: 'unknown', detail, remedy });
  }

  /** Says of a thing that was asked for by name whether it is there. */
  public presence(subject: string, observation: Observation, remedy: string): void {
    if (observation.isThere) this.ok(subject, 'there');
    else if (observation.isNotFound) this.missing(subject, 'not there', remedy);
    else this.cannotTell(subject, observation.reason, remedy);
  }
}
