import pickle

from tpu_trainers import maxtext_exit_codes, train_failures, train_outcome
from tpu_trainers.train_outcome import Ended


class RayActorError(Exception):
    pass


class ActorDiedError(RayActorError):
    pass


class WorkerHealthCheckFailedError(Exception):
    def __init__(self, failure):
        super().__init__("A worker health check failed.\nWorker info: Worker(")
        self.health_check_failure = failure


class WorkerGroupError(Exception):
    def __init__(self, failures):
        super().__init__("Training failed due to worker errors")
        self.worker_failures = failures


class WorkerGroupStartupTimeoutError(Exception):
    pass


class ControllerError(Exception):
    def __init__(self, failure):
        super().__init__("Training failed due to controller error")
        self.controller_failure = failure


def test_a_lost_worker_explains_the_errors_of_the_others():
    error = WorkerGroupError({0: RuntimeError("connection reset"), 2: ActorDiedError("The actor died.\nmore"), 3: ActorDiedError("The actor died.")})
    outcome, reason = train_failures.outcome(error, 2, 5)
    assert outcome is train_outcome.WORKERS_LOST
    assert reason == "lost the workers of rank 2, 3 (The actor died.); all 2 restarts are spent"


def test_a_failed_health_check_is_told_by_its_cause():
    failures = {1: WorkerHealthCheckFailedError(ActorDiedError("The actor died unexpectedly.\nmore"))}
    assert train_failures.describe(failures) == "lost the worker of rank 1 (The actor died unexpectedly.)"


def test_an_error_in_training_is_told_by_its_last_line():
    error = WorkerGroupError({1: RuntimeError("Traceback (most recent call last):\n  File x\nValueError: bad mesh\n")})
    outcome, reason = train_failures.outcome(error, 0, 5)
    assert outcome is train_outcome.TRAINING_FAILED
    assert reason == "rank 1 raised ValueError: bad mesh; all 0 restarts are spent"


def test_a_group_that_cannot_start():
    outcome, reason = train_failures.outcome(ControllerError(WorkerGroupStartupTimeoutError("timed out after 60 seconds")), 0, 5)
    assert outcome is train_outcome.START_RETRIES_SPENT
    assert reason == "the worker group could not be started, 5 further attempts are spent: timed out after 60 seconds"


def test_anything_else_is_rays():
    for error in (ControllerError(ValueError("no")), KeyError("x")):
        assert train_failures.outcome(error, 0, 5)[0] is train_outcome.RAY_FAILED


def test_long_messages_are_cut():
    assert len(train_failures.describe({0: RuntimeError("x" * 5000)})) < 400


def test_exit_codes_are_distinct_and_free():
    codes = [outcome.code for outcome in maxtext_exit_codes.OUTCOMES]
    assert len(set(codes)) == len(codes)
    assert all(code in (0, 2) or 40 <= code < 125 for code in codes)


def test_an_outcome_survives_the_way_from_worker_to_driver():
    ended = pickle.loads(pickle.dumps(Ended(train_outcome.WRONG_HARDWARE, "why")))
    assert ended.outcome == train_outcome.WRONG_HARDWARE and str(ended) == "why"
