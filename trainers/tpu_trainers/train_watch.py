"""The driver's watch over a Ray Train run: start it, look at it from outside, and end with the truth.

Ray Train alone retries a group that cannot start for ever and waits for a hanging step for ever, so ``fit()`` runs in a thread while this
one asks the board whether the run must be given up.
"""

import threading
from collections.abc import Callable
from typing import Any

from tpu_trainers import train_failures, train_outcome
from tpu_trainers.train_board import Board
from tpu_trainers.train_host import Host
from tpu_trainers.train_outcome import Outcome
from tpu_trainers.train_progress import Limits, Summary

GROUP_START_TIMEOUT = "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S"
# Seconds between two looks at the board, and the longest wait for its answer.
_INTERVAL = 1.0
_ANSWER = 60.0


# Ray's default, which is enough for all calls but those that wait for a whole group.
_CONCURRENCY = 1000


def board(
    run: str, limits: Limits, workers: int, workers_per_slice: int, devices_per_worker: int, check: Callable[[list[Host]], list[str]]
) -> Any:
    """The handle of a new board for up to ``workers`` workers, on the driver's own node. Needs ``ray.init`` to have been called."""
    import ray

    here = ray.get_runtime_context().get_node_id()
    return (
        ray.remote(Board)
        # Every worker of a group waits on the board for the others at once.
        .options(num_cpus=0, label_selector={"ray.io/node-id": here}, max_concurrency=workers + _CONCURRENCY)
        .remote(run, limits, workers_per_slice, devices_per_worker, check)
    )


def watch(trainer: Any, board: Any, max_failures: int, controller_failure_limit: int) -> tuple[Outcome, str, Summary | None]:
    """Trains to an end. Gives the outcome, one line that says why, and the figures (None when Ray was lost).

    When the outcome is not one of ``fit()`` itself, the workers still run: ending this process ends them.
    """
    import ray

    fit = _Fit(trainer)
    try:
        while not fit.ended.wait(_INTERVAL):
            verdict = ray.get(board.verdict.remote(), timeout=_ANSWER)
            if verdict is not None:
                return *verdict, ray.get(board.summary.remote(), timeout=_ANSWER)
        summary = ray.get(board.summary.remote(), timeout=_ANSWER)
        hang = ray.get(board.hang.remote(), timeout=_ANSWER)
        refusal = ray.get(board.refusal.remote(), timeout=_ANSWER)
        finish = ray.get(board.finished.remote(), timeout=_ANSWER)
    except ray.exceptions.RayError as error:
        return train_outcome.RAY_FAILED, f"the run's progress could not be read: {error}", None
    if refusal is not None:
        return *refusal, summary
    if fit.error is not None and hang is not None:
        return train_outcome.NO_STEP, f"{hang}; no restart is left", summary
    if fit.error is not None:
        outcome, reason = train_failures.outcome(fit.error, max_failures, controller_failure_limit)
        return outcome, reason, summary
    if finish is None:
        return train_outcome.ENDED_EARLY, f"every worker returned, but none said that the last step was trained; {summary.steps} steps were", summary
    return train_outcome.FINISHED, finish, summary


class _Fit:
    """``fit()`` in a thread: ``ended`` is set at its end, ``error`` holds what it raised."""

    def __init__(self, trainer: Any) -> None:
        self.ended = threading.Event()
        self.error: BaseException | None = None
        self._trainer = trainer
        threading.Thread(target=self._run, name="fit", daemon=True).start()

    def _run(self) -> None:
        try:
            self._trainer.fit()
        except BaseException as error:  # SystemExit too: whatever ends fit() ends the run.
            self.error = error
        finally:
            self.ended.set()


def callbacks(board: Any) -> list[Any]:
    """For RunConfig's ``callbacks``: tell the board what Ray Train's controller does with the groups."""
    from ray.train import UserCallback

    # Ray Train passes on callbacks of its own kind; no public one hears of a preemption or of a change of size.
    from ray.train.v2._internal.execution.callback import ControllerCallback

    class FailureCallback(UserCallback):
        """Tells the board that a group has failed; runs in Ray Train's controller."""

        def after_exception(self, run_context: Any, worker_exceptions: dict[int, Exception]) -> None:
            board.fail.remote(train_failures.describe(worker_exceptions))

    class StateCallback(ControllerCallback):
        """Tells the board that a group is about to lose hosts, or has ended for another one; runs in Ray Train's controller."""

        def after_controller_state_update(self, previous_state: Any, current_state: Any) -> None:
            state = type(current_state).__name__
            if state == "PreemptingState":
                board.leave.remote()
            elif state in ("RestartingState", "ReschedulingState", "ResizingState"):
                board.wait.remote()

    return [FailureCallback(), StateCallback()]
