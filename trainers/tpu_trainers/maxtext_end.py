"""What it means that MaxText's ``main`` returned: it returns normally at most of its ends, and only one of them is a success.

MaxText 0.2.5 raises StopTraining where its data ends or cannot be read (common/data_loader.py), where an evaluation reaches
``target_eval_loss`` (common/metric_logger.py) and where it is told to leave (common/checkpointing.py), logs ``Training stopped: `` with the
reason, leaves out the last checkpoint and returns (trainers/pre_train/train.py). Where the newest checkpoint has the last step already, it
returns without a word.
"""

import re
from dataclasses import dataclass

from tpu_trainers import maxtext_exit_codes, train_outcome
from tpu_trainers.train_outcome import Outcome

_STOPPED = re.compile(r"Training stopped: (.*)", re.DOTALL)
# 0.2.5 says "Job received termination signal (SIGTERM).", older ones "Job is preempted.".
_PREEMPTED = re.compile(r"Job (?:received termination signal|is preempted)")
# By the first words of the reason; 0.1.0 names load_next_batch() where 0.2.5 names next(self.data_iterator).
_REASONS = (
    (re.compile(r"You may have run out of training data"), maxtext_exit_codes.OUT_OF_DATA),
    (re.compile(r"`?(?:next\(self\.data_iterator\)|load_next_batch\(\))`? failed"), maxtext_exit_codes.DATA_ERROR),
    (re.compile(r"Target loss .*achieved", re.DOTALL), maxtext_exit_codes.TARGET_REACHED),
)


@dataclass(frozen=True)
class End:
    """A normal return, as one worker saw it.

    ``stopped``: MaxText's own reason for stopping, None without one. ``asked``: its parameter ``steps``, None when it is not known. ``last``:
    the highest step that the run has completed, in any of its groups. ``saved``: the step of the newest checkpoint in ``folder``, None
    without one. ``saves``: whether the last step has to be saved; None when MaxText was not seen saving, so that nothing is known of it.
    """

    rank: int
    stopped: str | None
    asked: int | None
    last: int | None
    saves: bool | None = None
    saved: int | None = None
    folder: str | None = None


def stop_reason(line: str) -> str | None:
    """MaxText's reason in the line with which it says that it stops, None in any other line."""
    found = _STOPPED.search(line)
    return found[1].strip() if found else None


def is_preemption(reason: str) -> bool:
    """Whether MaxText stopped, with its checkpoint saved, because it was told to leave."""
    return _PREEMPTED.match(reason) is not None


def judge(end: End) -> tuple[Outcome, str]:
    """The outcome of a normal return, and one line that says why."""
    if end.stopped is not None:
        outcome = next((outcome for pattern, outcome in _REASONS if pattern.match(end.stopped)), train_outcome.ENDED_EARLY)
        return outcome, f"{_trained(end)}, then MaxText stopped on rank {end.rank}: {end.stopped.rstrip('.')}; {_newest(end)}"
    if end.asked is None:
        return train_outcome.ENDED_EARLY, f"MaxText returned, and how many steps it was asked for is not known; {_trained(end)}"
    if end.last is None:
        return train_outcome.NOTHING_TO_TRAIN, (
            f"no step was trained: {end.asked} steps are asked for, and {_newest(end)}; ask for more steps, or give the run another "
            "base_output_directory or run_name if that checkpoint is another run's"
        )
    if end.last < end.asked - 1:
        return train_outcome.ENDED_EARLY, f"{_trained(end)}, then MaxText returned without a reason; {_newest(end)}"
    if end.saves and (end.saved is None or end.saved < end.asked - 1):
        return train_outcome.ENDED_EARLY, f"{_trained(end)}, but the last one was not saved: {_newest(end)}"
    return train_outcome.FINISHED, f"{_trained(end)}, the last is {end.last}; {_newest(end)}"


def _trained(end: End) -> str:
    trained = 0 if end.last is None else end.last + 1
    return f"{trained} of {'an unknown number of' if end.asked is None else end.asked} steps trained"


def _newest(end: End) -> str:
    if end.saves is None:
        return "what it saved is not known"
    where = f" in {end.folder}" if end.folder else ""
    if end.saved is not None:
        return f"the newest checkpoint{where} is step {end.saved}"
    return f"no checkpoint was saved{where}"
