"""One process of the collectives check, bound to one device. Ray makes it an actor; Torch is imported in it only."""

import os
import socket
import time
from datetime import timedelta

from tpu_trainers import torchtpu_backend
from tpu_trainers.torchtpu_collectives_result import Failure, Result
from tpu_trainers.torchtpu_place import Place
from tpu_trainers.train_outcome import Ended


class Device:
    """The actor's class: make it with ``ray.remote(Device)`` on a bundle with one TPU resource."""

    def __init__(self, backend: str) -> None:
        self._backend = backend

    def place(self) -> Place:
        """Where this process is."""
        import ray

        devices = ray.get_runtime_context().get_accelerator_ids()["TPU"]
        return Place(ray.util.get_node_ip_address(), os.environ.get("TPU_NAME"), os.environ.get("TPU_WORKER_ID"), int(devices[0]))

    def port(self) -> int:
        """A free port of this host, for the ranks to meet at."""
        with socket.socket() as probe:
            probe.bind(("", 0))
            return int(probe.getsockname()[1])

    def compute(
        self, rank: int, local_rank: int, world: int, local_world: int, meeting: tuple[str, int], size: int, batch: int, seed: int, timeout: float
    ) -> Result | Failure:
        """Computes what is checked; an error becomes a Failure, so that the rank is known that raised it."""
        os.environ.update(
            MASTER_ADDR=meeting[0], MASTER_PORT=str(meeting[1]), RANK=str(rank), WORLD_SIZE=str(world),
            LOCAL_RANK=str(local_rank), LOCAL_WORLD_SIZE=str(local_world),
        )  # fmt: skip
        print(f"rank {rank} of {world}: process {os.getpid()}, device {local_rank} of {os.environ.get('TPU_NAME')}", flush=True)
        try:
            device = torchtpu_backend.device(self._backend)
            return _compute(self._backend, device, rank, world, size, batch, seed, timeout)
        except Ended:
            raise
        except Exception as error:  # Whatever goes wrong in Torch is this rank's result.
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            return Failure(rank, f"{type(error).__name__}: {lines[0] if lines else 'no message'}"[:300])


def _compute(backend: str, device: object, rank: int, world: int, size: int, batch: int, seed: int, timeout: float) -> Result:
    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    dist.init_process_group(backend=backend, rank=rank, world_size=world, timeout=timedelta(seconds=timeout))
    try:
        torch.manual_seed(seed)
        block = _feed_forward(size)
        inputs = torch.randn(batch, size)
        with torch.no_grad():
            reference = block(inputs)
        started = time.monotonic()
        mesh = init_device_mesh(torch.device(str(device)).type, (world,))
        # The reference's own weights, so that only the division over devices can make a difference.
        divided = parallelize_module(block.to(device), mesh, {"expand": ColwiseParallel(), "contract": RowwiseParallel()})
        with torch.no_grad():
            result = divided(inputs.to(device)).cpu()
        difference = float((result - reference).abs().max().item())
        own = torch.full((4,), float(rank + 1), dtype=torch.float32, device=device)
        total = own.clone()
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
        gathered = [torch.zeros_like(own) for _ in range(world)]
        dist.all_gather(gathered, own)
        sums = total.cpu().tolist()
        received = tuple(_one(part.cpu().tolist()) for part in gathered)
        return Result(rank, _one(sums), received, difference, time.monotonic() - started)
    finally:
        dist.destroy_process_group()


def _one(values: list[float]) -> float:
    """The value all elements have, or not a number where they differ."""
    return values[0] if all(value == values[0] for value in values) else float("nan")


def _feed_forward(size: int) -> "object":
    """x + contract(silu(expand(x))), as in the blocks of a transformer; expand is size x 4 size, contract 4 size x size."""
    import torch
    from torch import nn

    class FeedForward(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.expand = nn.Linear(size, 4 * size, bias=False)
            self.contract = nn.Linear(4 * size, size, bias=False)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.contract(nn.functional.silu(self.expand(x)))

    return FeedForward().eval()
