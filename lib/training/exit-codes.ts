import exitCodes from '../../trainers/tpu_trainers/exit-codes.json';

/** Python module of the submitter. */
export const SUBMITTER_MODULE = 'tpu_trainers.submit';

/**
 * Exit codes after which the submitter must not be started again: the run has ended, or a person has to act. The
 * Python package holds the table, since it travels to the cluster.
 */
export const SUBMITTER_FINAL_EXIT_CODES: readonly number[] = exitCodes
  .filter(({ code, retry }) => code !== 0 && !retry)
  .map(({ code }) => code)
  .sort((a, b) => a - b);
