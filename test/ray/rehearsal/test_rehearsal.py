"""Rehearsals from beginning to end, as a user starts them."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
from conftest import ROOT, Project

from rehearsal.sandbox import MARK


def start(project: Project, *options: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    # Of its own, not this test's.
    environment.pop(MARK, None)
    return subprocess.Popen(
        [sys.executable, "-m", "rehearsal", str(project.folder), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        cwd=project.folder,
        start_new_session=True,
    )


def folders() -> set[str]:
    return {entry.name for entry in Path("/tmp").iterdir() if entry.name.startswith("rh-")}


def replace(words: list[str], name: str, value: str) -> None:
    words[words.index(name) + 1] = value


def test_the_quick_start(project: Project):
    process = start(project, "--steps", "6")
    output, _ = process.communicate()
    assert process.returncode == 0, output[-8000:]
    assert re.search(r"rehearsal of llama3-8b: no findings, \d+ rewrites, \d+ s", output.splitlines()[-1]), output[-500:]
    assert "  --address: http://llama3-8b-head-svc.default.svc:8265 -> http://127.0.0.1:" in output
    # What names the newest submission is mounted, as in the pod.
    assert "  --current: /var/run/tpu-ray-current/current.json -> " in output
    assert "  path: base_output_directory=/data -> base_output_directory=" in output
    assert len(re.findall(r"worker of 4, rank \d: TPU_NAME tpu-group-0, TPU_WORKER_ID \d", output)) == 4
    # As many devices as on the slice, so the mesh of the manifests is the mesh that was trained.
    assert "devices=16" in output
    assert "verdict=succeeded" in output


def test_a_mesh_that_does_not_multiply_out_is_found(project: Project):
    def edit(words: list[str]) -> None:
        words[words.index("ici_tensor_parallelism=4")] = "ici_tensor_parallelism=2"
        replace(words, "--max-failures", "0")

    project.arguments(edit)
    process = start(project)
    output, _ = process.communicate()
    assert process.returncode == 1, output[-8000:]
    assert re.search(r"finding: Job: the submitter ended with 10: .*", output)
    assert "product of the ICI axes is 8, must be 16, the number of devices of a slice" in output
    assert output.splitlines()[-1].startswith("rehearsal of llama3-8b: 1 finding, ")


def test_interrupted_it_leaves_nothing(project: Project):
    before = folders()
    process = start(project)
    assert process.stdout is not None
    for line in process.stdout:
        if "starting slice 0" in line:
            break
    mine = folders() - before
    started = [other for other in psutil.process_iter() if _has_folder(other, mine)]
    assert started, "nothing was running yet"
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate()
    assert process.returncode == 130, output
    assert not (folders() & mine)
    assert not [other for other in started if other.is_running() and other.status() != psutil.STATUS_ZOMBIE]
    assert sorted(entry.name for entry in project.folder.iterdir()) == ["dist", "infrastructure.tsv"]


def _has_folder(process: psutil.Process, names: set[str]) -> bool:
    try:
        return any(name in word for word in process.cmdline() for name in names)
    except psutil.Error:
        return False


def elastic_pair(project: Project) -> None:
    """Two v5p 2x2x2 slices of two hosts each, of which one is enough."""

    def cluster(group, container) -> None:
        group.update(numOfHosts=2, replicas=2, minReplicas=1, maxReplicas=2)
        group["template"]["spec"]["nodeSelector"].update(
            {"cloud.google.com/gke-tpu-accelerator": "tpu-v5p-slice", "cloud.google.com/gke-tpu-topology": "2x2x2"}
        )

    def edit(words: list[str]) -> None:
        for name, value in {
            "--hosts-per-slice": "2", "--pod-type": "v5p-16", "--topology": "2x2x2", "--accelerator-type": "TPU-V5P",
            "--min-workers": "2", "--max-workers": "4", "--workers-per-slice": "2", "--devices-per-worker": "4",
        }.items():  # fmt: skip
            replace(words, name, value)
        words[words.index("ici_tensor_parallelism=4")] = "ici_tensor_parallelism=2"
        words[words.index("--slices") + 2 : words.index("--slices") + 2] = ["--most-slices", "2"]

    project.worker(cluster)
    project.arguments(edit)


def test_a_lost_slice(project: Project):
    elastic_pair(project)
    process = start(project, "--lose-slice", "1", "--at-step", "20")
    output, _ = process.communicate()
    assert process.returncode == 0, output[-8000:]
    assert re.search(r"losing slice 1 after step 2\d", output)
    restored = re.search(r"resumed from the checkpoint of step (\d+): (\d+) steps were repeated", output)
    assert restored and int(restored[1]) % 5 == 0 and int(restored[1]) >= 15
    assert len(re.findall(r"worker of 4, rank", output)) == 4
    assert len(re.findall(r"worker of 2, rank", output)) == 2
    assert re.search(r"summary run=llama3-8b outcome=finished .* last_step=29 .* restarts=1 slices=1 devices=8", output)
