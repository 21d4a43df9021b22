"""The outcomes of a submitter and the exit code of each.

The codes avoid what shells, Python and container runtimes use themselves: 1 (uncaught error), 2 (usage), and everything from 125.
``exit-codes.json`` beside this file is the same table for readers that are not Python (the Job's podFailurePolicy is generated from
it); ``python3 -m tpu_trainers.submit_exit_codes`` prints it.
"""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """One way a submitter can end.

    ``retry`` says whether the Kubernetes Job should start another submitter pod: true where the infrastructure failed and a new
    submitter attaches to the run or starts it again, false where the verdict is final or a person has to act.
    """

    name: str
    code: int
    retry: bool
    meaning: str


SUCCEEDED = Outcome("succeeded", 0, False, "the run ended with success")
FAILED = Outcome("failed", 10, False, "the run ended with a failure of its own")
STOPPED = Outcome("stopped", 11, False, "the run was stopped before its end")
LOST = Outcome("lost", 12, True, "the cluster no longer knows the run, or stayed unreachable while it was followed")
DEADLINE_EXCEEDED = Outcome("deadline-exceeded", 13, False, "the run went on longer than its deadline and was stopped")
ANOTHER_RUN_ACTIVE = Outcome("another-run-active", 20, False, "another run of the same name is active on the cluster")
DASHBOARD_NEVER_CAME = Outcome("dashboard-never-came", 21, True, "the head gave no usable answer until the start deadline")
SLICES_NEVER_COMPLETE = Outcome("slices-never-complete", 22, True, "the slices did not have all their hosts until the start deadline")
REFUSED = Outcome("refused", 23, False, "the arguments, the sources or the submission were refused")
WRONG_CREDENTIALS = Outcome("wrong-credentials", 24, False, "the head did not accept the credentials")
GIVEN_UP = Outcome("given-up", 25, False, "the run never began and its RayCluster was deleted, as onFinish says")
SUPERSEDED = Outcome("superseded", 26, False, "a newer version of the run was applied, which has the RayCluster now")
DETACHED = Outcome("detached", 30, True, "the submitter was told to end and left the run alone")
INTERNAL_ERROR = Outcome("internal-error", 31, True, "the submitter itself failed")

OUTCOMES = (
    SUCCEEDED,
    FAILED,
    STOPPED,
    LOST,
    DEADLINE_EXCEEDED,
    ANOTHER_RUN_ACTIVE,
    DASHBOARD_NEVER_CAME,
    SLICES_NEVER_COMPLETE,
    REFUSED,
    WRONG_CREDENTIALS,
    GIVEN_UP,
    SUPERSEDED,
    DETACHED,
    INTERNAL_ERROR,
)


class Ended(Exception):
    """Ends the submitter with an outcome and one line that says why.

    ``run_is_over`` is true only when Ray itself said that the run has ended. ``run_seconds`` is how long the run took by Ray's clock, None
    when that is not known.
    """

    def __init__(self, outcome: Outcome, reason: str, run_is_over: bool = False, run_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
        self.run_is_over = run_is_over
        self.run_seconds = run_seconds


def as_json() -> str:
    """The table as the text of ``exit-codes.json``."""
    rows = [{"name": o.name, "code": o.code, "retry": o.retry, "meaning": o.meaning} for o in OUTCOMES]
    return json.dumps(rows, indent=2) + "\n"


if __name__ == "__main__":
    print(as_json(), end="")
