"""The outcomes only a MaxText run has. ``docs/training.md`` says what to do for each."""

from tpu_trainers import train_outcome
from tpu_trainers.train_outcome import Outcome

CONFIGURATION_REFUSED = Outcome("configuration-refused", 42, "MaxText refused its configuration; not retried")
MAXTEXT_NOT_FOUND = Outcome("maxtext-not-found", 43, "the image has no MaxText with a known entry point and base config; not retried")
OUT_OF_DATA = Outcome("out-of-data", 60, "the training data ended before the last step; not retried")
DATA_ERROR = Outcome("data-error", 61, "the training data could not be read; not retried")
TARGET_REACHED = Outcome("target-reached", 62, "an evaluation reached target_eval_loss before the last step; what came after the newest checkpoint is not saved")

OUTCOMES = (*train_outcome.SHARED, CONFIGURATION_REFUSED, MAXTEXT_NOT_FOUND, OUT_OF_DATA, DATA_ERROR, TARGET_REACHED)
