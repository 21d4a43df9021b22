"""The run's RayCluster as the Kubernetes API shows it, from inside the pod: what the operator says about it, and its deletion."""

import json
import os
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpu_trainers import submit_http

# https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
RAY_CLUSTER_API = "/apis/ray.io/v1"
TIMEOUT_SECONDS = 30.0


class Unreadable(Exception):
    """The Kubernetes API did not say what was asked, or may not; the message says why."""


class NotDeleted(Exception):
    """The RayCluster was not deleted; the message says why."""


@dataclass(frozen=True)
class ClusterState:
    """What the operator wrote into a RayCluster's status.

    ``head_ready`` is the head pod's readiness now. ``provisioned`` says that all of its pods were ready together at least once.
    ``ready_workers`` counts the worker pods that are ready now.
    """

    uid: str
    head_ready: bool
    provisioned: bool
    ready_workers: int


def in_cluster_api() -> str:
    """The address of the Kubernetes API as every pod knows it, empty outside of a cluster."""
    host = os.environ.get("KUBERNETES_SERVICE_HOST", "")
    port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        return ""
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def connect(api: str, folder: str) -> submit_http.Connection:
    """The Kubernetes API at ``api`` with the service-account token and the certificate in ``folder``. Raises Unreadable outside of a pod."""
    if not api:
        raise Unreadable("KUBERNETES_SERVICE_HOST is not set: this is no pod")
    return submit_http.Connection(api, os.path.join(folder, "token"), TIMEOUT_SECONDS, os.path.join(folder, "ca.crt"))


class RayCluster:
    """One RayCluster by its name."""

    def __init__(self, api: str, folder: str, namespace: str, name: str) -> None:
        self.name = f"{namespace}/{name}"
        self._api = api
        self._folder = folder
        quoted = urllib.parse.quote(namespace, safe=""), urllib.parse.quote(name, safe="")
        self._path = f"{RAY_CLUSTER_API}/namespaces/{quoted[0]}/rayclusters/{quoted[1]}"

    def read(self) -> ClusterState | None:
        """Its state, None when it is gone. Raises Unreadable."""
        answer = self._request("GET", None)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise Unreadable(f"GET {self._path}: HTTP {answer.status}: {submit_http.excerpt(answer.text)}")
        try:
            return _state(answer.json())
        except (submit_http.Unusable, KeyError, TypeError, AttributeError, ValueError):
            raise Unreadable(f"GET {self._path}: no RayCluster: {submit_http.excerpt(answer.text)}") from None

    def delete(self, uid: str | None) -> str:
        """Deletes it and returns what happened, in words. With ``uid`` only the object that was read, not one made since under its name.

        A cluster that is gone already is no error. Raises NotDeleted, and Unreadable where trying again may help.
        """
        options: dict[str, Any] = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        answer = self._request("DELETE", json.dumps(options).encode())
        if answer.status == 404:
            return f"RayCluster {self.name} is gone already"
        if answer.status in (200, 202):
            return f"RayCluster {self.name} is being deleted"
        problem = f"DELETE {self._path}: HTTP {answer.status}: {submit_http.excerpt(answer.text)}"
        raise Unreadable(problem) if answer.status >= 500 else NotDeleted(problem)

    def _request(self, method: str, body: bytes | None) -> submit_http.Answer:
        try:
            return connect(self._api, self._folder).request(method, self._path, body, "application/json" if body else None)
        except submit_http.Unusable as error:
            raise Unreadable(f"{method} {self._path}: {error}") from None
        except submit_http.WrongCredentials as error:
            raise NotDeleted(f"{method} {self._path}: {error}: the pod's service account needs this right and its token") from None


def _state(body: Mapping[str, Any]) -> ClusterState:
    status = body.get("status") or {}
    # The conditions are on by default from KubeRay 1.3; a status without them has its older summary.
    conditions = {row.get("type"): row.get("status") == "True" for row in status.get("conditions") or []}
    ready = status.get("state") == "ready"
    return ClusterState(
        uid=str(body["metadata"]["uid"]),
        head_ready=conditions.get("HeadPodReady", ready),
        provisioned=conditions.get("RayClusterProvisioned", ready),
        ready_workers=int(status.get("readyWorkerReplicas") or 0),
    )
