"""Runs of the MaxText trainer as Ray jobs on posed slices, and what to wait for in them."""

import os
import re
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rehearsal.posed_cluster import PosedCluster, PosedNode, tpu_host
from rehearsal.sandbox import Sandbox

ROOT = Path(__file__).resolve().parents[3]
# A machine that is shared or slow takes several times as long as a quiet one; a wait ends as soon as its condition holds.
PATIENCE = 600.0


@dataclass(frozen=True)
class Shape:
    """A kind of slice: Ray's pod type and accelerator type, topology, hosts, chips of a host."""

    pod_type: str
    accelerator_type: str
    topology: str
    hosts: int
    chips: int = 4


V6E_4X4 = Shape("v6e-16", "TPU-V6E", "4x4", 4)
# The smallest multi-host slice there is.
V5P_2X2X2 = Shape("v5p-16", "TPU-V5P", "2x2x2", 2)


class Slices:
    """A posed cluster and the slices it has."""

    def __init__(self, sandbox: Sandbox, maxtext: Path) -> None:
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.folder = sandbox.path
        self._cluster = PosedCluster(sandbox, PosedNode("head", 2), python_path=(str(ROOT / "trainers"), str(maxtext)))
        # Not before the cluster: Ray reads some settings when it is imported.
        from ray.job_submission import JobSubmissionClient

        self.client = JobSubmissionClient(self._cluster.dashboard)
        self._hosts: set[tuple[str, int]] = set()

    def have(self, shape: Shape, slices: int) -> None:
        """Starts what is missing of the first slices of a shape."""
        for index in range(slices):
            for worker in range(shape.hosts):
                self.add_host(shape, index, worker)

    def add_host(self, shape: Shape, index: int, worker: int, worker_id: int | None = None) -> None:
        """Starts a host unless it is there; ``worker_id`` makes it claim another id than its own."""
        slice_name = f"{shape.pod_type}-{index}"
        if (slice_name, worker) in self._hosts:
            return
        node = tpu_host(slice_name, worker if worker_id is None else worker_id, shape.pod_type, shape.topology, shape.chips)
        self._cluster.add(PosedNode(f"{slice_name}/{worker}", node.cpus, node.resources, node.labels, node.environment))
        self._hosts.add((slice_name, worker))

    def lose_host(self, shape: Shape, index: int, worker: int) -> None:
        """A machine that vanishes."""
        slice_name = f"{shape.pod_type}-{index}"
        self._cluster.lose(f"{slice_name}/{worker}")
        self._hosts.remove((slice_name, worker))

    def drain_host(self, shape: Shape, index: int, worker: int, seconds: int) -> None:
        """Tells Ray that a machine will be taken away in ``seconds``, as GKE does for a preemption and for maintenance."""
        self._cluster.drain(f"{shape.pod_type}-{index}/{worker}", seconds)

    def metrics(self) -> dict[tuple[str, str], float]:
        """The trainer's figures on the head, by metric name (without Ray's prefix) and run."""
        with urllib.request.urlopen(self._cluster.metrics, timeout=30) as answer:
            text = answer.read().decode()
        pattern = re.compile(r'^ray_(tpu_train_\w+)\{.*?\brun="([^"]*)".*?\} (\S+)', re.MULTILINE)
        return {(name, run): float(value) for name, run, value in pattern.findall(text)}

    def start(self, shape: Shape, run: str, parameters: Sequence[str], *, workers: int | tuple[int, int], options: Mapping[str, object] = {}, faults: str = "") -> "Run":
        """Submits a run; ``workers`` is (smallest, largest) for an elastic one."""
        least, most = workers if isinstance(workers, tuple) else (workers, workers)
        given = {
            "run": run, "topology": shape.topology, "accelerator-type": shape.accelerator_type,
            "min-workers": least, "max-workers": most, "workers-per-slice": shape.hosts,
            "tpu-per-worker": shape.chips, "devices-per-worker": 1, "platform": "cpu",
            "max-failures": 2, "controller-failure-limit": 20, "start-deadline": PATIENCE, "step-timeout": PATIENCE,
            "group-start-timeout": 60, "resize-interval": 5, "storage-path": self.folder / "storage",
        }  # fmt: skip
        given |= options
        words = [f"--{name} {value}" for name, value in given.items()]
        if faults:
            words.append(f"--env STAND_IN_FAULTS={faults}")
        maxtext = [f"base_output_directory={self.folder / 'out'}", "per_device_batch_size=1", *parameters]
        entry = f"python3 -m tpu_trainers.maxtext {' '.join(words)} -- {' '.join(maxtext)}"
        return submit(self.client, entry, run)


def submit(client: Any, entry: str, run: str) -> "Run":
    """Submits a run as a Ray job, as soon as the head takes one."""
    refusals: list[str] = []

    def attempt() -> str | None:
        try:
            return str(client.submit_job(entrypoint=entry, submission_id=run))
        except RuntimeError as error:
            # The head's agent is not up yet.
            if "No available agent" not in str(error):
                raise
            refusals.append(str(error))
            return None

    return Run(client, wait(attempt, f"way to submit {run}", lambda: "\n".join(refusals)))


class Run:
    """A submitted run."""

    def __init__(self, client: Any, identity: str) -> None:
        self._client = client
        self.identity = identity

    @property
    def log(self) -> str:
        # Without the colours and the prefix that Ray puts before a worker's line.
        return re.sub(r"\x1b\[[0-9;]*m", "", self._client.get_job_logs(self.identity))

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Waits for a line in the log."""
        return wait(lambda: re.search(pattern, self.log), f"{pattern!r} in the log of {self.identity}", self._diagnosis, self._ended)

    def end(self) -> tuple[int | None, str]:
        """Waits for the end and gives the exit code and the log."""
        wait(self._ended, f"the end of {self.identity}", self._diagnosis)
        return self._client.get_job_info(self.identity).driver_exit_code, self.log

    def _ended(self) -> bool:
        return self._client.get_job_status(self.identity) in ("SUCCEEDED", "FAILED", "STOPPED")

    def _diagnosis(self) -> str:
        return self.log[-6000:]


def wait(condition: Callable[[], Any], what: str, diagnosis: Callable[[], str], ended: Callable[[], bool] = lambda: False) -> Any:
    """Waits until a condition holds; fails with the diagnosis when it does not in time, or when what it waits for has ended."""
    deadline = time.monotonic() + PATIENCE
    while True:
        over = ended()
        found = condition()
        if found:
            return found
        if over or time.monotonic() > deadline:
            raise AssertionError(f"no {what}{' before its end' if over else f' within {PATIENCE:g} s'}; end of its log:\n{diagnosis()}")
        time.sleep(0.5)


def last_line(log: str) -> str:
    return log.rstrip().splitlines()[-1]


def summary(log: str) -> dict[str, str]:
    """The figures of a run's summary line."""
    line = next(line for line in log.splitlines() if line.startswith("summary "))
    return dict(pair.split("=", 1) for pair in line.split()[1:])


def steps(log: str) -> list[int]:
    """The completed steps that rank 0 and the others logged, in order, repetitions of one step by several workers left out."""
    found = [int(number) for number in re.findall(r"completed step: (\d+),", log)]
    return [number for index, number in enumerate(found) if index == 0 or number != found[index - 1]]
