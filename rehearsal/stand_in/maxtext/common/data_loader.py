"""Where a step's examples come from: nowhere, but it ends, fails and reads absl's flags as MaxText's does."""

from typing import Any

from absl import flags

from maxtext.trainers.pre_train import faults
from maxtext.utils import exceptions

# Kinds of data that grain's worker processes read, which look at a flag.
_WITH_GRAIN = ("hf", "grain")


def load_next_batch(config: Any, step: int, last_process: bool) -> None:
    """Raises StopTraining where MaxText would, with its words."""
    if config.dataset_type in _WITH_GRAIN and not flags.FLAGS.is_parsed():
        raise exceptions.StopTraining("`next(self.data_iterator)` failed with UnparsedFlagAccessError exception: (flags are not parsed).")
    end = faults.end_of_data(step, last_process)
    if end == "out-of-data":
        raise exceptions.StopTraining("You may have run out of training data. Received <class 'StopIteration'> exception: ()")
    if end == "data-error":
        raise exceptions.StopTraining("`next(self.data_iterator)` failed with <class 'OSError'> exception: (the stand-in was told to fail).")
