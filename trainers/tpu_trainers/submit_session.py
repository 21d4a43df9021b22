"""What every phase of a submitter needs."""

import time
from dataclasses import dataclass

from tpu_trainers import submit_arguments, submit_clock, submit_cluster, submit_current, submit_interruption, submit_output, submit_ray, submit_slices


@dataclass(frozen=True)
class Session:
    arguments: submit_arguments.Arguments
    api: submit_ray.RayApi
    output: submit_output.Output
    interruption: submit_interruption.Interruption
    current: submit_current.Current
    clock: submit_clock.RunClock
    slices: submit_slices.SliceWatch

    def progress(self, heartbeat_factor: float = 1.0) -> submit_output.Progress:
        return submit_output.Progress(self.output, heartbeat_factor * self.arguments.heartbeat)

    def pause(self) -> None:
        """Waits until the next look at something."""
        self.interruption.pause(self.arguments.poll_interval)


def ray_cluster(arguments: submit_arguments.Arguments) -> submit_cluster.RayCluster:
    """The RayCluster that the arguments name."""
    return submit_cluster.RayCluster(
        arguments.kubernetes_api, arguments.service_account_folder, arguments.namespace or "", arguments.cluster or ""
    )


class Deadline:
    """A moment ``seconds`` from now, by a clock that nobody sets."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self._at

    @property
    def left(self) -> float:
        return max(0.0, self._at - time.monotonic())

    def extend(self, seconds: float) -> None:
        self._at += seconds
