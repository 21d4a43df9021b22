"""Reads a project's synthesized manifests and finds the run in them: a RayCluster, the Job that submits to it, and what they refer to."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

RUN_LABEL = "app.kubernetes.io/instance"


class Unusable(Exception):
    """There is nothing here that could be rehearsed; says why."""


@dataclass(frozen=True)
class Run:
    """One run's objects, as parsed YAML. ``config_maps`` are all of the project's by name, ``secrets`` what its infrastructure declares."""

    name: str
    ray_cluster: Mapping[str, Any]
    job: Mapping[str, Any]
    config_maps: Mapping[str, Mapping[str, Any]]
    secrets: frozenset[tuple[str, str]] | None


def read(directory: Path, name: str | None) -> Run:
    """The run of that name, or the only one of the project in ``directory``. Raises Unusable."""
    dist = directory / "dist"
    files = sorted(dist.glob("*.k8s.yaml"))
    if not files:
        raise Unusable(f"{dist}: no *.k8s.yaml; run npm run synth -- {directory} first")
    objects: list[dict[str, Any]] = []
    for file in files:
        try:
            objects += [document for document in yaml.safe_load_all(file.read_text()) if document]
        except yaml.YAMLError as error:
            raise Unusable(f"{file}: not YAML: {error}") from None
    clusters = {_run_of(item): item for item in objects if item.get("kind") == "RayCluster"}
    jobs = {_run_of(item): item for item in objects if item.get("kind") == "Job"}
    names = sorted(set(clusters) & set(jobs))
    if name is None and len(names) == 1:
        name = names[0]
    if name is None or name not in names:
        wanted = "name one of them" if name is None else f"there is no {name}"
        raise Unusable(f"{dist}: has the runs {', '.join(names) or 'none with both a RayCluster and a Job'}; {wanted}")
    return Run(
        name,
        clusters[name],
        jobs[name],
        {item["metadata"]["name"]: item for item in objects if item.get("kind") == "ConfigMap"},
        _declared_secrets(directory / "infrastructure.tsv"),
    )


def _run_of(item: Mapping[str, Any]) -> str:
    metadata = item.get("metadata", {})
    return str(metadata.get("labels", {}).get(RUN_LABEL, metadata.get("name", "")))


def _declared_secrets(file: Path) -> frozenset[tuple[str, str]] | None:
    """(name, key) of every Secret the project says it needs; None when there is no such list. Format: docs/interfaces.md."""
    if not file.is_file():
        return None
    found = set()
    for line in file.read_text().splitlines():
        kind, *pairs = line.split("\t")
        if kind == "secret":
            row = dict(pair.split("=", 1) for pair in pairs)
            found.add((row.get("name", ""), row.get("key", "")))
    return frozenset(found)
