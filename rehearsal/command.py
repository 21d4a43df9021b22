"""The Job's own command: what it says about slices and paths, and what has to change for it to run here."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from rehearsal.findings import Report
from rehearsal.manifests import Run
from rehearsal.pods import Pod
from rehearsal.slices import Group

# Paths every image has; anything else must be mounted.
_IN_EVERY_IMAGE = ("/tmp", "/dev/shm")
_DASHBOARD_PORT = 8265


@dataclass
class Command:
    """The submitter's options, the entry point after ``--`` with the trainer's options, and the trainer's parameters after a second ``--``."""

    submitter: list[str]
    entry: list[str]
    parameters: list[str]

    def words(self) -> list[str]:
        tail = ["--", *self.parameters] if self.parameters else []
        return [*self.submitter, "--", *self.entry, *tail]

    @property
    def module(self) -> str:
        """The trainer's module, or the first word of another entry point."""
        return self.entry[self.entry.index("-m") + 1] if "-m" in self.entry[:-1] else self.entry[0]


def parse(pod: Pod) -> Command:
    words = [str(word) for word in [*(pod.main.get("command") or []), *(pod.main.get("args") or [])]]
    sections: list[list[str]] = [[]]
    for word in words:
        if word == "--" and len(sections) < 3:
            sections.append([])
        else:
            sections[-1].append(word)
    sections += [[], []]
    return Command(*sections[:3])


def option(words: Sequence[str], name: str) -> str | None:
    """The last value of ``--name value`` or ``--name=value``."""
    found = None
    for index, word in enumerate(words):
        if word == name and index + 1 < len(words):
            found = words[index + 1]
        elif word.startswith(name + "="):
            found = word[len(name) + 1 :]
    return found


def set_option(words: list[str], name: str, value: str | None) -> None:
    """Replaces ``--name value`` everywhere it stands; None takes it out."""
    index = 0
    while index < len(words):
        length = 2 if words[index] == name else 1 if words[index].startswith(name + "=") else 0
        if length:
            words[index : index + length] = []
        else:
            index += 1
    if value is not None:
        words += [name, value]


def check(command: Command, run: Run, groups: Sequence[Group], pods: Mapping[str, Pod], report: Report) -> None:
    """Compares the command with the cluster it is for. ``pods``: "head" and "worker"."""
    _check_address(command, run, pods["head"], report)
    if not groups:
        return
    group = groups[0]
    if len(groups) > 1:
        report.find("RayCluster", f"{len(groups)} TPU worker groups: slices of one run must be replicas of one group, or they do not form a multislice")
    _check_slices(command, group, report)
    _check_paths(command, pods["worker"], report)


def _check_address(command: Command, run: Run, head: Pod, report: Report) -> None:
    address = option(command.submitter, "--address")
    if address is None:
        report.find("Job", "missing argument --address")
        return
    metadata = run.ray_cluster["metadata"]
    expected = f"{metadata['name']}-head-svc.{metadata.get('namespace', 'default')}.svc"
    url = urlsplit(address)
    if url.hostname not in (expected, expected.split(".")[0], f"{expected}.cluster.local"):
        report.find("Job", f"--address {address}: the head's service is {expected}")
    ports = [int(port["containerPort"]) for port in head.main.get("ports") or []]
    if ports and url.port not in ports:
        report.find("Job", f"--address {address}: the head's container has the ports {', '.join(map(str, ports))}")
    elif url.port != _DASHBOARD_PORT and not (run.ray_cluster["spec"]["headGroupSpec"].get("rayStartParams") or {}).get("dashboard-port"):
        report.find("Job", f"--address {address}: Ray's dashboard listens on {_DASHBOARD_PORT}")


def _check_slices(command: Command, group: Group, report: Report) -> None:
    least, wanted, most = group.slices
    options = command.submitter + command.entry

    def compare(words: Sequence[str], name: str, expected: object, why: str, required: bool = True) -> None:
        value = option(words, name)
        if value is None:
            if required:
                report.find("Job", f"missing argument {name} (expected {expected}: {why})")
        elif not _same(value, expected):
            report.find("Job", f"{name} {value}: expected {expected}: {why}")

    compare(command.submitter, "--hosts-per-slice", group.hosts, f"numOfHosts of {group.name}")
    compare(command.submitter, "--pod-type", _ray_pod_type(group.pod_type), f"{group.topology} of {group.accelerator_type}")
    compare(command.submitter, "--tpu-per-host", f"{group.tpu:g}", "TPU resource of a host in Ray")
    compare(command.entry, "--topology", group.topology, f"nodeSelector of {group.name}")
    compare(command.entry, "--accelerator-type", group.accelerator_type, f"nodeSelector of {group.name}")
    compare(command.entry, "--hosts", group.hosts, f"numOfHosts of {group.name}", required=False)
    waited = option(command.submitter, "--slices")
    if waited is None:
        report.find("Job", f"missing argument --slices (expected {least} to {most})")
    elif not waited.isdigit() or not least <= int(waited) <= wanted:
        report.find("Job", f"--slices {waited}: the cluster has {wanted} slices (minReplicas {least}), so the submitter would wait for ever")
    per_worker = option(options, "--tpu-per-worker")
    if per_worker is None or not per_worker.isdigit() or int(per_worker) < 1:
        report.find("Job", "missing argument --tpu-per-worker")
        return
    workers_per_slice = int(group.tpu * group.hosts // int(per_worker))
    compare(command.entry, "--workers-per-slice", workers_per_slice, f"{group.hosts} hosts x {group.tpu:g} TPU / {per_worker} a worker", required=False)
    for name, slices in (("--min-workers", {least, wanted}), ("--max-workers", {wanted, most}), ("--workers", {wanted})):
        value = option(command.entry, name)
        allowed = sorted({count * workers_per_slice for count in slices})
        if value is not None and (not value.isdigit() or int(value) not in allowed):
            report.find("Job", f"{name} {value}: expected {' or '.join(map(str, allowed))}: {workers_per_slice} workers in each of {wanted} slices")


def _same(value: str, expected: object) -> bool:
    return value == str(expected)


def _ray_pod_type(pod_type: str) -> str:
    # Ray rewrites GKE's tpu7x-16 to v7x-16.
    return re.sub(r"^tpu", "v", pod_type)


def paths(words: Sequence[str]) -> list[tuple[str, str]]:
    """(the word it stands in, absolute path) of each path the trainer is given."""
    found = []
    for index, word in enumerate(words):
        value = word.partition("=")[2] if "=" in word else word
        if re.fullmatch(r"/[^\s:,]+", value):
            found.append((word if "=" in word or index == 0 else f"{words[index - 1]} {word}", value))
    return found


def _check_paths(command: Command, worker: Pod, report: Report) -> None:
    mounts = [posixpath.normpath(path) for path in worker.mounts] + list(_IN_EVERY_IMAGE)
    for word, path in paths([*command.entry, *command.parameters]):
        if not any(path == mount or path.startswith(mount + "/") for mount in mounts):
            report.find("Job", f"{word}: {path} is under no mount of the workers ({', '.join(worker.mounts) or 'none'}), so it is lost with the pod and no other host sees it")
