"""The outcomes only a MaxText run has. ``docs/training.md`` says what to do for each."""

from tpu_trainers import train_outcome
from tpu_trainers.train_outcome import Outcome

CONFIGURATION_REFUSED = Outcome("configuration-refused", 42, "MaxText refused its configuration; not retried")
MAXTEXT_NOT_FOUND = Outcome("maxtext-not-found", 43, "the image has no MaxText with a known entry point and base config; not retried")

OUTCOMES = (*train_outcome.SHARED, CONFIGURATION_REFUSED, MAXTEXT_NOT_FOUND)
