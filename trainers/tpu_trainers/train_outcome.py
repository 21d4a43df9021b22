"""How a training run can end, and the exit code of each end: what all trainers have in common.

The codes avoid what shells, Python and container runtimes use themselves (1 and from 125 on) and those of the submitter. Code 2 is
argparse's own for arguments that were refused. Each trainer's own ends stand beside it (``*_exit_codes.py``).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """One way a run can end: its name in the log, its exit code, and what it means."""

    name: str
    code: int
    meaning: str


FINISHED = Outcome("finished", 0, "the last step that was asked for was trained and saved, or all that was asked for was checked")
REFUSED_ARGUMENTS = Outcome("refused-arguments", 2, "this command's own arguments were refused")
TRAINING_FAILED = Outcome("training-failed", 40, "training raised an error and no retry was left")
WORKERS_LOST = Outcome("workers-lost", 41, "a worker or its host was lost and no retry was left")
WRONG_HARDWARE = Outcome("wrong-hardware", 44, "platform, devices, worker ids or multislice variables are not as expected; not retried")
START_DEADLINE = Outcome("start-deadline", 45, "no step was completed within the start deadline after a start or restart")
START_RETRIES_SPENT = Outcome("start-retries-spent", 46, "the worker group failed to start more often than the controller failure limit")
NO_STEP = Outcome("no-step", 47, "the run hung: no step was completed within the step timeout")
RAY_FAILED = Outcome("ray-failed", 48, "Ray's own controller failed, Ray was lost, or the driver met an error it does not know")
NOTHING_TO_TRAIN = Outcome("nothing-to-train", 63, "the checkpoint that was found has the last step already, so no step was trained; not retried")
PREEMPTED = Outcome("preempted", 64, "hosts were taken away, which Ray knew of, and no restart was left")
ENDED_EARLY = Outcome("ended-early", 65, "training returned normally, but not as one that has trained and saved its last step; not retried")

SHARED = (
    FINISHED, REFUSED_ARGUMENTS, TRAINING_FAILED, WORKERS_LOST, WRONG_HARDWARE, START_DEADLINE, START_RETRIES_SPENT, NO_STEP, RAY_FAILED,
    NOTHING_TO_TRAIN, PREEMPTED, ENDED_EARLY,
)  # fmt: skip


class Ended(Exception):
    """Ends a run with an outcome and one line that says why. Survives pickling, so that a worker can raise it."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(outcome, reason)
        self.outcome = outcome
        self.reason = reason

    def __str__(self) -> str:
        return self.reason
