"""Are all hosts of all slices there? Judged from the nodes that Ray lists, with the names of what is missing."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# Labels that Ray gives a node from the environment which GKE's TPU webhook injects (ray/_private/accelerators/tpu.py).
SLICE_NAME_LABEL = "ray.io/tpu-slice-name"
WORKER_ID_LABEL = "ray.io/tpu-worker-id"
POD_TYPE_LABEL = "ray.io/tpu-pod-type"


@dataclass(frozen=True)
class WantedSlices:
    """The smallest size a run can start with.

    ``pod_type`` as in Ray's label (``v6e-16``), ``tpu_per_host`` in Ray's logical TPU units. ``most_slices`` is how many there may be
    (an elastic run), ``slices`` when it is None.
    """

    slices: int
    hosts_per_slice: int
    pod_type: str
    tpu_per_host: float
    most_slices: int | None = None


@dataclass(frozen=True)
class SlicesState:
    """``torn`` says why hosts that are here make up no slice; it is empty while hosts may just be on their way."""

    complete: bool
    summary: str
    torn: tuple[str, ...] = ()


def judge(nodes: Iterable[Mapping[str, Any]], wanted: WantedSlices) -> SlicesState:
    """Judges the rows of ``GET /api/v0/nodes``.

    A slice is complete when each worker id from 0 to ``hosts_per_slice - 1`` is there exactly once. A row that is not alive counts for nothing.
    """
    slices: dict[str, list[int | None]] = {}
    remarks: list[str] = []
    other_pod_types: Counter[str] = Counter()
    unlabelled = 0
    short = 0
    for node in nodes:
        resources = node.get("resources_total") or {}
        tpu = resources.get("TPU", 0)
        if node.get("state") != "ALIVE" or not tpu:
            continue
        labels = node.get("labels") or {}
        pod_type = labels.get(POD_TYPE_LABEL)
        name = labels.get(SLICE_NAME_LABEL)
        if name is None or pod_type is None:
            unlabelled += 1
        elif pod_type != wanted.pod_type:
            other_pod_types[pod_type] += 1
        elif tpu < wanted.tpu_per_host:
            short += 1
        else:
            slices.setdefault(name, []).append(_worker_id(labels.get(WORKER_ID_LABEL)))

    expected = range(wanted.hosts_per_slice)
    complete = 0
    hosts = 0
    torn: list[str] = []
    for name in sorted(slices):
        counts = Counter(slices[name])
        present = [worker for worker in expected if counts[worker]]
        hosts += len(present)
        missing = [worker for worker in expected if not counts[worker]]
        repeated = sorted(worker for worker, count in counts.items() if worker is not None and count > 1)
        strange = sorted("(none)" if worker is None else str(worker) for worker in counts if worker not in expected)
        if not missing and not repeated and not strange:
            complete += 1
            continue
        parts = [f"slice {name} has {len(present)} of {wanted.hosts_per_slice} hosts"]
        if missing:
            parts.append(f"missing worker {_list(missing)}")
        if repeated:
            torn.append(f"several hosts of slice {name} carry worker id {_list(repeated)}")
            parts.append(f"worker id {_list(repeated)} is carried by more than one host")
        if outside := [worker for worker in counts if worker is not None and worker not in expected]:
            torn.append(f"hosts of slice {name} carry the worker ids {_list(sorted(outside))} of another slice")
        if strange:
            parts.append(f"worker id {_list(strange)} is outside 0 to {wanted.hosts_per_slice - 1}")
        remarks.append(", ".join(parts))
    unseen = wanted.slices - len(slices)
    if unseen > 0:
        remarks.append(f"{unseen} slice{'s' if unseen > 1 else ''} of pod type {wanted.pod_type} without any host")
    if unlabelled:
        remarks.append(f"{_hosts(unlabelled)} with TPU but without the labels {SLICE_NAME_LABEL} and {POD_TYPE_LABEL}")
    for pod_type, count in sorted(other_pod_types.items()):
        remarks.append(f"{_hosts(count)} of pod type {pod_type} left out")
    if short:
        remarks.append(f"{_hosts(short)} with less than {wanted.tpu_per_host:g} TPU left out")
    total = wanted.slices * wanted.hosts_per_slice
    # An elastic run waits for its smallest number of slices and may find more.
    found = f"{hosts} of {total} hosts" if hosts <= total else f"{_hosts(hosts)}, {total} needed"
    summary = f"{min(complete, wanted.slices)} of {wanted.slices} slices complete, {found}"
    if complete >= wanted.slices:
        return SlicesState(True, summary)
    present_hosts = sum(len(members) for members in slices.values())
    if present_hosts >= (wanted.most_slices or wanted.slices) * wanted.hosts_per_slice and not torn:
        torn.append(f"{_hosts(present_hosts)} of slices {_list(sorted(slices))} are here, enough for all, and they are mixed")
    return SlicesState(False, f"{summary}: {'; '.join(remarks)}", tuple(torn))


def _worker_id(label: Any) -> int | None:
    return int(label) if isinstance(label, str) and label.isdecimal() else None


def _list(items: list[Any]) -> str:
    return ", ".join(str(item) for item in items)


def _hosts(count: int) -> str:
    return f"{count} host{'' if count == 1 else 's'}"
