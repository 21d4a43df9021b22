"""What Ray Train's errors say about a run, in the trainers' outcomes."""

from collections.abc import Mapping

from tpu_trainers import train_outcome
from tpu_trainers.train_outcome import Ended, Outcome

# By name, since Ray keeps these classes in internal modules that move between versions.
_START_FAILURES = ("WorkerGroupStartupTimeoutError", "WorkerGroupStartupFailedError")
_LOSSES = ("RayActorError", "ActorDiedError", "ActorUnavailableError", "NodeDiedError", "WorkerCrashedError", "WorkerHealthCheckFailedError", "WorkerHealthCheckTimeoutError", "OutOfMemoryError")  # fmt: skip


def is_loss(error: BaseException) -> bool:
    """Whether a worker process or its host went away, as opposed to an error that was raised in it."""
    return any(kind.__name__ in _LOSSES for kind in type(error).__mro__)


def is_preemption(error: BaseException) -> bool:
    """Whether an error is how a worker ends whose host is taken away, so that Ray Train counts it as a preemption and not as a failure."""
    error = getattr(error, "health_check_failure", None) or error
    return bool(getattr(error, "preempted", False))


def describe(failures: Mapping[int, BaseException]) -> str:
    """The failures of a group on one line: lost workers first, since the errors of the others usually follow from them."""
    taken = sorted(rank for rank, error in failures.items() if is_preemption(error))
    if taken:
        return f"a host was taken away: {_last_line(failures[taken[0]])}"
    lost = sorted(rank for rank, error in failures.items() if is_loss(error))
    if lost:
        return f"lost the worker{'s' if len(lost) > 1 else ''} of rank {', '.join(map(str, lost))} ({_last_line(failures[lost[0]])})"
    if not failures:
        return "unknown"
    rank = min(failures)
    return f"rank {rank} raised {_last_line(failures[rank])}"


def outcome(error: BaseException, max_failures: int, controller_failure_limit: int) -> tuple[Outcome, str]:
    """The outcome of a run whose ``fit()`` raised ``error``."""
    failures = getattr(error, "worker_failures", None)
    if hasattr(error, "preemption_info") or any(map(is_preemption, (failures or {}).values())):
        return train_outcome.PREEMPTED, f"{describe(failures) if failures else _last_line(error)}; no restart is left"
    if failures is not None:
        kind = train_outcome.WORKERS_LOST if any(map(is_loss, failures.values())) else train_outcome.TRAINING_FAILED
        return kind, f"{describe(failures)}; all {max_failures} restarts are spent"
    failure = getattr(error, "controller_failure", None)
    if failure is not None and type(failure).__name__ in _START_FAILURES:
        return (
            train_outcome.START_RETRIES_SPENT,
            f"the worker group could not be started, {controller_failure_limit} further attempts are spent: {_last_line(failure)}",
        )
    return train_outcome.RAY_FAILED, f"Ray Train failed: {_last_line(failure or error)}"


def _last_line(error: BaseException) -> str:
    """The last line of an error's text: of a traceback, the error itself."""
    if isinstance(error, Ended):
        return error.reason
    # Ray Train wraps the cause of a failed health check in a description of the worker.
    error = getattr(error, "health_check_failure", None) or error
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[-1] if lines else type(error).__name__
    if is_loss(error) and lines:
        text = lines[0]
    return text if len(text) <= 300 else text[:299] + "…"
