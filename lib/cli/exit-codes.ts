/** Names of the commands of `cdk8s-tpu-ray`. */
export type CommandName =
  'synth' | 'plan' | 'doctor' | 'compile-check' | 'rehearse' | 'up' | 'down' | 'status' | 'completion';

/** An exit code of a command and what it means. */
export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

/** Arguments or options are wrong, of whatever command. */
export const USAGE_EXIT = 2;

const USAGE: ExitCode = { code: USAGE_EXIT, meaning: 'wrong usage' };

/** What scripts/gcloud ends with (lib/outcome.sh); of several the first in the order 3, 1, 6, 4, 9, 7, 5 counts. */
const INFRASTRUCTURE: readonly ExitCode[] = [
  { code: 0, meaning: 'all is as infrastructure.tsv says' },
  { code: 1, meaning: 'something failed: see its line' },
  { code: USAGE_EXIT, meaning: 'wrong usage, or infrastructure.tsv is not what docs/interfaces.md says' },
  { code: 3, meaning: 'the preflight found a reason to stop; nothing was created' },
  { code: 4, meaning: 'something exists, but differs; nothing of it was changed' },
  { code: 5, meaning: 'no capacity, or no quota' },
  { code: 6, meaning: 'permission denied' },
  { code: 7, meaning: 'the cluster stayed busy, or a wait took too long' },
  { code: 8, meaning: 'not confirmed: nothing was deleted' },
  { code: 9, meaning: 'something could not be deleted' },
];

/** Exit codes of every command: the only table. Help and docs/exit-codes.md are made from it. */
export const EXIT_CODES: Readonly<Record<CommandName, readonly ExitCode[]>> = {
  synth: [
    { code: 0, meaning: 'written; with --check, the output is up to date' },
    { code: 1, meaning: 'refused, and nothing was written; with --check, the output differs' },
    USAGE,
  ],
  plan: [
    { code: 0, meaning: 'shown' },
    {
      code: 1,
      meaning: 'a project is refused, the other side cannot be read, or the output cannot be written',
    },
    USAGE,
    { code: 3, meaning: 'a condition of --fail-on holds' },
  ],
  doctor: [
    { code: 0, meaning: 'all ok' },
    { code: 1, meaning: 'something is missing' },
    USAGE,
    { code: 3, meaning: 'nothing is missing, but something could not be told' },
  ],
  'compile-check': [
    { code: 0, meaning: 'all runs fit' },
    { code: 1, meaning: 'the compiler failed for another reason than memory' },
    USAGE,
    { code: 3, meaning: 'a run does not fit' },
    { code: 4, meaning: "the compiler's environment cannot be made" },
  ],
  rehearse: [
    { code: 0, meaning: 'no findings' },
    { code: 1, meaning: 'findings' },
    { code: USAGE_EXIT, meaning: 'wrong usage, or nothing to rehearse' },
  ],
  up: INFRASTRUCTURE,
  down: INFRASTRUCTURE,
  status: INFRASTRUCTURE,
  completion: [{ code: 0, meaning: 'written' }, USAGE],
};
