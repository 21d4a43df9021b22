"""A rehearsal from its first check to its verdict."""

import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from rehearsal import command as commands
from rehearsal import local_run, manifests, pods, slices
from rehearsal.findings import Report
from rehearsal.posed_cluster import PosedCluster, prepare
from rehearsal.progress import Bar
from rehearsal.sandbox import Sandbox
from rehearsal.slices import Group

MAXTEXT = "tpu_trainers.maxtext"
COLLECTIVES = "tpu_trainers.torchtpu_collectives"
FINETUNE = "tpu_trainers.torchtpu_finetune"
STAND_IN = Path(__file__).parent / "stand_in"
_STEP = re.compile(r"completed step: (\d+),")
# A run that begins again after a loss says from where.
_RESTORED = re.compile(r"restoring from this run's directory step (\d+)")


@dataclass(frozen=True)
class Loss:
    """A slice that is lost while training: its index, and the step after which."""

    slice: int
    step: int


def rehearse(directory: Path, name: str | None, loss: Loss | None, steps: int, most_hosts: int) -> int:
    """Rehearses a run of a project and prints what it finds; 0 when nothing was found, else 1.

    A run with more than ``most_hosts`` hosts, or of a trainer without a stand-in, is checked on paper only, and says so.
    Raises manifests.Unusable when there is nothing to rehearse.
    """
    began = time.monotonic()
    prepare()
    run = manifests.read(directory, name)
    report = Report()
    groups, command = _check(run, report)
    if loss is not None:
        steps = max(steps, loss.step + 10)
        _check_loss(loss, command, groups, report)
    if report.findings:
        # What is wrong on paper would only fail again, later and less clearly.
        return _verdict(run.name, report, began)
    hosts = groups[0].slices[1] * groups[0].hosts
    reason = None
    if hosts > most_hosts:
        reason = f"{hosts} hosts are more than this machine is asked to pose as (--most-hosts {most_hosts})"
    elif command.module not in (MAXTEXT, COLLECTIVES, FINETUNE):
        reason = f"there is no stand-in for what {command.module} trains"
    if reason is not None:
        print(f"checked on paper only, nothing was started: {reason}")
        return _verdict(run.name, report, began)
    with Sandbox() as sandbox:
        _train(run, groups[0], command, loss, steps, sandbox, report, began)
    return _verdict(run.name, report, began)


def _check(run: manifests.Run, report: Report) -> tuple[list[Group], commands.Command]:
    head, job = pods.head(run), pods.submitter(run)
    for pod in (head, job, *(pod for _, pod in pods.workers(run))):
        pods.check(pod, run, report)
    slices.check_start_parameters(run, _ray_start_options(), report)
    groups = slices.groups(run, report)
    command = commands.parse(job)
    worker = next((pod for group, pod in pods.workers(run) if groups and group.get("groupName") == groups[0].name), head)
    commands.check(command, run, groups, {"head": head, "worker": worker}, report)
    return groups, command


def _check_loss(loss: Loss, command: commands.Command, groups: list[Group], report: Report) -> None:
    if command.module != MAXTEXT:
        report.find("--lose-slice", f"a lost slice is rehearsed for {MAXTEXT} only, and this run is of {command.module}")
    count = groups[0].slices[1] if groups else 0
    if not 0 <= loss.slice < count:
        report.find("--lose-slice", f"{loss.slice}: the run has the slices 0 to {count - 1}")


def _ray_start_options() -> set[str]:
    from ray.scripts.scripts import start

    return {option.lstrip("-") for parameter in start.params for option in parameter.opts}


