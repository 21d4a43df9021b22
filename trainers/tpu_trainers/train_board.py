"""The one place that knows how far a run is: an actor beside the driver that workers, the failure callback and the driver talk to.

What trains in the workers reports nothing to Ray Train in time, and the driver's ``fit()`` says nothing until the end, so this is how a
hang is seen from outside.
"""

import asyncio
import time
from collections.abc import Callable

from tpu_trainers import train_metrics
from tpu_trainers.train_host import Host
from tpu_trainers.train_outcome import Outcome
from tpu_trainers.train_progress import Limits, Progress, Step, Summary


class Board:
    """The actor's class: make it with ``ray.remote(Board)``. Its methods run on one event loop, one after another.

    ``check`` says what is wrong with the places of a complete group (nothing when it can train).
    """

    def __init__(
        self, run: str, limits: Limits, workers_per_slice: int, devices_per_worker: int, check: Callable[[list[Host]], list[str]]
    ) -> None:
        self._progress = Progress(limits, time.monotonic())
        self._metrics = train_metrics.Metrics(run)
        self._workers_per_slice = workers_per_slice
        self._devices_per_worker = devices_per_worker
        self._check = check
        self._hosts: dict[int, Host] = {}
        self._complete = asyncio.Event()
        self._refusal: tuple[Outcome, str] | None = None

    async def enter(self, attempt: str, host: Host, workers: int) -> list[str]:
        """Waits for the whole group of an attempt, then says what is wrong with it."""
        if attempt != self._progress.attempt:
            self._hosts = {}
            self._complete = asyncio.Event()
        slices = max(1, workers // self._workers_per_slice)
        self._progress.enter(time.monotonic(), attempt, host.rank, workers, slices, workers * self._devices_per_worker)
        self._hosts[host.rank] = host
        hosts, complete = self._hosts, self._complete
        if len(hosts) == workers:
            complete.set()
        await complete.wait()
        return self._check(list(hosts.values()))

    async def step(self, attempt: str, step: Step) -> None:
        now = time.monotonic()
        self._progress.step(now, attempt, step)
        self._metrics.set(self._progress.summary(now))

    async def fail(self, reason: str) -> None:
        """The group has failed and Ray decides whether there is another one."""
        now = time.monotonic()
        self._progress.fail(now, reason)
        self._metrics.set(self._progress.summary(now))

    async def refuse(self, outcome: Outcome, reason: str) -> None:
        """A worker has found something that no retry can change; the first one is kept."""
        if self._refusal is None:
            self._refusal = (outcome, reason)

    async def verdict(self) -> tuple[Outcome, str] | None:
        """Why the run must be given up now, or None."""
        return self._refusal or self._progress.verdict(time.monotonic())

    async def refusal(self) -> tuple[Outcome, str] | None:
        """What a worker has found that no retry can change, or None."""
        return self._refusal

    async def summary(self) -> Summary:
        return self._progress.summary(time.monotonic())
