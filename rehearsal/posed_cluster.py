"""A real Ray cluster on this machine whose nodes pose as a head and TPU hosts.

Ray derives a host's labels, slice-head resource, slice-name resource and accelerator type from the same environment variables that GKE and
the TPU webhook provide, so a host only needs those and a number for ``TPU``.
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import psutil

from rehearsal.sandbox import Sandbox

# Ray starts a node's agent in its minimal form (80 MB and seconds less) where this module cannot be imported; the head needs the full one.
_FULL_AGENT = "ray.dashboard.optional_deps"
_RAY_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Where the home folder holds a token of Ray's, a head would ask for it.
    "RAY_AUTH_MODE": "disabled",
    # Many nodes share this machine's memory, which is no fault of the run.
    "RAY_memory_monitor_refresh_ms": "0",
    "RAY_worker_register_timeout_seconds": "600",
    # Ray lets its workers give way to everything else, which is right beside other services but not where they are what is waited for.
    "RAY_worker_niceness": "0",
    # Ray starts a process for each CPU of each node in advance; posed nodes have hundreds that are not there.
    "RAY_enable_worker_prestart": "0",
    "RAY_prestart_worker_first_driver": "0",
}
# Bytes. Rehearsed models are tiny; 80 MB is the least Ray accepts.
_OBJECT_STORE = 80 * 1024 * 1024


# Seconds for a node to start: a busy machine is slow, which is no fault of the run. Ray itself gives it 30, without a setting.
_NODE_START = 300.0


def prepare() -> None:
    """Sets what Ray reads when it is first imported: to be called before that."""
    os.environ.update(_RAY_SETTINGS)


@dataclass(frozen=True)
class PosedNode:
    """A node to start: its CPUs and resources as Ray counts them, labels, and the environment its pod would have."""

    name: str
    cpus: float
    resources: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


def tpu_host(slice_name: str, worker_id: int, pod_type: str, topology: str, tpu: float, cpus: float = 2, environment: Mapping[str, str] | None = None) -> PosedNode:
    """A TPU host as GKE and the TPU webhook would make it; ``tpu`` is its TPU resource in Ray."""
    return PosedNode(
        name=f"{slice_name}/{worker_id}",
        cpus=cpus,
        resources={"TPU": tpu},
        environment={
            "TPU_NAME": slice_name,
            "TPU_WORKER_ID": str(worker_id),
            "TPU_ACCELERATOR_TYPE": pod_type,
            "TPU_TOPOLOGY": topology,
            **(environment or {}),
        },
    )


class PosedCluster:
    """A running cluster inside a Sandbox, which also ends it. Its addresses are free ports of this machine.

    Nodes start one after another: several at once on one machine are slower and race for ports.
    """

    def __init__(self, sandbox: Sandbox, head: PosedNode, python_path: tuple[str, ...] = ()) -> None:
        # Before Ray is imported: it keeps the address of "the" local cluster there, and another Ray's must not be overwritten.
        os.environ["RAY_TMPDIR"] = str(sandbox.path)
        prepare()
        import ray
        from ray.cluster_utils import Cluster

        # Where several Rays run on one machine, a process that looks for "the" cluster may find another one.
        gcs_port = free_port()
        self._address = {"RAY_ADDRESS": f"{ray.util.get_node_ip_address()}:{gcs_port}"}
        self._python_path = python_path
        self._session = sandbox.path / "ray" / "session_rehearsal"
        self._session.mkdir(parents=True)
        self._nodes: dict[str, Any] = {}
        _wait_longer_for_nodes()
        self._cluster = Cluster(shutdown_at_exit=False)
        self._start(
            head,
            session_name=self._session.name,
            gcs_server_port=gcs_port,
            include_dashboard=True,
            dashboard_host="127.0.0.1",
            dashboard_port=free_port(),
        )

    @property
    def dashboard(self) -> str:
        """``http://127.0.0.1:port`` of the head's dashboard."""
        return f"http://{self._cluster.webui_url}"

    @property
    def metrics(self) -> str:
        """Where the head's figures can be read in the text form of Prometheus."""
        head = self._cluster.head_node
        return f"http://{head.node_ip_address}:{head.metrics_export_port}/metrics"

    @property
    def gcs_address(self) -> str:
        return str(self._cluster.address)

    def add(self, node: PosedNode) -> None:
        """Starts a host and waits until Ray knows it."""
        with _without_module(_FULL_AGENT):
            self._start(node)

    def lose(self, name: str) -> None:
        """Ends a host as a vanished machine would: every process of it at once, without a word to the others."""
        node = self._nodes.pop(name)
        started = [info.process.pid for infos in node.all_processes.values() for info in infos]
        doomed = []
        for process_id in started:
            try:
                process = psutil.Process(process_id)
                doomed += [process, *process.children(recursive=True)]
            except psutil.NoSuchProcess:
                continue
        for process in doomed:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        self._cluster.remove_node(node, allow_graceful=False)

    def drain(self, name: str, seconds: int) -> None:
        """Announces that a host is preempted in ``seconds``; it goes on until it is lost."""
        import ray
        from ray.core.generated import autoscaler_pb2

        client = ray._raylet.GcsClient(address=self.gcs_address)
        deadline = (time.time_ns() // 1_000_000) + seconds * 1000
        accepted, refusal = client.drain_node(
            self._nodes[name].node_id, autoscaler_pb2.DrainNodeReason.Value("DRAIN_NODE_REASON_PREEMPTION"), "preemption", deadline
        )
        if not accepted:
            raise RuntimeError(f"Ray does not drain {name}: {refusal}")

    def _start(self, node: PosedNode, **arguments: Any) -> None:
        import ray
        from ray._raylet import persist_port

        paths = [path for path in (*self._python_path, os.environ.get("PYTHONPATH")) if path]
        # Ray's ports are fixed unless given, and taken where another Ray is. A raylet also waits for a file with its agent's port, which an agent
        # writes when it is up, and ends itself when a busy machine takes longer than 30 s for that: so the file is there before.
        node_id, agent_port = ray.NodeID.from_random().hex(), free_port()
        persist_port(str(self._session), node_id, "dashboard_agent_listen_port", agent_port)
        # Ray reads the TPU variables of the process that starts a node, and the node's own processes inherit them.
        with _environment({**node.environment, **self._address, "RAY_OVERRIDE_NODE_ID_FOR_TESTING": node_id, "PYTHONPATH": os.pathsep.join(paths)}):
            self._nodes[node.name] = self._cluster.add_node(
                num_cpus=node.cpus,
                resources=dict(node.resources),
                labels=dict(node.labels),
                object_store_memory=_OBJECT_STORE,
                metrics_agent_port=free_port(),
                metrics_export_port=free_port(),
                runtime_env_agent_port=free_port(),
                dashboard_agent_listen_port=agent_port,
                # A node unpacks the sources anew when it first needs them; in a folder they shared, that would remove the directory in which
                # processes of other nodes work.
                runtime_env_dir_name=f"runtime_resources_{node_id[:12]}",
                **arguments,
            )


def _wait_longer_for_nodes() -> None:
    from ray._private import services

    get_node = services.get_node
    if getattr(get_node, "patient", False):
        return

    def get_node_patiently(*arguments: Any, **keywords: Any) -> Any:
        deadline = time.monotonic() + _NODE_START
        while True:
            try:
                return get_node(*arguments, **keywords)
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    get_node_patiently.patient = True  # type: ignore[attr-defined]
    services.get_node = get_node_patiently


class _environment:
    """Sets environment variables of this process for the time of a block."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self._values}
        os.environ.update(self._values)

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _without_module:
    """Makes a module unimportable in this process for the time of a block."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._before = sys.modules.get(self._name)
        sys.modules[self._name] = None  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        del sys.modules[self._name]
        if self._before is not None:
            sys.modules[self._name] = self._before


def free_port() -> int:
    """A TCP port of this machine that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
