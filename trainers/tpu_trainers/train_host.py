"""What a worker knows of its own place in the slices."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

NUM_SLICES = "MEGASCALE_NUM_SLICES"
SLICE_ID = "MEGASCALE_SLICE_ID"


@dataclass(frozen=True)
class Host:
    """One worker's place: world rank, and the text of its environment variables (None where unset).

    ``network`` lists its interfaces with their MTU in bytes, as in ``eth0 mtu 1460``.
    """

    rank: int
    address: str
    slice_name: str | None
    worker_id: str | None
    num_slices: str | None
    slice_id: str | None
    network: tuple[str, ...] = ()

    def __str__(self) -> str:
        multislice = f", slice {self.slice_id} of {self.num_slices}" if self.num_slices is not None else ""
        return (
            f"rank {self.rank}: TPU_NAME {self.slice_name or 'unset'}, TPU_WORKER_ID {self.worker_id or 'unset'}{multislice}, "
            f"at {self.address}, network {', '.join(self.network) or 'unknown'}"
        )


def this_host(rank: int) -> Host:
    """The place of the worker that calls."""
    return Host(
        rank,
        socket.gethostname(),
        os.environ.get("TPU_NAME"),
        os.environ.get("TPU_WORKER_ID"),
        os.environ.get(NUM_SLICES),
        os.environ.get(SLICE_ID),
        _network(),
    )


def _network() -> tuple[str, ...]:
    interfaces = []
    for link in sorted(Path("/sys/class/net").glob("*")):
        if link.name == "lo":
            continue
        try:
            interfaces.append(f"{link.name} mtu {(link / 'mtu').read_text().strip()}")
        except OSError:
            continue
    return tuple(interfaces)
