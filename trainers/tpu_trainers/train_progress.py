"""How far a run is, what its restarts cost, and when it has to be given up: plain arithmetic on events, without Ray.

Times are seconds of one monotonic clock, given by the caller.
"""

from dataclasses import dataclass, field

from tpu_trainers import train_outcome
from tpu_trainers.train_outcome import Outcome


@dataclass(frozen=True)
class Step:
    """A completed step: its number, its duration in seconds, TFLOP/s and tokens/s of one device, loss. None where it is not known."""

    number: int
    seconds: float | None = None
    tflops_per_device: float | None = None
    tokens_per_device: float | None = None
    loss: float | None = None


@dataclass(frozen=True)
class Limits:
    """When to give up, in seconds.

    ``start_deadline`` runs from the start, or from the loss of a group, to the next completed step; ``step_timeout`` from one completed step
    to the next.
    """

    start_deadline: float
    step_timeout: float


@dataclass(frozen=True)
class Summary:
    """A run in figures.

    Rates are means over the completed steps but the first of each worker group, which may compile; None before there is one. ``devices`` and
    ``slices`` are those of the last group. ``steps_asked`` is None when no worker has said it.
    """

    steps_asked: int | None
    last_step: int | None
    steps: int
    restarts: int
    slices: int
    devices: int
    steps_per_second: float | None
    tokens_per_second: float | None
    tflops_per_device: float | None
    loss: float | None
    seconds_lost_to_restarts: float
    seconds_total: float


@dataclass
class _Mean:
    total: float = 0.0
    count: int = 0

    def add(self, value: float | None) -> None:
        if value is not None:
            self.total += value
            self.count += 1

    @property
    def value(self) -> float | None:
        return self.total / self.count if self.count else None


