"""Several ranks on this machine without Ray: forked from the test, which has imported Torch already, and connected by gloo."""

import os
import tempfile
import traceback
from collections.abc import Callable
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Any

# Seconds; a shared machine is slow, and a wait ends as soon as all have answered.
PATIENCE = 600.0


def on(ranks: int, work: Callable[[int], Any]) -> list[Any]:
    """What ``work`` gives on each rank, in order; the group is up while it runs. Fails with the traceback of a rank that failed."""
    import torch

    # Forking keeps the seconds of importing Torch to one process.
    context = get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        processes = [context.Process(target=_rank, args=(rank, ranks, Path(folder), work)) for rank in range(ranks)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(PATIENCE)
        alive = [rank for rank, process in enumerate(processes) if process.is_alive()]
        for rank in alive:
            processes[rank].kill()
        for failure in sorted(Path(folder).glob("*.failure")):
            raise AssertionError(f"rank {failure.stem}:\n{failure.read_text()}")
        assert not alive, f"ranks {alive} did not end within {PATIENCE:g} s"
        return [torch.load(Path(folder) / f"{rank}.answer", weights_only=False) for rank in range(ranks)]


def _rank(rank: int, ranks: int, folder: Path, work: Callable[[int], Any]) -> None:
    import torch
    import torch.distributed as dist

    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks))
    torch.set_num_threads(1)
    try:
        dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=ranks, timeout=timedelta(seconds=PATIENCE))
        value = work(rank)
        dist.destroy_process_group()
        torch.save(value, folder / f"{rank}.answer")
    except BaseException:  # An assertion of a rank is the test's.
        (folder / f"{rank}.failure").write_text(traceback.format_exc())
