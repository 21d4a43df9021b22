import type { Data } from './documents';

export type Document = 'platform' | 'run';
export type Changes = Readonly<Record<string, Data | undefined>>;

/** One wrong thing, with where it must be seen and what the message must say. */
export interface WrongInput {
  readonly what: string;
  /** The document that is wrong. */
  readonly document: Document;
  readonly changes: Changes;
  /** Changes of the other document that make it wrong. */
  readonly beside?: Changes;
  /** Which of the base documents it starts from; the first if left out. */
  readonly base?: number;
  /** Path of the Problem; the changed one if left out. */
  readonly at?: string;
  /** What rule or fix must say: the allowed values, or a part of the sentence that names them. */
  readonly says: RegExp;
}
