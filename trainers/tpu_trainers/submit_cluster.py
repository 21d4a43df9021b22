"""Deletes the run's RayCluster by the Kubernetes API, from inside the pod."""

import http.client
import json
import os
import ssl
import urllib.parse

from tpu_trainers import submit_http

# https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
RAY_CLUSTER_API = "/apis/ray.io/v1"
TIMEOUT_SECONDS = 30.0


class NotDeleted(Exception):
    """The RayCluster was not deleted; the message says why."""


def in_cluster_api() -> str:
    """The address of the Kubernetes API as every pod knows it, empty outside of a cluster."""
    host = os.environ.get("KUBERNETES_SERVICE_HOST", "")
    port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        return ""
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def delete_ray_cluster(api: str, folder: str, namespace: str, name: str) -> str:
    """Deletes one RayCluster with the service-account token in ``folder``; returns what happened, in words.

    ``api`` is the address of the Kubernetes API. A cluster that is gone already is no error. Raises NotDeleted.
    """
    if not api:
        raise NotDeleted("KUBERNETES_SERVICE_HOST is not set: this is no pod")
    try:
        token = submit_http.read_token(os.path.join(folder, "token"))
    except submit_http.WrongCredentials as error:
        raise NotDeleted(f"{error}: the pod needs its service-account token") from None
    url = urllib.parse.urlsplit(api)
    path = f"{RAY_CLUSTER_API}/namespaces/{urllib.parse.quote(namespace, safe='')}/rayclusters/{urllib.parse.quote(name, safe='')}"
    connection: http.client.HTTPConnection
    try:
        if url.scheme == "https":
            trusted = ssl.create_default_context(cafile=os.path.join(folder, "ca.crt"))
            connection = http.client.HTTPSConnection(url.hostname or "", url.port, timeout=TIMEOUT_SECONDS, context=trusted)
        else:
            connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=TIMEOUT_SECONDS)
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json", "Content-Type": "application/json"}
        connection.request("DELETE", path, body=json.dumps({"propagationPolicy": "Background"}), headers=headers)
        response = connection.getresponse()
        text = response.read(submit_http.READ_SIZE).decode(errors="replace")
        connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise NotDeleted(f"DELETE {path}: {type(error).__name__}: {error}") from None
    if response.status == 404:
        return f"RayCluster {namespace}/{name} is gone already"
    if response.status not in (200, 202):
        raise NotDeleted(f"DELETE {path}: HTTP {response.status}: {submit_http.excerpt(text)}")
    return f"RayCluster {namespace}/{name} is being deleted"
