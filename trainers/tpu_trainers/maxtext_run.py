"""The driver's part of a run: start the workers, watch them from outside, and end with the truth.

Ray Train alone retries a group that cannot start for ever and waits for a hanging step for ever, so ``fit()`` runs in a thread while this
one asks the board whether the run must be given up.
"""

import threading
from typing import Any

from tpu_trainers import maxtext_exit_codes, maxtext_failures, maxtext_worker
from tpu_trainers.maxtext_arguments import Options
from tpu_trainers.maxtext_board import Board
from tpu_trainers.maxtext_devices import environment
from tpu_trainers.maxtext_exit_codes import Outcome
from tpu_trainers.maxtext_progress import Limits, Summary

GROUP_START_TIMEOUT = "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S"
# Seconds between two looks at the board, and the longest wait for its answer.
_INTERVAL = 1.0
_ANSWER = 60.0


def run(options: Options) -> tuple[Outcome, str, Summary | None]:
    """Trains to an end. Gives the outcome, one line that says why, and the figures (None when Ray was lost).

    Needs ``ray.init`` to have been called. When the outcome is not one of ``fit()`` itself, the workers still run: ending this process ends them.
    """
    import ray

    here = ray.get_runtime_context().get_node_id()
    board = (
        ray.remote(Board)
        .options(num_cpus=0, label_selector={"ray.io/node-id": here})
        .remote(options.run, Limits(options.start_deadline, options.step_timeout), options.workers_per_slice, options.devices_per_worker)
    )
    fit = _Fit(_trainer(options, board))
    try:
        while not fit.ended.wait(_INTERVAL):
            verdict = ray.get(board.verdict.remote(), timeout=_ANSWER)
            if verdict is not None:
                return *verdict, ray.get(board.summary.remote(), timeout=_ANSWER)
        summary = ray.get(board.summary.remote(), timeout=_ANSWER)
        refusal = ray.get(board.refusal.remote(), timeout=_ANSWER)
    except ray.exceptions.RayError as error:
        return maxtext_exit_codes.RAY_FAILED, f"the run's progress could not be read: {error}", None
    if refusal is not None:
        return *refusal, summary
    if fit.error is not None:
        outcome, reason = maxtext_failures.outcome(fit.error, options.max_failures, options.controller_failure_limit)
        return outcome, reason, summary
    return maxtext_exit_codes.FINISHED, f"{summary.steps} steps, the last was {summary.last_step}", summary


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


def _trainer(options: Options, board: Any) -> Any:
    from ray.train import FailureConfig, RunConfig, ScalingConfig
    from ray.train.v2.jax import JaxTrainer

    return JaxTrainer(
        maxtext_worker.train,
        train_loop_config={
            "board": board,
            "maxtext": options.maxtext,
            "workers_per_slice": options.workers_per_slice,
            "devices_per_worker": options.devices_per_worker,
            "platform": options.platform,
            "step_timeout": options.step_timeout,
            "checkpoint_on_preemption": options.checkpoint_on_preemption,
        },
        scaling_config=ScalingConfig(
            use_tpu=True,
            topology=options.topology,
            accelerator_type=options.accelerator_type,
            num_workers=(options.min_workers, options.max_workers) if options.elastic else options.max_workers,
            resources_per_worker={"TPU": options.tpu_per_worker},
            placement_strategy="SPREAD",
            elastic_resize_monitor_interval_s=options.resize_interval,
        ),
        run_config=RunConfig(
            name=options.run,
            storage_path=options.storage_path,
            failure_config=FailureConfig(max_failures=options.max_failures, controller_failure_limit=options.controller_failure_limit),
            callbacks=[_failure_callback(board)],
            worker_runtime_env={"env_vars": environment(options.platform, options.devices_per_worker) | options.env},
        ),
    )


def _failure_callback(board: Any) -> Any:
    from ray.train import UserCallback

    class FailureCallback(UserCallback):
        """Tells the board that a group has failed; runs in Ray Train's controller."""

        def after_exception(self, run_context: Any, worker_exceptions: dict[int, Exception]) -> None:
            board.fail.remote(maxtext_failures.describe(worker_exceptions))

    return FailureCallback()
