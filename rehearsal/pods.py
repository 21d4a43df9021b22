"""The pods the manifests describe: containers, environment, mounts, and whether they hang together."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rehearsal.findings import Report
from rehearsal.manifests import Run


@dataclass(frozen=True)
class Pod:
    """A pod template: ``where`` names it in findings, ``main`` is its first container (Ray's or the submitter's)."""

    where: str
    spec: Mapping[str, Any]

    @property
    def containers(self) -> list[Mapping[str, Any]]:
        return list(self.spec.get("containers") or [])

    @property
    def main(self) -> Mapping[str, Any]:
        return self.containers[0] if self.containers else {}

    @property
    def mounts(self) -> dict[str, Mapping[str, Any]]:
        """The main container's mounts by path."""
        return {mount["mountPath"]: mount for mount in self.main.get("volumeMounts") or []}

    def volume(self, name: str) -> Mapping[str, Any] | None:
        return next((volume for volume in self.spec.get("volumes") or [] if volume.get("name") == name), None)

    def resource(self, name: str) -> str | None:
        """A resource of the main container: its limit, or its request."""
        resources = self.main.get("resources") or {}
        found = (resources.get("limits") or {}).get(name, (resources.get("requests") or {}).get(name))
        return None if found is None else str(found)


def head(run: Run) -> Pod:
    return Pod("RayCluster head", run.ray_cluster["spec"]["headGroupSpec"]["template"]["spec"])


def workers(run: Run) -> list[tuple[Mapping[str, Any], Pod]]:
    """Each worker group with its pod."""
    groups = run.ray_cluster["spec"].get("workerGroupSpecs") or []
    return [(group, Pod(f"RayCluster group {group.get('groupName')}", group["template"]["spec"])) for group in groups]


def submitter(run: Run) -> Pod:
    return Pod("Job", run.job["spec"]["template"]["spec"])


def environment(pod: Pod, run: Run, report: Report) -> dict[str, str]:
    """The main container's environment. A Secret's value becomes a placeholder; a reference that cannot be resolved is a finding."""
    values: dict[str, str] = {}
    for entry in pod.main.get("env") or []:
        name, source = entry["name"], entry.get("valueFrom")
        if source is None:
            values[name] = str(entry.get("value", ""))
        elif "secretKeyRef" in source:
            reference = source["secretKeyRef"]
            secret, key = reference.get("name", ""), reference.get("key", "")
            if not secret or not key:
                report.find(pod.where, f"env {name}: a Secret reference needs a name and a key, has name {secret!r} and key {key!r}")
            elif run.secrets is not None and (secret, key) not in run.secrets and not reference.get("optional"):
                report.find(pod.where, f"env {name}: Secret {secret} with key {key} is not among the secrets of infrastructure.tsv, so nobody creates it")
            values[name] = "rehearsal"
            report.rewrite(f"{pod.where} env {name}", f"Secret {secret}/{key}", "rehearsal", "secrets stay in the cluster")
        elif "configMapKeyRef" in source:
            reference = source["configMapKeyRef"]
            found = run.config_maps.get(reference.get("name", ""), {}).get("data", {}).get(reference.get("key", ""))
            if found is None:
                report.find(pod.where, f"env {name}: ConfigMap {reference.get('name')} with key {reference.get('key')} is not in dist/")
            else:
                values[name] = str(found)
        elif "fieldRef" in source:
            values[name] = "127.0.0.1" if source["fieldRef"].get("fieldPath", "").endswith("IP") else "rehearsal"
    return values


def check(pod: Pod, run: Run, report: Report) -> None:
    """Volumes without mounts and mounts without volumes, missing ConfigMaps, ports taken twice, multislice variables."""
    names = [volume.get("name") for volume in pod.spec.get("volumes") or []]
    mounted: set[str] = set()
    everywhere = [*pod.containers, *(pod.spec.get("initContainers") or [])]
    for container in everywhere:
        paths: dict[str, str] = {}
        for mount in container.get("volumeMounts") or []:
            path, volume = posixpath.normpath(mount["mountPath"]), mount["name"]
            mounted.add(volume)
            if volume not in names:
                report.find(pod.where, f"container {container.get('name')} mounts volume {volume}, which the pod does not have")
            if path in paths:
                report.find(pod.where, f"container {container.get('name')} mounts both {paths[path]} and {volume} at {path}")
            paths[path] = volume
    for name in names:
        # GKE's FUSE sidecar takes this one by its name.
        if name not in mounted and name != "gke-gcsfuse-cache":
            report.find(pod.where, f"volume {name} is mounted by no container")
    for volume in pod.spec.get("volumes") or []:
        reference = volume.get("configMap")
        if reference and reference.get("name") not in run.config_maps and not reference.get("optional"):
            report.find(pod.where, f"volume {volume.get('name')}: ConfigMap {reference.get('name')} is not in dist/")
        secret = volume.get("secret")
        if secret and run.secrets is not None and not secret.get("optional"):
            items = [item.get("key") for item in secret.get("items") or []]
            known = {key for name, key in run.secrets if name == secret.get("secretName")}
            if not known:
                report.find(pod.where, f"volume {volume.get('name')}: Secret {secret.get('secretName')} is not among the secrets of infrastructure.tsv")
            for key in sorted(set(items) - known) if known else []:
                report.find(pod.where, f"volume {volume.get('name')}: Secret {secret.get('secretName')} has no key {key}")
    _check_ports(pod, report)
    for entry in pod.main.get("env") or []:
        if entry["name"].startswith("MEGASCALE_") and entry["name"] != "MEGASCALE_PORT":
            report.find(pod.where, f"env {entry['name']}: Ray sets it for each worker; a fixed value is stale after a slice is lost")


def _ports(pod: Pod) -> Iterator[tuple[str, int]]:
    for container in [*pod.containers, *(pod.spec.get("initContainers") or [])]:
        for port in container.get("ports") or []:
            yield f"container {container.get('name')} port {port.get('name', '')}".rstrip(), int(port["containerPort"])
    for entry in pod.main.get("env") or []:
        if entry["name"] == "MEGASCALE_PORT":
            yield "env MEGASCALE_PORT", int(entry["value"])


# What Ray listens on in each of its pods besides the declared ports: metrics by KubeRay's default, and the agents.
RAY_PORTS = {8080: "Ray's metrics", 52365: "Ray's agent", 10002: "Ray's first worker port"}


def _check_ports(pod: Pod, report: Report) -> None:
    taken: dict[int, str] = {}
    for what, port in _ports(pod):
        if port in taken:
            report.find(pod.where, f"{what} and {taken[port]} both use {port}")
        elif port in RAY_PORTS and "metrics" not in what:
            report.find(pod.where, f"{what} uses {port}, which is {RAY_PORTS[port]}")
        taken[port] = what
