"""What one worker does: prove its place and its devices, then run MaxText and pass on its progress.

Runs inside Ray Train's worker on a TPU host, after Ray has set MEGASCALE_* for more than one slice and initialised jax.distributed.
"""

import faulthandler
import os
import signal
import sys
import textwrap
import threading
import uuid
from typing import Any

from tpu_trainers import maxtext_devices, maxtext_exit_codes, maxtext_log, maxtext_package, maxtext_step_line, train_host, train_outcome
from tpu_trainers.train_outcome import Ended, Outcome

# What MaxText logs when it has saved a checkpoint because a host will be taken away; it then returns as if it had finished.
# 0.2.5 says "Job received termination signal (SIGTERM).", older ones "Job is preempted.".
_PREEMPTED = "Training stopped: Job "
_CONFIGURATION_ERROR = "MAXTEXT CONFIG ERROR"
# Characters of such an error that are passed on; the log has all of it.
_LONGEST_ERROR = 600
# Seconds between two looks for a preemption notice; Ray itself looks every 5.
_PREEMPTION_INTERVAL = 5.0


class Preempted(Exception):
    """A checkpoint was saved for a host that is about to be taken away; Ray starts the next group from it."""


def train(config: dict[str, Any]) -> None:
    """Ray Train's ``train_loop_per_worker``.

    ``config``: ``board`` (actor handle), ``maxtext`` (its ``key=value`` arguments), ``workers_per_slice``, ``devices_per_worker``, ``platform``,
    ``step_timeout`` (seconds), ``checkpoint_on_preemption``.
    """
    import ray
    import ray.train
    import ray.train.collective

    board = config["board"]
    context = ray.train.get_context()
    rank, workers = context.get_world_rank(), context.get_world_size()
    attempt = ray.train.collective.broadcast_from_rank_zero(uuid.uuid4().hex)

    def refuse(outcome: Outcome, reason: str) -> Ended:
        ray.get(board.refuse.remote(outcome, reason))
        return Ended(outcome, reason)

    host = train_host.this_host(rank)
    print(f"worker of {workers}, {host}", flush=True)
    problems = ray.get(board.enter.remote(attempt, host, workers))
    problems += [f"rank {rank}: {problem}" for problem in maxtext_devices.check(config["platform"], config["devices_per_worker"], workers)]
    if problems:
        raise refuse(train_outcome.WRONG_HARDWARE, "; ".join(problems))
    try:
        package = maxtext_package.find()
    except Ended as ended:
        raise refuse(ended.outcome, ended.reason) from None

    seen = _Seen(board, attempt, rank, config["step_timeout"])
    maxtext_log.tap(package.log(), seen.line, mute=rank != 0)
    if config["checkpoint_on_preemption"]:
        threading.Thread(target=_watch_for_preemption, args=(ray.train.get_preemption_info,), daemon=True).start()
    try:
        package.main()([package.entry, str(package.base_config), *config["maxtext"]])
    except SystemExit as stopped:
        if stopped.code in (None, 0):
            return
        if seen.configuration_error is not None or stopped.code == 2:
            raise refuse(
                maxtext_exit_codes.CONFIGURATION_REFUSED, seen.configuration_error or "MaxText ended with code 2, see its log above"
            ) from None
        raise RuntimeError(f"MaxText ended with code {stopped.code}") from None
    except Exception:
        # Where anything has imported unittest, MaxText takes itself to be under test and raises after it has told the error.
        if seen.configuration_error is not None:
            raise refuse(maxtext_exit_codes.CONFIGURATION_REFUSED, seen.configuration_error) from None
        raise
    finally:
        faulthandler.cancel_dump_traceback_later()
        # The last step's message must not be overtaken by the end of the run.
        seen.flush()
    if seen.preempted:
        raise Preempted("MaxText saved a checkpoint and stopped because a host is about to be taken away")


class _Seen:
    """What MaxText's log has told this worker. Rank 0 passes its steps to the board; training is synchronous, so they are everyone's."""

    def __init__(self, board: Any, attempt: str, rank: int, step_timeout: float) -> None:
        self.configuration_error: str | None = None
        self.preempted = False
        self._board = board
        self._attempt = attempt
        self._rank = rank
        # The stacks must be in the log before the driver ends a hanging run.
        self._dump_after = step_timeout * 0.8
        self._sent: Any = None

    def line(self, line: str) -> None:
        if _CONFIGURATION_ERROR in line:
            # It may name every parameter there is.
            self.configuration_error = textwrap.shorten(line, _LONGEST_ERROR, placeholder=" …")
        elif _PREEMPTED in line:
            self.preempted = True
        step = maxtext_step_line.parse(line)
        if step is None:
            return
        # Each worker prints where its threads are when no further step follows.
        faulthandler.dump_traceback_later(self._dump_after, file=sys.__stderr__)
        if self._rank == 0:
            self._sent = self._board.step.remote(self._attempt, step)

    def flush(self) -> None:
        if self._sent is not None:
            import ray

            ray.get(self._sent)


def _watch_for_preemption(get_preemption_info: Any) -> None:
    """Turns Ray's notice into the signal JAX waits for.

    JAX's preemption service makes all processes agree on a step at which MaxText then saves a checkpoint. The call is a barrier across the
    workers, so every one of them keeps its rhythm.
    """
    pause = threading.Event()
    while get_preemption_info() is None:
        pause.wait(_PREEMPTION_INTERVAL)
    print("a host of this group is about to be taken away: asking MaxText for a checkpoint", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
