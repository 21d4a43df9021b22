"""A scripted stand-in for the part of the Kubernetes API that a submitter uses: its RayCluster and the pods of it.

Answers have the shapes of the API server and of KubeRay's status. State changes with the requests or by the test, never by time.
"""

import json
import threading
import urllib.parse
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PODS = "/api/v1/namespaces/training/pods"
TOKEN = "service-account-t0ken"


class FakeKubernetes:
    """``code`` is what a DELETE of the RayCluster is answered, ``codes`` what comes before it, one a request.

    ``cluster_status`` is the RayCluster's status, None once there is no RayCluster. ``reading`` is the code of a GET.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "token").write_text(TOKEN)
        self.folder = folder
        self.code = 200
        self.codes: list[int] = []
        self.reading = 200
        self.uid = "uid-1"
        self.cluster_status: dict[str, Any] | None = status(head_ready=True, provisioned=True, workers=2)
        self.requests: list[tuple[str, str, str]] = []
        self.preconditions: list[dict[str, str] | None] = []
        self.reads = 0
        self.pods: list[dict[str, Any]] = []
        # Called when the last of the pods was deleted: what the operator makes in their place.
        self.remake: Callable[[], None] = lambda: None
        self.pods_code = 200
        self.deleted_pods: list[str] = []
        self.held = threading.Event()
        self.released = threading.Event()
        self.released.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"fake": self}))
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


def options(kubernetes: FakeKubernetes) -> dict[str, object]:
    """A submitter's options by which it deletes its RayCluster."""
    return {
        "on_finish": "delete-cluster",
        "cluster": "llama3-8b",
        "namespace": "training",
        "kubernetes_api": kubernetes.address,
        "service_account_folder": kubernetes.folder,
    }


def worker(name: str, slice_name: str, worker_id: int, node: str = "gke-tpu-ray-pool-0-1a2b3c4d-x9z8", **labels: str) -> dict[str, Any]:
    """A worker pod as operator and TPU webhook leave it: without KubeRay's index labels, with the webhook's."""
    return {
        "metadata": {
            "name": name,
            "uid": f"uid-of-{name}",
            "labels": {"ray.io/cluster": "llama3-8b", "ray.io/node-type": "worker", "replicaIndex": slice_name, **labels},
        },
        "spec": {
            "containers": [{"env": [{"name": "TPU_WORKER_ID"}, {"name": "TPU_WORKER_ID", "value": str(worker_id)}]}],
            **({"nodeName": node} if node else {}),
        },
    }


def status(head_ready: bool, provisioned: bool, workers: int) -> dict[str, Any]:
    """A RayCluster's status as KubeRay 1.3 and newer write it."""
    return {
        "state": "ready" if provisioned else "",
        "readyWorkerReplicas": workers,
        "conditions": [
            {"type": "HeadPodReady", "status": str(head_ready)},
            {"type": "RayClusterProvisioned", "status": str(provisioned)},
        ],
    }


class Handler(BaseHTTPRequestHandler):
    fake: FakeKubernetes

    def do_GET(self) -> None:
        assert self.headers["Authorization"] == f"Bearer {TOKEN}"
        url = urllib.parse.urlsplit(self.path)
        if url.path == PODS:
            self._list_pods(dict(urllib.parse.parse_qsl(url.query)))
            return
        self.fake.reads += 1
        if self.fake.cluster_status is None:
            self._answer(404, {"kind": "Status", "reason": "NotFound"})
        elif self.fake.reading != 200:
            self._answer(self.fake.reading, {"kind": "Status", "message": "told so"})
        else:
            self._answer(200, {"kind": "RayCluster", "metadata": {"uid": self.fake.uid}, "status": self.fake.cluster_status})

    def do_DELETE(self) -> None:
        fake = self.fake
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.startswith(f"{PODS}/"):
            self._delete_pod(self.path.removeprefix(f"{PODS}/"), body["preconditions"]["uid"])
            return
        fake.requests.append((self.path, self.headers["Authorization"], body["propagationPolicy"]))
        fake.preconditions.append(body.get("preconditions"))
        fake.held.set()
        fake.released.wait(30)
        self._answer(fake.codes.pop(0) if fake.codes else fake.code, {"kind": "Status", "message": "told so"})

    def _list_pods(self, query: dict[str, str]) -> None:
        """In pages of two, so that a reader must follow them."""
        if self.fake.pods_code != 200:
            self._answer(self.fake.pods_code, {"kind": "Status", "message": "told so"})
            return
        wanted = dict(term.split("=") for term in query["labelSelector"].split(","))
        found = [pod for pod in self.fake.pods if wanted.items() <= pod["metadata"]["labels"].items()]
        begin = int(query.get("continue", "0"))
        following = {"continue": str(begin + 2)} if begin + 2 < len(found) else {}
        self._answer(200, {"kind": "PodList", "metadata": following, "items": found[begin : begin + 2]})

    def _delete_pod(self, name: str, uid: str) -> None:
        fake = self.fake
        mine = [pod for pod in fake.pods if pod["metadata"]["name"] == name]
        if not mine:
            self._answer(404, {"kind": "Status", "reason": "NotFound"})
        elif mine[0]["metadata"]["uid"] != uid:
            self._answer(409, {"kind": "Status", "reason": "Conflict"})
        else:
            fake.pods = [pod for pod in fake.pods if pod not in mine]
            fake.deleted_pods.append(name)
            if not any(pod["metadata"]["labels"]["ray.io/node-type"] == "worker" for pod in fake.pods):
                fake.remake()
            self._answer(200, {"kind": "Pod"})

    def _answer(self, code: int, body: dict[str, Any]) -> None:
        answer = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
