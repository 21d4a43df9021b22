/** What a command line needs of the process. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Words for a person, on standard error: the cdk8s CLI swallows standard output. */
  readonly print: (text: string) => void;
  /** What was asked for, on standard output. */
  readonly output: (text: string) => void;
  /** Columns of standard output; undefined where it is no terminal. */
  readonly columns?: number | undefined;
}
