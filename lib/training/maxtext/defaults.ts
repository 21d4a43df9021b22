/** Examples per device of a run that does not say. MaxText's own default is 12. */
export const DEFAULT_BATCH = 1;

/** Tokens per example of a run that does not say: MaxText's own default too. */
export const DEFAULT_LENGTH = 2048;

/** MaxText's own steps between checkpoints. */
export const DEFAULT_CHECKPOINT_PERIOD = 10_000;