def _train(
    run: manifests.Run, group: Group, command: commands.Command, loss: Loss | None, steps: int, sandbox: Sandbox, report: Report, began: float
) -> None:
    def say(text: str) -> None:
        print(f"rehearsal {time.monotonic() - began:6.1f} s: {text}", flush=True)

    job_pod = pods.submitter(run)
    worker_pod = next(pod for definition, pod in pods.workers(run) if definition.get("groupName") == group.name)
    mounts = local_run.Mounts.make(worker_pod, sandbox.path / "pods")
    local_run.Mounts.make(pods.head(run), sandbox.path / "pods")
    sources = local_run.Mounts.make(job_pod, sandbox.path / "submitter")
    local_run.write_sources(job_pod, run, sources)

    # The jobs' python3 is this one, with the stand-ins where the image has MaxText or torch_tpu.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    report.rewrite("image", str(worker_pod.main.get("image", "")), f"this machine's Ray and the stand-in for {'MaxText' if command.module == MAXTEXT else 'torch_tpu'}", "no containers here")
    say("starting the head")
    cluster = PosedCluster(sandbox, local_run.node(slices.head(run, report), report), python_path=(str(STAND_IN),))
    name = run.ray_cluster["metadata"]["name"]
    least, wanted, _ = group.slices
    for index in range(wanted):
        say(f"starting slice {index}: {group.hosts} hosts of {group.accelerator_type} {group.topology}")
        bar = Bar(group.hosts, "hosts started")
        for worker in range(group.hosts):
            bar.show(worker)
            cluster.add(local_run.node(group.host(index, worker, name), report))
        bar.clear()

    pace = local_run.Pace(steps=steps, checkpoint_period=5, start_deadline=600, step_timeout=180)
    local = local_run.rewrite(
        command, dashboard=cluster.dashboard, sources=sources, mounts=mounts, buckets=sandbox.path / "buckets", pace=pace,
        python=sys.executable, report=report,
    )  # fmt: skip
    print("rewritten for this machine:")
    for rewrite in report.rewrites:
        print(f"  {rewrite}")
    words = local.words()
    say("submitting: " + " ".join(words))
    environment = {**os.environ, **pods.environment(job_pod, run, report)}
    if loss is not None:
        # Steps take long enough for the loss to be noticed while training goes on.
        index = words.index("--", words.index("--") + 1)
        words[index:index] = ["--env", "STAND_IN_FAULTS=pace:0.3"]
    process = subprocess.Popen(
        words,
        cwd=sources.local(str(job_pod.main.get("workingDir", "/"))),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        bufsize=1,
    )
    assert process.stdout is not None
    watch = _Watch(cluster, group, name, loss, elastic=least < wanted, say=say)
    last = ""
    for line in process.stdout:
        print(f"  | {line}", end="", flush=True)
        if line.strip():
            last = line.strip()
        watch.line(line)
    code = process.wait()
    watch.finish(report)
    if code != 0:
        report.find("Job", f"the submitter ended with {code}: {last}")
    last_step = {MAXTEXT: steps - 1, FINETUNE: steps}.get(command.module)
    if code == 0 and last_step is not None and watch.highest != last_step:
        report.find("Job", f"the submitter ended with 0 but the last step seen was {watch.highest}, expected {last_step}")


class _Watch:
    """Follows the log: counts steps, loses the slice when it is time, and brings it back where the run cannot do without it."""

    def __init__(self, cluster: PosedCluster, group: Group, name: str, loss: Loss | None, elastic: bool, say: object) -> None:
        self.highest = -1
        self._cluster = cluster
        self._group = group
        self._name = name
        self._loss = loss
        self._elastic = elastic
        self._say = say
        self._lost_at: int | None = None
        self._restored: int | None = None
        self._thread: threading.Thread | None = None

    def line(self, line: str) -> None:
        if step := _STEP.search(line):
            self.highest = max(self.highest, int(step[1]))
        if self._lost_at is not None and (restored := _RESTORED.search(line)):
            self._restored = int(restored[1])
        if self._loss is not None and self._lost_at is None and self.highest >= self._loss.step:
            self._lost_at = self.highest
            # Beside the log, which must not wait for it.
            self._thread = threading.Thread(target=self._lose, args=(self._loss.slice,), daemon=True)
            self._thread.start()

    def _lose(self, index: int) -> None:
        self._say(f"losing slice {index} after step {self._lost_at}")  # type: ignore[operator]
        for worker in range(self._group.hosts):
            self._cluster.lose(f"{self._group.name}-{index}/{worker}")
        if self._elastic:
            return
        self._say(f"bringing slice {index} back, as KubeRay would: the run has a fixed size")  # type: ignore[operator]
        for worker in range(self._group.hosts):
            self._cluster.add(local_run.node(self._group.host(index, worker, self._name), Report()))

    def finish(self, report: Report) -> None:
        if self._thread is not None:
            self._thread.join()
        if self._loss is None:
            return
        if self._lost_at is None:
            report.find("--lose-slice", f"step {self._loss.step} was never completed, so no slice was lost")
        elif self._restored is None:
            report.find("Job", f"after slice {self._loss.slice} was lost at step {self._lost_at} the run did not resume from a checkpoint")
        else:
            self._say(f"resumed from the checkpoint of step {self._restored}: {self._lost_at - self._restored} steps were repeated")  # type: ignore[operator]


def _verdict(name: str, report: Report, began: float) -> int:
    for finding in report.findings:
        print(f"finding: {finding}")
    count = len(report.findings)
    seconds = time.monotonic() - began
    outcome = "no findings" if count == 0 else "1 finding" if count == 1 else f"{count} findings"
    print(f"rehearsal of {name}: {outcome}, {len(report.rewrites)} rewrites, {seconds:.0f} s", flush=True)
    return 1 if count else 0
