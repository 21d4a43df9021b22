"""Turns the Job's command and the pods' environment into what can run on this machine, and writes down every change."""

import posixpath
import re
from dataclasses import dataclass, replace
from pathlib import Path

from rehearsal import command as commands
from rehearsal import tiny_inputs
from rehearsal.command import Command
from rehearsal.findings import Report
from rehearsal.manifests import Run
from rehearsal.pods import Pod
from rehearsal.posed_cluster import PosedNode

# Environment that names a TPU or its compiler's flags, which JAX on a CPU refuses.
_TPU_ONLY = re.compile(r"JAX_PLATFORMS|LIBTPU_INIT_ARGS|XLA_FLAGS|PJRT_DEVICE|ENABLE_PJRT_COMPATIBILITY|TPU_.*|VBAR_.*|NODE_IP")
_MAXTEXT = "tpu_trainers.maxtext"
_COLLECTIVES = "tpu_trainers.torchtpu_collectives"
_FINETUNE = "tpu_trainers.torchtpu_finetune"


@dataclass(frozen=True)
class Pace:
    """How long a rehearsal trains and waits: steps in all, steps between checkpoints, seconds."""

    steps: int
    checkpoint_period: int
    start_deadline: int
    step_timeout: int


@dataclass(frozen=True)
class Mounts:
    """A pod's mount paths, each a folder of the same path below ``root``. Pods that share a bucket mount it at one path and share a root."""

    root: Path
    paths: tuple[str, ...]

    @staticmethod
    def make(pod: Pod, root: Path) -> "Mounts":
        mounts = Mounts(root, tuple(posixpath.normpath(path) for path in pod.mounts))
        for path in mounts.paths:
            mounts.folder(path).mkdir(parents=True, exist_ok=True)
        return mounts

    def folder(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def local(self, path: str) -> str:
        """The local form of a path in, at, or right above a mount; any other path as it is."""
        path = posixpath.normpath(path)
        if any(path == mount or path.startswith(mount + "/") or mount.startswith(path + "/") for mount in self.paths):
            return str(self.folder(path))
        return path


def write_sources(pod: Pod, run: Run, mounts: Mounts) -> None:
    """Fills the submitter's ConfigMap volumes with files, as the kubelet would."""
    for path, mount in pod.mounts.items():
        reference = (pod.volume(mount["name"]) or {}).get("configMap")
        if reference is None:
            continue
        data = run.config_maps.get(reference["name"], {}).get("data") or {}
        keys = {item["key"]: item["path"] for item in reference.get("items") or []} or {key: key for key in data}
        for key, target in keys.items():
            file = mounts.folder(posixpath.normpath(path)) / target
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(data.get(key, ""))


def node(posed: PosedNode, report: Report) -> PosedNode:
    """A pod's node without what only a TPU host understands."""
    kept = {}
    for name, value in posed.environment.items():
        if name in ("TPU_NAME", "TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_TOPOLOGY", "TPU_ACCELERATOR_TYPE") or not _TPU_ONLY.fullmatch(name):
            kept[name] = value
        else:
            report.rewrite(f"environment {name}", value, "", "only a TPU host understands it")
    return replace(posed, environment=kept)


def rewrite(
    command: Command, *, dashboard: str, sources: Mounts, mounts: Mounts, buckets: Path, pace: Pace, python: str, report: Report
) -> Command:
    """The command for this machine. ``mounts`` are the workers', ``sources`` the submitter's; ``buckets`` takes the place of gs://."""
    submitter, entry, parameters = list(command.submitter), list(command.entry), list(command.parameters)

    def change(words: list[str], name: str, value: str | None, why: str) -> None:
        before = commands.option(words, name)
        if before is None and value is None or before == value:
            return
        commands.set_option(words, name, value)
        report.rewrite(name, before or "", value or "", why)

    if submitter and submitter[0].startswith("python"):
        submitter[0] = python
    change(submitter, "--address", dashboard, "the head is on this machine")
    for name in ("--sources", "--current"):
        mounted = commands.option(submitter, name)
        if mounted is not None:
            change(submitter, name, sources.local(mounted), "mount path")
    if commands.option(submitter, "--auth-token-file") is not None:
        change(submitter, "--auth-token-file", None, "the head on this machine asks for no token")
    if commands.option(submitter, "--on-finish") == "delete-cluster":
        change(submitter, "--on-finish", "keep", "there is no Kubernetes here")
    if "--repair-slices" in submitter:
        submitter.remove("--repair-slices")
        report.rewrite("--repair-slices", "--repair-slices", "", "there is no Kubernetes here")
    change(submitter, "--start-deadline", str(pace.start_deadline), "what hangs must fail within minutes")
    for words in (entry, parameters):
        for index, word in enumerate(words):
            local = _with_local_path(word, mounts, buckets)
            if local != word:
                words[index] = local
                report.rewrite("path", word, local, "mount path" if "gs://" not in word else "there is no bucket here")
    if command.module == _MAXTEXT:
        change(entry, "--platform", "cpu", "there is no TPU here")
        change(entry, "--start-deadline", str(pace.start_deadline), "what hangs must fail within minutes")
        change(entry, "--step-timeout", str(pace.step_timeout), "what hangs must fail within minutes")
        change(entry, "--group-start-timeout", "60", "a lost slice is given up sooner")
        change(entry, "--resize-interval", "10", "growth is looked for sooner")
        _without_tpu_environment(entry, report)
        _shorten(parameters, pace, report)
    if command.module in (_COLLECTIVES, _FINETUNE):
        change(entry, "--backend", "gloo", "there is no TPU here")
        change(entry, "--start-deadline", str(pace.start_deadline), "what hangs must fail within minutes")
        # Its processes all import Torch at once, on a few cores.
        change(entry, "--step-timeout", str(pace.start_deadline), "what hangs must fail within minutes")
        _without_tpu_environment(entry, report)
    if command.module == _FINETUNE:
        workers = int(commands.option(entry, "--workers") or 1)
        change(entry, "--model", str(tiny_inputs.gemma4(buckets / "rehearsal-model")), "a Gemma 4 of 60,000 weights: the model needs the memory of a slice")
        rows = tiny_inputs.rows(buckets / "rehearsal-rows.jsonl", pace.steps * workers)
        change(entry, "--dataset", str(rows), "nothing is downloaded")
        # One row for each device in each step.
        change(entry, "--rows", "0", "a few steps show that training goes on")
        change(entry, "--epochs", "1", "a few steps show that training goes on")
        change(entry, "--per-device-batch-size", "1", "a few rows are enough")
        change(entry, "--max-length", str(tiny_inputs.LONGEST // 2), "short rows are enough")
        change(entry, "--template", None, "the rows are of the default's fields")
    return Command(submitter, entry, parameters)


def _shorten(parameters: list[str], pace: Pace, report: Report) -> None:
    given = dict(parameter.partition("=")[::2] for parameter in parameters)
    for name, value, why in (
        ("steps", pace.steps, "a few steps show that training goes on"),
        ("checkpoint_period", pace.checkpoint_period, "a restart needs a checkpoint soon"),
    ):
        before = given.get(name)
        if before is not None and before.isdigit() and int(before) <= value:
            continue
        parameters[:] = [parameter for parameter in parameters if not parameter.startswith(f"{name}=")]
        parameters.append(f"{name}={value}")
        report.rewrite(name, before or "", str(value), why)
    if "model_name" in given:
        report.rewrite("model", given["model_name"], "a stand-in of 64 weights", "the model needs the memory of a slice; see the compile check for its size")


def _without_tpu_environment(entry: list[str], report: Report) -> None:
    index = 0
    while index < len(entry) - 1:
        name, _, value = entry[index + 1].partition("=")
        if entry[index] == "--env" and _TPU_ONLY.fullmatch(name):
            report.rewrite(f"--env {name}", value, "", "only a TPU host understands it")
            del entry[index : index + 2]
        else:
            index += 1


def _with_local_path(word: str, mounts: Mounts, buckets: Path) -> str:
    key, separator, value = word.partition("=")
    if not separator:
        key, value = "", word
    if value.startswith("gs://"):
        return f"{key}{separator}{buckets / value[len('gs://'):]}"
    if value.startswith("/"):
        return f"{key}{separator}{mounts.local(value)}"
    return word
