"""The one place that knows how far a run is: an actor beside the driver that workers, the failure callback and the driver talk to.

What trains in the workers reports nothing to Ray Train in time, and the driver's ``fit()`` says nothing until the end, so this is how a
hang is seen from outside.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from tpu_trainers import train_hang, train_metrics, train_outcome
from tpu_trainers.train_hang import Stalled
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
        self._problems: list[str] = []
        self._workers: dict[int, Any] = {}
        self._stalled: dict[int, Stalled] = {}
        self._hang: str | None = None
        self._suspects: set[str] = set()
        self._complete = asyncio.Event()
        self._refusal: tuple[Outcome, str] | None = None
        self._finish: str | None = None

    async def enter(self, attempt: str, host: Host, workers: int, worker: Any = None) -> list[str]:
        """Waits for the whole group of an attempt, then says what is wrong with it. ``worker``: the handle of the actor that enters."""
        if attempt != self._progress.attempt:
            self._hosts = {}
            self._workers = {}
            self._stalled = {}
            self._hang = None
            self._complete = asyncio.Event()
        slices = max(1, workers // self._workers_per_slice)
        self._progress.enter(time.monotonic(), attempt, host.rank, workers, slices, workers * self._devices_per_worker)
        self._hosts[host.rank] = host
        self._workers[host.rank] = worker
        complete = self._complete
        if len(self._hosts) == workers:
            # Once for the group and not for each of its workers, of which there may be thousands.
            self._problems = self._check(list(self._hosts.values()))
            complete.set()
        await complete.wait()
        return self._problems

    async def step(self, attempt: str, step: Step) -> None:
        now = time.monotonic()
        self._progress.step(now, attempt, step)
        self._metrics.set(self._progress.summary(now))

    async def leave(self) -> None:
        """Hosts of the group are about to be taken away."""
        self._progress.leave()

    async def wait(self) -> None:
        """Ray ends the group for another one."""
        self._progress.wait(time.monotonic())

    async def stall(self, attempt: str, rank: int, stalled: Stalled) -> None:
        """A worker has not come to its next step for a long time."""
        if attempt == self._progress.attempt:
            self._stalled[rank] = stalled

    async def hang(self) -> str | None:
        """What is known of a hang for which the group was ended, until another group begins."""
        return self._hang

    async def fail(self, reason: str) -> None:
        """The group has failed and Ray decides whether there is another one."""
        now = time.monotonic()
        # The errors of a group that was ended because it hung say less than the hang.
        self._progress.fail(now, self._hang or reason)
        self._metrics.set(self._progress.summary(now))

    async def refuse(self, outcome: Outcome, reason: str) -> None:
        """A worker has found something that no retry can change; the first one is kept."""
        if self._refusal is None:
            self._refusal = (outcome, reason)

    async def ask(self, steps: int) -> None:
        """How many steps the run is asked for, as soon as a worker knows."""
        self._progress.asked = steps

    async def highest(self) -> int | None:
        """The highest step that any group of the run has completed."""
        return self._progress.highest

    async def finish(self, reason: str) -> None:
        """A worker knows that the last step was trained and saved."""
        self._finish = reason

    async def finished(self) -> str | None:
        """Why the run is one that has finished; None as long as no worker has said so."""
        return self._finish

    async def verdict(self) -> tuple[Outcome, str] | None:
        """Why the run must be given up now, or None.

        A group that hangs is ended instead, as long as it is not the same hang again: most hangs are one host's. Whether there is a restart
        left is Ray's to say, which counts it as a failure.
        """
        if self._refusal is not None:
            return self._refusal
        now = time.monotonic()
        found = self._progress.verdict(now)
        if found is None or found[0] is not train_outcome.NO_STEP:
            return found
        ranks, why = train_hang.suspects(self._hosts, self._stalled)
        told = train_hang.describe(self._hosts, ranks, why) if ranks else train_hang.places(self._hosts, self._stalled)
        reason = f"{found[1]}; {told}"
        addresses = {self._hosts[rank].address for rank in ranks}
        if self._progress.hangs_again or addresses & self._suspects:
            return train_outcome.NO_STEP, f"{reason}; a restart did not help"
        self._suspects |= addresses
        self._hang = reason
        self._progress.hang(now, reason)
        print(f"{reason}; ending its workers, so that the group starts again", flush=True)
        self._end_workers()
        return None

    def _end_workers(self) -> None:
        import ray

        for worker in self._workers.values():
            if worker is not None:
                ray.kill(worker)

    async def refusal(self) -> tuple[Outcome, str] | None:
        """What a worker has found that no retry can change, or None."""
        return self._refusal

    async def summary(self) -> Summary:
        return self._progress.summary(time.monotonic())
