"""The worker pods of a RayCluster by the Kubernetes API: what the TPU webhook wrote into them, and their deletion."""

import json
import urllib.parse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpu_trainers import submit_cluster, submit_http

# KubeRay's labels of a pod.
CLUSTER_LABEL = "ray.io/cluster"
NODE_TYPE_LABEL = "ray.io/node-type"
# The slice of a pod: by KubeRay's own index (1.6, or RayMultiHostIndexing), else by the TPU webhook's.
SLICE_LABELS = ("ray.io/worker-group-replica-name", "replicaIndex")
PAGE = 500


@dataclass(frozen=True)
class WorkerPod:
    """``slice_name`` and ``worker_id`` are what operator and webhook wrote, None where they did not. ``node`` is empty while it is pending."""

    name: str
    uid: str
    slice_name: str | None
    worker_id: int | None
    node: str
    leaving: bool


class WorkerPods:
    """Needs the rights ``list`` and ``delete`` on pods of the namespace."""

    def __init__(self, api: str, folder: str, namespace: str, cluster: str) -> None:
        self.selector = f"{CLUSTER_LABEL}={cluster},{NODE_TYPE_LABEL}=worker"
        self._api = api
        self._folder = folder
        self._path = f"/api/v1/namespaces/{urllib.parse.quote(namespace, safe='')}/pods"

    def read(self) -> list[WorkerPod]:
        """All worker pods. Raises Unreadable."""
        pods: list[WorkerPod] = []
        following = ""
        while True:
            query = {"labelSelector": self.selector, "limit": str(PAGE), **({"continue": following} if following else {})}
            body = self._request("GET", f"{self._path}?{urllib.parse.urlencode(query)}", None).json()
            try:
                pods += [_pod(item) for item in body["items"]]
                following = str((body.get("metadata") or {}).get("continue") or "")
            except (KeyError, TypeError, AttributeError):
                raise submit_cluster.Unreadable(f"GET {self._path}: no list of pods") from None
            if not following:
                return pods

    def delete(self, pods: Sequence[WorkerPod]) -> None:
        """Deletes these very pods, each by its uid; one that is gone already is no error. Raises Unreadable."""
        for pod in pods:
            options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": pod.uid}}
            self._request("DELETE", f"{self._path}/{urllib.parse.quote(pod.name, safe='')}", json.dumps(options).encode())

    def _request(self, method: str, path: str, body: bytes | None) -> submit_http.Answer:
        try:
            answer = submit_cluster.connect(self._api, self._folder).request(method, path, body, "application/json" if body else None)
        except (submit_http.Unusable, submit_http.WrongCredentials) as error:
            raise submit_cluster.Unreadable(f"{method} {self._path}: {error}") from None
        # 404 and 409: gone, or another pod of that name by now.
        if answer.status in (200, 202) or (method == "DELETE" and answer.status in (404, 409)):
            return answer
        raise submit_cluster.Unreadable(f"{method} {self._path}: HTTP {answer.status}: {submit_http.excerpt(answer.text)}")


def torn(pods: Sequence[WorkerPod], hosts_per_slice: int) -> list[str]:
    """What is wrong with the slices of these pods, in words, slice by slice; nothing where operator and webhook agree."""
    slices: defaultdict[str, list[WorkerPod]] = defaultdict(list)
    for pod in pods:
        if pod.slice_name is not None and not pod.leaving:
            slices[pod.slice_name].append(pod)
    found = []
    for name in sorted(slices):
        members = slices[name]
        ids = Counter(pod.worker_id for pod in members if pod.worker_id is not None)
        strange = sorted(worker for worker in ids if worker >= hosts_per_slice)
        if strange:
            found.append(f"pods of slice {name} carry the worker ids {_list(strange)} of another slice")
        twice = sorted(worker for worker, count in ids.items() if count > 1)
        if twice:
            found.append(f"several pods of slice {name} carry worker id {_list(twice)}")
        # GKE names a node GROUP-xxxx, one group for each node pool of a zone.
        groups = sorted({pod.node.rpartition("-")[0] for pod in members if pod.node})
        if len(groups) > 1:
            found.append(f"pods of slice {name} are on nodes of several node pools ({_list(groups)})")
    return found


def _pod(item: Mapping[str, Any]) -> WorkerPod:
    metadata, spec = item["metadata"], item["spec"]
    labels = metadata.get("labels") or {}
    environment: dict[str, str] = {}
    for container in spec.get("containers") or []:
        # The webhook writes a second entry of one name, and the last one counts.
        environment |= {row["name"]: row.get("value") or "" for row in container.get("env") or []}
    worker_id = environment.get("TPU_WORKER_ID", "")
    return WorkerPod(
        name=metadata["name"],
        uid=metadata["uid"],
        slice_name=next((labels[label] for label in SLICE_LABELS if labels.get(label)), None),
        worker_id=int(worker_id) if worker_id.isdecimal() else None,
        node=spec.get("nodeName") or "",
        leaving=bool(metadata.get("deletionTimestamp")),
    )


def _list(items: Sequence[object]) -> str:
    return ", ".join(str(item) for item in items)
