"""The frame of every trainer's driver: Ray up, the run, Ray down, its figures and its outcome in the log."""

import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import NoReturn

from tpu_trainers import train_outcome, train_progress
from tpu_trainers.train_outcome import Outcome
from tpu_trainers.train_progress import Summary

# Ending Ray must not keep a run from ending: seconds to wait for it.
_GOODBYE = 15.0


def drive(kind: str, run: str, work: Callable[[], tuple[Outcome, str, Summary | None]]) -> int:
    """Does the ``work`` of a run between ``ray.init`` and ``ray.shutdown``, and gives its exit code.

    The last two lines it prints are the summary in figures (where there is one) and the outcome.
    """
    # Ray takes lines that differ in their numbers only for repetitions, and would leave out most steps.
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    # Ray Train would print what workers print twice: as they do, and through its logger.
    os.environ.setdefault("RAY_TRAIN_ENABLE_PRINT_PATCH", "0")
    import ray

    ray.init(log_to_driver=True)
    try:
        outcome, reason, summary = work()
    except Exception as error:  # noqa: BLE001, Python's own exit code 1 would say nothing, and the log would have no last line
        traceback.print_exc()
        sys.stderr.flush()
        outcome, summary = train_outcome.RAY_FAILED, None
        reason = f"the driver met what it was not made for: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    # First: until then a thread of Ray's prints what other processes say, and a line of theirs would come after the last one.
    goodbye = threading.Thread(target=ray.shutdown, daemon=True)
    goodbye.start()
    goodbye.join(_GOODBYE)
    if summary is not None:
        print(train_progress.describe(run, outcome, summary), flush=True)
    verb = "finished" if outcome is train_outcome.FINISHED else f"failed ({outcome.name}, exit code {outcome.code})"
    print(f"{kind} run {run} {verb}: {reason}", flush=True)
    return outcome.code


def leave(code: int) -> NoReturn:
    """Ends this process at once: what Ray has started ends with it, and ``fit()`` may still hang in its thread."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
