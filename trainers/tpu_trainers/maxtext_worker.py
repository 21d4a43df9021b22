"""What one worker does: prove its place and its devices, then run MaxText and pass on its progress.

Runs inside Ray Train's worker on a TPU host, after Ray has set MEGASCALE_* for more than one slice and initialised jax.distributed.
"""

import os
import signal
import textwrap
import threading
import uuid
from typing import Any

from tpu_trainers import maxtext_devices, maxtext_end, maxtext_exit_codes, maxtext_log, maxtext_package, maxtext_step_line, train_host, train_outcome, train_stall
from tpu_trainers.maxtext_inside import Inside
from tpu_trainers.train_outcome import Ended, Outcome

_CONFIGURATION_ERROR = "MAXTEXT CONFIG ERROR"
# Characters of MaxText's words that are passed on; the log has all of it.
_LONGEST_ERROR = 600
# Seconds between two looks for a preemption notice; Ray itself looks every 5.
_PREEMPTION_INTERVAL = 5.0


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
    problems = ray.get(board.enter.remote(attempt, host, workers, ray.get_runtime_context().current_actor))
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
    entry = package.program()
    inside = Inside(entry, lambda steps: board.ask.remote(steps) if rank == 0 else None)
    try:
        entry.main([package.entry, str(package.base_config), *_arguments(config["maxtext"], rank)])
    except SystemExit as stopped:
        if stopped.code in (None, 0):
            pass  # A return like any other: judged below.
        elif seen.configuration_error is not None or stopped.code == 2:
            raise refuse(
                maxtext_exit_codes.CONFIGURATION_REFUSED, seen.configuration_error or "MaxText ended with code 2, see its log above"
            ) from None
        else:
            raise RuntimeError(f"MaxText ended with code {stopped.code}") from None
    except Exception:
        # Where anything has imported unittest, MaxText takes itself to be under test and raises after it has told the error.
        if seen.configuration_error is not None:
            raise refuse(maxtext_exit_codes.CONFIGURATION_REFUSED, seen.configuration_error) from None
        raise
    finally:
        seen.stop()
        # The last step's message must not be overtaken by the end of the run.
        seen.flush()
    if seen.stopped is not None and maxtext_end.is_preemption(seen.stopped):
        # Ray Train counts the end of a worker as a preemption, and not as one of max_failures, when its error is this one.
        raise ray.exceptions.RayActorError(error_msg="MaxText saved a checkpoint and stopped, since a host is to be taken away", preempted=True)
    if rank != 0 and seen.stopped is None:
        return
    # Where MaxText has stopped early, a save may be under way; the others of the group wait as long as for a step.
    newest = inside.newest(config["step_timeout"] / 2)
    completed = [step for step in (ray.get(board.highest.remote()), seen.last) if step is not None]
    end = maxtext_end.End(rank, seen.stopped, inside.asked, max(completed, default=None), inside.saves, newest, inside.folder)
    outcome, reason = maxtext_end.judge(end)
    if outcome is not train_outcome.FINISHED:
        raise refuse(outcome, reason)
    ray.get(board.finish.remote(reason))


def _arguments(given: list[str], rank: int) -> list[str]:
    """MaxText's arguments on a rank: one rank prints the configuration, some 860 lines that are the same on all of them."""
    if rank == 0:
        return given
    return [*(argument for argument in given if not argument.startswith("log_config=")), "log_config=false"]


class _Seen:
    """What MaxText's log has told this worker. Rank 0 passes its steps to the board; training is synchronous, so they are everyone's."""

    def __init__(self, board: Any, attempt: str, rank: int, step_timeout: float) -> None:
        self.configuration_error: str | None = None
        self.stopped: str | None = None
        self.last: int | None = None
        self._board = board
        self._attempt = attempt
        self._rank = rank
        self._stall = train_stall.Watch(board, attempt, rank, step_timeout)
        self._sent: Any = None

    def line(self, line: str) -> None:
        if _CONFIGURATION_ERROR in line:
            # It may name every parameter there is.
            self.configuration_error = textwrap.shorten(line, _LONGEST_ERROR, placeholder=" …")
        reason = maxtext_end.stop_reason(line)
        if reason is not None:
            self.stopped = textwrap.shorten(reason, _LONGEST_ERROR, placeholder=" …")
        step = maxtext_step_line.parse(line)
        if step is None:
            return
        self.last = step.number
        self._stall.step(step.number)
        if self._rank == 0:
            self._sent = self._board.step.remote(self._attempt, step)

    def stop(self) -> None:
        """MaxText has ended; no step is waited for any more."""
        self._stall.stop()

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
