"""A1, A2: what a normal return of MaxText means."""

from types import SimpleNamespace

import pytest

from tpu_trainers import maxtext_end, maxtext_exit_codes, train_outcome
from tpu_trainers.maxtext_end import End
from tpu_trainers.maxtext_inside import Inside

OUT = "You may have run out of training data. Received <class 'StopIteration'> exception: ()"
# 0.2.5's words and 0.1.0's.
ERROR = "`next(self.data_iterator)` failed with <class 'PermissionError'> exception: (403)."
OLDER_ERROR = "`load_next_batch()` failed with <class 'OSError'> exception: (Transport endpoint is not connected)."
TARGET = "Target loss self.config.target_eval_loss=3.3 is achieved."


def end(**changes) -> End:
    return End(**{"rank": 0, "stopped": None, "asked": 200, "last": 199, "saves": True, "saved": 199, "folder": "gs://b/r/checkpoints"} | changes)


def test_the_last_step_trained_and_saved_is_the_only_success():
    assert maxtext_end.judge(end()) == (
        train_outcome.FINISHED,
        "200 of 200 steps trained, the last is 199; the newest checkpoint in gs://b/r/checkpoints is step 199",
    )
    # Nothing more was asked for: checkpoints are off, or the last one is.
    assert maxtext_end.judge(end(saves=False, saved=None))[0] is train_outcome.FINISHED
    assert maxtext_end.judge(end(saves=False, saved=100))[0] is train_outcome.FINISHED


@pytest.mark.parametrize(
    ("stopped", "outcome"),
    [
        (OUT, maxtext_exit_codes.OUT_OF_DATA),
        (ERROR, maxtext_exit_codes.DATA_ERROR),
        (OLDER_ERROR, maxtext_exit_codes.DATA_ERROR),
        (TARGET, maxtext_exit_codes.TARGET_REACHED),
        ("Something that no version has said so far", train_outcome.ENDED_EARLY),
    ],
)
def test_A1_a_stop_is_told_with_maxtexts_reason(stopped, outcome):
    found, reason = maxtext_end.judge(end(rank=3, stopped=stopped, last=2, saved=0))
    assert found is outcome
    assert reason == (
        f"3 of 200 steps trained, then MaxText stopped on rank 3: {stopped.rstrip('.')}; the newest checkpoint in gs://b/r/checkpoints is step 0"
    )


def test_A1_a_stop_after_the_last_step_is_no_success_either():
    assert maxtext_end.judge(end(stopped=OUT))[0] is maxtext_exit_codes.OUT_OF_DATA


def test_A1_a_return_without_a_reason_before_the_last_step():
    assert maxtext_end.judge(end(last=7)) == (
        train_outcome.ENDED_EARLY,
        "8 of 200 steps trained, then MaxText returned without a reason; the newest checkpoint in gs://b/r/checkpoints is step 199",
    )


@pytest.mark.parametrize("saved", [None, 100])
def test_A1_a_last_step_that_was_not_saved(saved):
    outcome, reason = maxtext_end.judge(end(saved=saved))
    assert outcome is train_outcome.ENDED_EARLY and "200 of 200 steps trained, but the last one was not saved" in reason


def test_A1_what_cannot_be_proven_is_no_success():
    assert maxtext_end.judge(end(asked=None))[0] is train_outcome.ENDED_EARLY


def test_A2_nothing_to_train():
    outcome, reason = maxtext_end.judge(end(last=None))
    assert outcome is train_outcome.NOTHING_TO_TRAIN
    assert reason.startswith("no step was trained: 200 steps are asked for, and the newest checkpoint in gs://b/r/checkpoints is step 199")
    assert "base_output_directory or run_name" in reason


@pytest.mark.parametrize("line", ["Training stopped: Job received termination signal (SIGTERM).", "Training stopped: Job is preempted."])
def test_a_preemption_is_known_by_its_words(line):
    assert maxtext_end.is_preemption(maxtext_end.stop_reason(line))


def test_other_lines_are_no_stops():
    assert maxtext_end.stop_reason("completed step: 3, seconds: 1.0") is None
    assert not maxtext_end.is_preemption(OUT)


class Manager:
    """A checkpoint manager whose save ends when it is waited for."""

    def __init__(self, before, after):
        self.step, self._after = before, after

    def wait_until_finished(self):
        self.step = self._after

    def latest_step(self):
        return self.step


def entry(manager, **parameters):
    """An entry module that has initialised and saved once when its main has run."""
    config = SimpleNamespace(steps=5, checkpoint_dir="/c", save_checkpoint_on_completion=True, **parameters)
    module = SimpleNamespace(
        pyconfig=SimpleNamespace(initialize=lambda argv: config),
        checkpointing=SimpleNamespace(maybe_save_checkpoint=lambda manager, state, config, data, step=None: None),
    )
    module.main = lambda argv: module.checkpointing.maybe_save_checkpoint(manager, None, module.pyconfig.initialize(argv), None)
    return module


def test_the_steps_asked_for_and_the_newest_checkpoint_come_from_maxtext():
    asked = []
    module = entry(Manager(0, 4))
    inside = Inside(module, asked.append)
    assert (inside.asked, inside.saves, inside.newest(10)) == (None, None, None)
    module.main(["x"])
    assert asked == [5]
    # A save that was under way has been waited for.
    assert (inside.asked, inside.folder, inside.saves, inside.newest(10)) == (5, "/c", True, 4)


def test_checkpoints_that_are_off():
    module = entry(None)
    inside = Inside(module, lambda steps: None)
    module.main(["x"])
    assert (inside.saves, inside.newest(10)) == (False, None)


def test_a_maxtext_without_these_modules_is_not_known_to_save():
    inside = Inside(SimpleNamespace(main=lambda argv: None), lambda steps: None)
    assert (inside.asked, inside.saves, inside.newest(1), inside.folder) == (None, None, None, None)