@dataclass
class Progress:
    """The state of a run. ``started`` is the time of its start."""

    limits: Limits
    started: float
    asked: int | None = None
    attempt: str | None = None
    attempts: int = 0
    expected: int = 0
    entered: set[int] = field(default_factory=set)
    slices: int = 0
    devices: int = 0
    last: Step | None = None
    last_loss: float | None = None
    steps: int = 0
    highest: int | None = None
    stepping: bool = False
    failure: str | None = None
    lost: float = 0.0
    leaving: bool = False
    hung: int | None = None
    _since: float = 0.0
    _highest_at: float = 0.0
    _gap_open: bool = False
    _durations: _Mean = field(default_factory=_Mean)
    _tokens: _Mean = field(default_factory=_Mean)
    _tflops: _Mean = field(default_factory=_Mean)

    def __post_init__(self) -> None:
        self._since = self.started

    def enter(self, now: float, attempt: str, rank: int, workers: int, slices: int, devices: int) -> None:
        """A worker of a group has entered its training function."""
        if attempt != self.attempt:
            self._wait(now)
            self.leaving = False
            self.attempt = attempt
            self.attempts += 1
            self.expected = workers
            self.entered = set()
            self.slices = slices
            self.devices = devices
        self.entered.add(rank)

    def fail(self, now: float, reason: str) -> None:
        """The group has failed; Ray may start another one."""
        self.failure = reason
        self._wait(now)

    def wait(self, now: float) -> None:
        """Ray ends the group to start another one, whatever for: a failure, hosts that were taken away, another number of slices."""
        self._wait(now)

    def leave(self) -> None:
        """Hosts of the group are about to be taken away: until another group begins, it is waited for as after a loss."""
        self.leaving = True

    def hang(self, now: float, reason: str) -> None:
        """The group hangs and is ended, so that Ray starts another one."""
        self.hung = self.highest
        self.fail(now, reason)

    @property
    def hangs_again(self) -> bool:
        """Whether no step beyond the one of the last hang was completed."""
        return self.hung is not None and self.hung == self.highest

    def _wait(self, now: float) -> None:
        # From the loss to the next completed step is one wait, however many groups try in between.
        if self.stepping:
            self._since = now
            self.stepping = False
            self._gap_open = True

    def step(self, now: float, attempt: str, step: Step) -> None:
        """A group has completed a step; that of an earlier group, arriving late, counts for nothing."""
        if attempt != self.attempt:
            return
        warm = self.stepping
        self.stepping = True
        self.failure = None
        self._since = now
        self.last = step
        self.steps += 1
        if step.loss is not None:
            self.last_loss = step.loss
        if warm:
            self._durations.add(step.seconds)
            self._tflops.add(step.tflops_per_device)
            if step.tokens_per_device is not None:
                self._tokens.add(step.tokens_per_device * self.devices)
        if self.highest is None or step.number > self.highest:
            if self._gap_open and self.highest is not None:
                # Waiting, starting, restoring and the steps that had to be repeated; not this step itself, which is new.
                self.lost += max(0.0, now - self._highest_at - (step.seconds or 0.0))
            self._gap_open = False
            self.highest = step.number
            self._highest_at = now

    def verdict(self, now: float) -> tuple[Outcome, str] | None:
        """Why the run must be given up now, or None."""
        waited = now - self._since
        if self.stepping and not self.leaving:
            if waited > self.limits.step_timeout:
                number = self.last.number if self.last else None
                return (
                    train_outcome.NO_STEP,
                    f"no step for {_duration(self.limits.step_timeout)} after step {number}: training hangs on {self.slices} slice(s), {self.devices} devices",
                )
            return None
        if waited > self.limits.start_deadline:
            return (
                train_outcome.START_DEADLINE,
                f"no completed step within {_duration(self.limits.start_deadline)} of the {'restart' if self.steps else 'start'}: {self._where()}",
            )
        return None

    def _where(self) -> str:
        if self.leaving:
            return "its hosts were to be taken away, and no worker group came after it"
        if self.attempt is None:
            return "no worker group was started; its slices are missing, taken, or not of this topology and accelerator type"
        if self.failure is not None:
            return f"no worker group came back after: {self.failure}"
        missing = sorted(set(range(self.expected)) - self.entered)
        if missing:
            return f"{len(self.entered)} of {self.expected} workers began; ranks {', '.join(map(str, missing))} did not"
        return f"all {self.expected} workers began, but compilation, restoring or the first step did not end"

    def summary(self, now: float) -> Summary:
        seconds = self._durations.value
        lost = self.lost + (max(0.0, now - self._highest_at) if self._gap_open else 0.0)
        return Summary(
            steps_asked=self.asked,
            last_step=self.highest,
            steps=self.steps,
            restarts=max(0, self.attempts - 1),
            slices=self.slices,
            devices=self.devices,
            steps_per_second=1 / seconds if seconds else None,
            tokens_per_second=self._tokens.value,
            tflops_per_device=self._tflops.value,
            loss=self.last_loss,
            seconds_lost_to_restarts=lost,
            seconds_total=now - self.started,
        )


def _duration(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} s"


def describe(run: str, outcome: Outcome, summary: Summary) -> str:
    """The summary line: ``key=value`` pairs, ``none`` where there is no figure."""
    figures = {
        "run": run,
        "outcome": outcome.name,
        "exit_code": outcome.code,
        "steps_asked": summary.steps_asked,
        "last_step": summary.last_step,
        "steps": summary.steps,
        "restarts": summary.restarts,
        "slices": summary.slices,
        "devices": summary.devices,
        "steps_per_second": summary.steps_per_second,
        "tokens_per_second": summary.tokens_per_second,
        "tflops_per_device": summary.tflops_per_device,
        "loss": summary.loss,
        "seconds_lost_to_restarts": summary.seconds_lost_to_restarts,
        "seconds_total": summary.seconds_total,
    }
    return "summary " + " ".join(f"{key}={_figure(value)}" for key, value in figures.items())


def _figure(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
