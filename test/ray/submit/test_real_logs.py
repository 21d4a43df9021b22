"""200 MB of a real run's log over connections that are cut."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from cutting_proxy import CuttingProxy
from posed_cluster import PosedCluster
from program import write_log
from submitter_process import STAMP, TRAINERS

# 166 lines of 1 MB and 16,400 of 2 kB: 200 MB.
LINES = 16_600


class Digest:
    def __init__(self) -> None:
        self.size = 0
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.size += len(data)
        self._hash.update(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def test_a_log_of_200_mb_arrives_once_over_cut_connections(cluster: PosedCluster, sources: Path, tmp_path: Path) -> None:
    proxy = CuttingProxy(cluster.dashboard_port, cuts=[30_000_000, 90_000_001, 140_000_000])
    command = [sys.executable, "-m", "tpu_trainers.submit", "--address", proxy.address, "--run", "long-log"]
    command += ["--submission-id", "long-log", "--sources", str(sources), "--slices", "1", "--hosts-per-slice", "1"]
    command += ["--pod-type", "v6e-4", "--tpu-per-host", "4", "--", sys.executable, "program.py", "log", str(LINES)]
    written = tmp_path / "output"
    with written.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": str(TRAINERS)})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    proxy.close()
    assert process.returncode == 0
    assert proxy.cuts == [], "a connection was not cut"
    expected = Digest()
    write_log(LINES, expected)
    expected.write(b"\n")
    assert expected.size > 190_000_000
    seen = Digest()
    with written.open("rb") as file:
        for line in file:
            start = line[:60].decode(errors="replace")
            if not STAMP.match(start) and "Running entrypoint" not in start and "INFO job_manager" not in start:
                seen.write(line)
    assert (seen.size, seen.hexdigest()) == (expected.size, expected.hexdigest())
    megabytes = usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)
    print(f"peak memory {megabytes:.0f} MiB")
    assert megabytes < 100
