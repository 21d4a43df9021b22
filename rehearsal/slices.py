"""The TPU slices a RayCluster asks for, and the hosts that pose as them."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rehearsal import pods
from rehearsal.findings import Report
from rehearsal.manifests import Run
from rehearsal.posed_cluster import PosedNode

ACCELERATOR = "cloud.google.com/gke-tpu-accelerator"
TOPOLOGY = "cloud.google.com/gke-tpu-topology"
CHIPS = "google.com/tpu"
PER_CHIP = "RAY_TPU_RESOURCE_PER_CHIP"
# GKE's accelerator label -> the generation in TPU_ACCELERATOR_TYPE, what its number counts per chip, and Ray's accelerator type.
# Source: ray/_private/accelerators/tpu.py (VALID_TPU_TYPES); GKE's device plugin.
GENERATIONS = {
    "tpu-v4-podslice": ("v4", 2, "TPU-V4"),
    "tpu-v5-lite-podslice": ("v5litepod", 1, "TPU-V5LITEPOD"),
    "tpu-v5p-slice": ("v5p", 2, "TPU-V5P"),
    "tpu-v6e-slice": ("v6e", 1, "TPU-V6E"),
    "tpu7x": ("tpu7x", 2, "TPU-V7X"),
}


@dataclass(frozen=True)
class Group:
    """A worker group that is made of slices.

    ``slices`` is (least, wanted, most); ``chips`` are those of one host, ``tpu`` its resource in Ray, ``pod_type`` as Ray names it.
    """

    name: str
    where: str
    slices: tuple[int, int, int]
    hosts: int
    chips: int
    tpu: float
    topology: str
    pod_type: str
    accelerator_type: str
    environment: Mapping[str, str]
    cpus: float

    def host(self, index: int, worker: int, cluster: str) -> PosedNode:
        """A host of a slice with what GKE, the TPU webhook and KubeRay give it."""
        name = f"{self.name}-{index}"
        names = ",".join(f"{name}-{other}.{cluster}-headless" for other in range(self.hosts))
        return PosedNode(
            name=f"{name}/{worker}",
            cpus=self.cpus,
            resources={"TPU": self.tpu},
            environment={
                **self.environment,
                "TPU_NAME": name,
                "TPU_WORKER_ID": str(worker),
                "TPU_WORKER_HOSTNAMES": names if self.hosts > 1 else "localhost",
                "TPU_TOPOLOGY": self.topology,
                "TPU_ACCELERATOR_TYPE": self.pod_type,
            },
        )


def groups(run: Run, report: Report) -> list[Group]:
    """The groups that ask for TPU chips; what does not add up is a finding."""
    found = []
    for group, pod in pods.workers(run):
        chips = pod.resource(CHIPS)
        if chips is None:
            continue
        selector = pod.spec.get("nodeSelector") or {}
        accelerator, topology = selector.get(ACCELERATOR), selector.get(TOPOLOGY)
        if accelerator not in GENERATIONS:
            report.find(pod.where, f"nodeSelector {ACCELERATOR}: {accelerator}: must be one of {', '.join(GENERATIONS)}")
            continue
        if topology is None or not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", topology):
            report.find(pod.where, f"nodeSelector {TOPOLOGY}: {topology}: must be a topology such as 4x4; the TPU webhook refuses the pod")
            continue
        generation, cores, accelerator_type = GENERATIONS[accelerator]
        requests = ((pod.main.get("resources") or {}).get("requests") or {}).get(CHIPS)
        if requests is not None and str(requests) != chips:
            report.find(pod.where, f"{CHIPS}: request {requests} and limit {chips} must be equal")
        in_slice = math.prod(map(int, topology.split("x")))
        hosts = int(group.get("numOfHosts", 1))
        expected = max(in_slice // int(chips), 1)
        if hosts != expected:
            report.find(
                pod.where,
                f"numOfHosts {hosts}: topology {topology} has {in_slice} chips, {chips} a host, so a slice has {expected} hosts; the TPU webhook refuses it",
            )
        environment = pods.environment(pod, run, report)
        found.append(
            Group(
                name=str(group.get("groupName")),
                where=pod.where,
                slices=_slices(group, pod.where, report),
                hosts=hosts,
                chips=int(chips),
                tpu=_ray_resource(group, "TPU", float(chips)),
                topology=topology,
                pod_type=f"{generation}-{in_slice * cores}",
                accelerator_type=accelerator_type,
                environment=environment,
                cpus=_cpus(group, pod),
            )
        )
    if not found:
        report.find("RayCluster", f"no worker group asks for {CHIPS}")
    return found


def head(run: Run, report: Report) -> PosedNode:
    """The head as KubeRay would start it."""
    pod = pods.head(run)
    return PosedNode("head", cpus=_cpus(run.ray_cluster["spec"]["headGroupSpec"], pod), environment=pods.environment(pod, run, report))


def check_start_parameters(run: Run, known: Iterable[str], report: Report) -> None:
    """Refuses rayStartParams that ``ray start`` does not know (``known``: its options without dashes): the pod would restart for ever."""
    options = set(known)
    groups_ = [("RayCluster head", run.ray_cluster["spec"]["headGroupSpec"])]
    groups_ += [(pod.where, group) for group, pod in pods.workers(run)]
    for where, group in groups_:
        for name in group.get("rayStartParams") or {}:
            if name not in options:
                report.find(where, f"rayStartParams {name}: ray start has no such option")


def _slices(group: Mapping[str, Any], where: str, report: Report) -> tuple[int, int, int]:
    wanted = group.get("replicas")
    least, most = int(group.get("minReplicas", wanted or 0)), int(group.get("maxReplicas", wanted or 0))
    if wanted is None:
        wanted = most
    if not least <= int(wanted) <= most:
        report.find(where, f"replicas {wanted}: must be within minReplicas {least} and maxReplicas {most}")
    return least, int(wanted), most


def _ray_resource(group: Mapping[str, Any], name: str, default: float) -> float:
    return float((group.get("resources") or {}).get(name, default))


def _cpus(group: Mapping[str, Any], pod: pods.Pod) -> float:
    """As KubeRay counts: the group's resources, rayStartParams, then the container's limit or request."""
    named = (group.get("resources") or {}).get("CPU", (group.get("rayStartParams") or {}).get("num-cpus"))
    if named is not None:
        return float(named)
    text = pod.resource("cpu") or "1"
    return float(math.ceil(float(text[:-1]) / 1000 if text.endswith("m") else float(text)))
