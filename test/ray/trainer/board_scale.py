"""How the board takes the start of a large group: ``python test/ray/trainer/board_scale.py --workers 4000``.

All workers of a group wait on the board for one another. Here one process makes their calls, on a Ray of its own; prints one line of JSON:
``workers``, ``seconds`` from the first call to the last answer, and ``megabytes``, the memory (RSS) of the board's process at the end.
"""

import argparse
import json
import os
import sys
import time
from functools import partial
from pathlib import Path

TRAINERS = str(Path(__file__).resolve().parents[3] / "trainers")
sys.path.insert(0, TRAINERS)

from tpu_trainers import maxtext_hosts, train_watch  # noqa: E402
from tpu_trainers.train_host import Host  # noqa: E402
from tpu_trainers.train_progress import Limits  # noqa: E402


def measure(workers: int, workers_per_slice: int, deadline: float) -> dict[str, float]:
    """Lets ``workers`` workers enter at once."""
    # Read when Ray is imported. A token would stay in the home folder, and every head that is started later would ask for it.
    os.environ["RAY_AUTH_MODE"] = "disabled"
    import psutil
    import ray

    # Inherited by the processes that Ray starts.
    os.environ["PYTHONPATH"] = os.pathsep.join([TRAINERS, os.environ.get("PYTHONPATH", "")])
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    slices = workers // workers_per_slice
    try:
        board = train_watch.board(
            "scale", Limits(deadline, deadline), workers, workers_per_slice, 4, partial(maxtext_hosts.check, workers_per_slice=workers_per_slice)
        )
        ray.get(board.highest.remote())
        began = time.monotonic()
        calls = []
        for rank in range(workers):
            index, place = divmod(rank, workers_per_slice)
            host = Host(rank, f"host-{rank}", f"slice-{index}", str(place), str(slices) if slices > 1 else None, str(index) if slices > 1 else None)
            calls.append(board.enter.remote("attempt", host, workers))
        answers = ray.get(calls, timeout=deadline)
        seconds = time.monotonic() - began
        problems = [problem for answer in answers for problem in answer]
        if problems:
            raise SystemExit(f"the board found problems: {problems[:3]}")
        process = next(process for process in psutil.process_iter(["cmdline"]) if "ray::Board" in " ".join(process.info["cmdline"] or []))
        return {"workers": workers, "seconds": round(seconds, 1), "megabytes": round(process.memory_info().rss / 2**20)}
    finally:
        ray.shutdown()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4000)
    parser.add_argument("--workers-per-slice", type=int, default=250)
    parser.add_argument("--deadline", type=float, default=300, help="seconds")
    given = parser.parse_args()
    print(json.dumps(measure(given.workers, given.workers_per_slice, given.deadline)))
