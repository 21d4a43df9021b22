"""TorchTPU runs as Ray jobs on one posed host of four devices: the smallest slice there is, v6e 2x2."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posed_runs import PATIENCE, Run, submit, wait

from rehearsal.posed_cluster import PosedCluster, PosedNode, tpu_host
from rehearsal.sandbox import Sandbox

ROOT = Path(__file__).resolve().parents[2]
DEVICES = 4


class DeviceHost:
    """A posed cluster of a head and that host. torch_tpu is the stand-in."""

    def __init__(self, sandbox: Sandbox) -> None:
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.folder = sandbox.path
        self._cluster = PosedCluster(sandbox, PosedNode("head", 2), python_path=(str(ROOT / "trainers"), str(ROOT / "rehearsal" / "stand_in")))
        self._cluster.add(tpu_host("v6e-0", 0, "v6e-4", "2x2", DEVICES, cpus=8))
        # Not before the cluster: Ray reads some settings when it is imported.
        from ray.job_submission import JobSubmissionClient

        self._client = JobSubmissionClient(self._cluster.dashboard)

    def start(self, kind: str, run: str, options: Mapping[str, object]) -> Run:
        """Submits a run of a trainer kind."""
        given = {
            "run": run, "topology": "2x2", "accelerator-type": "TPU-V6E", "workers": DEVICES, "hosts": 1, "tpu-per-worker": 1,
            "backend": "gloo", "start-deadline": PATIENCE, "step-timeout": PATIENCE,
            **({"group-start-timeout": PATIENCE} if kind == "finetune" else {}), **options,
        }  # fmt: skip
        entry = " ".join([f"python3 -m tpu_trainers.torchtpu_{kind}", *(f"--{name}={value}" for name, value in given.items())])
        return submit(self._client, entry, run)

    def wait_until_free(self) -> None:
        """Until nobody has a device of the slice, as Ray says."""
        import ray

        ray.init(address=self._cluster.gcs_address, log_to_driver=False)

        def free() -> float:
            return float(ray.available_resources().get("TPU", 0))

        try:
            wait(lambda: free() == DEVICES, "whole slice", lambda: f"{free():g} devices are free")
        finally:
            # Ray ends a process that is connected to a cluster a minute after that cluster is gone, without a word.
            ray.shutdown()
