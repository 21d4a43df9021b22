"""One whole slice for processes of our own: reserved, known by device, and given back whatever happens. Needs Ray."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tpu_trainers import train_outcome
from tpu_trainers.train_outcome import Ended

PER_CHIP = "RAY_TPU_RESOURCE_PER_CHIP"


@dataclass(frozen=True)
class Shape:
    """A slice: topology, Ray's accelerator type, logical devices and hosts."""

    topology: str
    accelerator_type: str
    devices: int
    hosts: int


def check(shape: Shape) -> None:
    """Raises Ended with REFUSED_ARGUMENTS where Ray would count other devices in such a slice than ``shape`` says."""
    from ray.util.tpu import get_tpu_worker_resources

    per_chip = os.environ.get(PER_CHIP, "1")
    try:
        counted, _ = get_tpu_worker_resources(shape.topology, shape.accelerator_type, {"TPU": 1})
    except ValueError as error:
        raise Ended(train_outcome.REFUSED_ARGUMENTS, f"Ray refuses {shape.accelerator_type} {shape.topology}: {error}") from None
    if counted != shape.devices:
        raise Ended(
            train_outcome.REFUSED_ARGUMENTS,
            f"--workers {shape.devices}: Ray counts {counted} devices in {shape.accelerator_type} {shape.topology} with {PER_CHIP}={per_chip} "
            f"on the head; head and workers must set it to the devices of a chip, and the workers must fill the slice",
        )


@contextmanager
def reserved(shape: Shape, timeout: float) -> Iterator[Any]:
    """Reserves an intact slice within ``timeout`` seconds; gives the placement group with one bundle for each device.

    Raises Ended with START_DEADLINE when none is free in time. The reservation ends with the block, also by an error.
    """
    import ray
    from ray.util.tpu import get_tpu_version_from_type, slice_placement_group

    deadline = time.monotonic() + timeout
    what = f"an intact {shape.accelerator_type} slice of topology {shape.topology}"
    late = Ended(
        train_outcome.START_DEADLINE,
        f"{what} was not free within {timeout:g} s: hosts are missing, taken by another run, or not of this topology; see the Ray dashboard's Cluster page",
    )
    per_chip = int(os.environ.get(PER_CHIP, "1"))
    try:
        handle = slice_placement_group(
            topology=shape.topology,
            accelerator_version=get_tpu_version_from_type(shape.accelerator_type),
            num_slices=1,
            resources_per_bundle={"TPU": 1},
            # Ray takes 2x4 for one host of 8 chips unless it is told.
            chips_per_vm=shape.devices // shape.hosts // per_chip,
            head_reservation_timeout_s=timeout,
            # Ray binds the bundles of a slice of several hosts to its name, those of a single host to nothing.
            **({} if shape.hosts > 1 else _one_host(shape)),
        )
    except TimeoutError:
        raise late from None
    try:
        try:
            ray.get(handle.placement_group.ready(), timeout=max(0.0, deadline - time.monotonic()))
        except ray.exceptions.GetTimeoutError:
            raise late from None
        yield handle.placement_group
    finally:
        handle.shutdown()


def _one_host(shape: Shape) -> dict[str, Any]:
    """All bundles on one host of this topology and type, and not spread over those of other slices."""
    return {
        "strategy": "STRICT_PACK",
        "bundle_label_selector": [{"ray.io/tpu-topology": shape.topology, "ray.io/accelerator-type": shape.accelerator_type}] * shape.devices,
    }
