/** What a kind of Problem says: `<name>` stands for an argument. Lower case, no full stop. */
export interface ProblemTexts {
  /** What is allowed, as a statement. */
  readonly rule: string;
  /** What to do about it. */
  readonly fix: string;
}

/** Kinds of Problems by their ids: stable words in upper case, which users may look for. */
export type ProblemTable = Readonly<Record<string, ProblemTexts>>;
