"""A real Ray cluster on this machine whose hosts pose as TPU hosts.

Each node is a ``ray start --block`` of its own, with the environment that GKE's TPU webhook would give its pod: Ray derives labels and
resources from that. A node is lost as a machine is: all its processes at once.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

# Every process of a posed node inherits both, whatever sessions and parents Ray gives it. The second is set by run.sh.
NODE_MARK = "CDK8S_TPU_RAY_POSED_NODE"
SUITE_MARK = "CDK8S_TPU_RAY_SUITE"
FOLDER = "CDK8S_TPU_RAY_FOLDER"
START_SECONDS = 400.0
START_ATTEMPTS = 2
MINIMAL_AGENT = Path(__file__).resolve().parent / "minimal_agent"
POLL_SECONDS = 0.1


def free_ports(count: int) -> list[int]:
    """Ports that were free a moment ago, all different."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


class PosedCluster:
    """``environment`` goes to every node (Ray's token mode, say); ``token`` to the requests of this class.

    The head's ports stay the same when it is started again.
    """

    def __init__(self, environment: dict[str, str] | None = None, token: str | None = None) -> None:
        # Ray puts sockets below its folder, whose paths may have 107 bytes; run.sh gives a short one that it removes.
        self.folder = Path(tempfile.mkdtemp(prefix="p", dir=os.environ.get(FOLDER, "/tmp")))
        self._environment = environment or {}
        self._token = token
        self._gcs_port, self.dashboard_port, self._client_port = free_ports(3)
        self._started = 0
        self._nodes: dict[str, tuple[subprocess.Popen[bytes], str]] = {}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.dashboard_port}"

    def start_head(self) -> None:
        """Starts a head and waits until its dashboard serves and lists the head itself."""
        self._start_until(
            self._head_is_alive,
            "head",
            [
                "--head",
                f"--port={self._gcs_port}",
                f"--ray-client-server-port={self._client_port}",
                "--include-dashboard=true",
                "--dashboard-host=127.0.0.1",
                f"--dashboard-port={self.dashboard_port}",
                "--object-store-memory=100000000",
                "--num-cpus=4",
            ],
            {},
            minimal_agent=False,
        )

    def add_host(self, slice_name: str, worker_id: int, pod_type: str = "v6e-8", topology: str = "2x4", tpu: int = 4) -> str:
        """Starts a TPU host, waits until the head lists it as alive, and returns the name by which it is lost."""
        name = f"{slice_name}-{worker_id}-{self._started}"
        before = len(self._alive(slice_name))
        self._start_until(
            lambda: len(self._alive(slice_name)) > before,
            name,
            [
                f"--address=127.0.0.1:{self._gcs_port}",
                "--object-store-memory=80000000",
                "--num-cpus=2",
                f"--resources={json.dumps({'TPU': tpu})}",
            ],
            {
                "TPU_NAME": slice_name,
                "TPU_WORKER_ID": str(worker_id),
                "TPU_ACCELERATOR_TYPE": pod_type,
                "TPU_TOPOLOGY": topology,
                "PYTHONPATH": str(MINIMAL_AGENT),
            },
            minimal_agent=True,
        )
        return name

    def lose(self, name: str) -> None:
        """Kills every process of a node at once."""
        process, mark = self._nodes.pop(name)
        reap(mark)
        process.wait()

    def dashboard_process(self) -> psutil.Process:
        """The process that serves the head's HTTP API."""
        mark = self._nodes["head"][1]
        return next(each for each in _marked(mark) if any(part.endswith("dashboard/dashboard.py") for part in each.cmdline()))

    def get(self, path: str) -> Any:
        """The JSON answer of the head, None while there is none."""
        request = urllib.request.Request(self.address + path)
        if self._token is not None:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return None

    def job(self, submission_id: str) -> dict[str, Any]:
        return self.get(f"/api/jobs/{submission_id}") or {}

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what}: not seen within {START_SECONDS:g} s:\n{self._output(what)}")
            time.sleep(POLL_SECONDS)

    def close(self) -> None:
        for name in list(self._nodes):
            self.lose(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _nodes_listed(self) -> list[dict[str, Any]]:
        listing = self.get("/api/v0/nodes?limit=10000")
        return [row for row in listing["data"]["result"]["result"] if row["state"] == "ALIVE"] if listing else []

    def _head_is_alive(self) -> bool:
        return any(row["is_head_node"] for row in self._nodes_listed())

    def _alive(self, slice_name: str) -> list[dict[str, Any]]:
        return [row for row in self._nodes_listed() if row["labels"].get("ray.io/tpu-slice-name") == slice_name]

    def _start_until(
        self, ready: Callable[[], bool], name: str, arguments: list[str], environment: dict[str, str], minimal_agent: bool
    ) -> None:
        """Starts a node, again when it gives up by itself before it is ready: as the kubelet restarts a pod's container."""
        for attempt in range(1, START_ATTEMPTS + 1):
            self._start(name, arguments, environment, minimal_agent)
            process = self._nodes[name][0]
            self.wait_until(lambda: ready() or process.poll() is not None, name)
            if process.poll() is None:
                return
            output = self._output(name)
            self.lose(name)
            print(f"{name} ended with {process.returncode} at start {attempt} of {START_ATTEMPTS}:\n{output}")
        raise AssertionError(f"{name} did not start:\n{output}")

    def _start(self, name: str, arguments: list[str], environment: dict[str, str], minimal_agent: bool) -> None:
        self._started += 1
        mark = f"{self.folder.name}-{self._started}"
        node_manager, object_manager, agent_http, agent_grpc, runtime_env, metrics = free_ports(6)
        command = [
            str(Path(sys.executable).with_name("ray")),
            "start",
            "--block",
            "--disable-usage-stats",
            "--node-ip-address=127.0.0.1",
            f"--node-manager-port={node_manager}",
            f"--object-manager-port={object_manager}",
            f"--dashboard-agent-listen-port={agent_http}",
            f"--dashboard-agent-grpc-port={agent_grpc}",
            f"--runtime-env-agent-port={runtime_env}",
            f"--metrics-export-port={metrics}",
            # Zero lets workers take any free port instead of a range that another Ray may use.
            "--min-worker-port=0",
            "--max-worker-port=0",
            f"--temp-dir={self.folder / str(self._started)}",
            *arguments,
        ]
        settings = {
            "RAY_USAGE_STATS_ENABLED": "0",
            # A busy machine starts slowly; that is no fault of a node.
            "RAY_raylet_start_wait_time_s": str(int(START_SECONDS / START_ATTEMPTS)),
            "RAY_DASHBOARD_STARTUP_TIMEOUT_S": str(int(START_SECONDS / START_ATTEMPTS)),
            "RAY_agent_register_timeout_ms": str(int(START_SECONDS * 1000)),
            # Slow answers are no loss; a killed host refuses connections and is noticed at once all the same.
            "RAY_health_check_timeout_ms": "60000",
            "RAY_memory_monitor_refresh_ms": "0",
            "JAX_PLATFORMS": "cpu",
            NODE_MARK: mark,
        }
        node_id = os.urandom(28).hex()
        settings["RAY_OVERRIDE_NODE_ID_FOR_TESTING"] = node_id
        ports = {
            "dashboard_agent_listen_port": -1 if minimal_agent else agent_http,
            "metrics_agent_port": -1 if minimal_agent else agent_grpc,
            "metrics_export_port": -1 if minimal_agent else metrics,
        }
        with open(self.folder / f"{name}.out", "wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, **settings, **self._environment, **environment},
            )
        self._nodes[name] = (process, mark)
        threading.Thread(target=tell_ports, args=(self.folder / str(self._started), node_id, ports, process), daemon=True).start()

    def _output(self, name: str) -> str:
        path = self.folder / f"{name}.out"
        return path.read_text(errors="replace")[-4000:] if path.exists() else "(no output)"


def tell_ports(folder: Path, node_id: str, ports: dict[str, int], node: subprocess.Popen[bytes]) -> None:
    """Writes into a node's session folder the ports that its dashboard agent will listen on.

    A raylet waits 15 seconds for the agent to write them and then aborts, which on a busy machine is too short. The ports are
    known before, since they were chosen.
    """
    while not (sessions := list(folder.glob("session_2*"))):
        if node.poll() is not None:
            return
        time.sleep(POLL_SECONDS)
    for name, port in ports.items():
        path = sessions[0] / f"{name}_{node_id}"
        if not path.exists():
            path.with_suffix(".new").write_text(str(port))
            path.with_suffix(".new").rename(path)


def reap(mark: str, variable: str = NODE_MARK) -> None:
    """Kills every process whose environment carries the mark, except this one and its parents, until there is none."""
    while processes := _marked(mark, variable):
        for process in processes:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(processes, timeout=10)


def _marked(mark: str, variable: str = NODE_MARK) -> list[psutil.Process]:
    this = psutil.Process()
    own = {this.pid, *(parent.pid for parent in this.parents())}
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid not in own and process.environ().get(variable) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "reap":
        sys.exit(f"usage: {sys.argv[0]} reap MARK (kills every process whose {SUITE_MARK} is MARK)")
    reap(sys.argv[2], SUITE_MARK)
