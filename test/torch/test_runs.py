"""Both trainers on a real Ray with four devices of one posed slice: real Ray Train, real FSDP2, gloo. In the order that is cheapest."""

import os
import re
import signal
from collections.abc import Iterator

import by_hand
import pytest
import torch
from posed_device_host import DeviceHost
from posed_runs import last_line, summary

from rehearsal.sandbox import Sandbox


@pytest.fixture(scope="module")
def host() -> Iterator[DeviceHost]:
    with Sandbox() as sandbox:
        yield DeviceHost(sandbox)
        # Imported by now; not before the cluster, since Ray reads some settings when it is imported.
        import ray

        assert not ray.is_initialized(), "this process would be ended by Ray a minute after the cluster"


def finetune(inputs, storage, **changes):
    return {
        "model": inputs / "gemma4", "dataset": inputs / "rows.jsonl", "storage-path": storage, "epochs": 2, "per-device-batch-size": 1,
        "learning-rate": 0.003, "max-length": 40, "rows": 0, "max-failures": 1, "weight-dtype": "float32", **changes,
    }  # fmt: skip


def curve(log: str) -> dict[int, float]:
    """The loss of each step, as logged last."""
    return {int(step): float(loss) for step, loss in re.findall(r"completed step: (\d+), .*\bloss: ([\d.]+)", log)}


class TestFinetune:
    def test_a_killed_worker_resumes_on_the_same_curve_and_the_export_loads(self, host, inputs, tmp_path):
        from transformers import AutoModelForCausalLM

        options = finetune(inputs, tmp_path, **{"checkpoint-every": 2, "env": f"STAND_IN_FAULTS=kill:5:2:{tmp_path}/killed"})
        code, log = host.start("finetune", "tuned", options).end()
        assert code == 0, log[-8000:]
        assert last_line(log) == f"torchtpu-finetune run tuned finished: 12 of 12 steps trained; exported to {tmp_path}/tuned/export"
        figures = summary(log)
        assert (figures["last_step"], figures["restarts"], figures["devices"]) == ("12", "1", "4")
        # Killed in step 5, after the checkpoint of step 4, or of step 2 where Ray had not counted that of step 4 yet: it is whole or not there.
        assert re.search(r"restoring from this run's directory step [24], epoch 1", log)
        expected = by_hand.curve(inputs / "gemma4", inputs / "rows.jsonl", length=40, batch=4, epochs=2, learning_rate=0.003, seed=42)
        found = curve(log)
        assert sorted(found) == list(range(1, 13))
        assert [found[step] for step in sorted(found)] == pytest.approx(expected, rel=2e-3)
        assert found[12] < found[1] - 0.3
        assert float(figures["loss"]) == pytest.approx(found[12], rel=1e-3)
        export = tmp_path / "tuned" / "export"
        loaded, report = AutoModelForCausalLM.from_pretrained(export, output_loading_info=True)
        assert not report["missing_keys"] and not report["unexpected_keys"]
        tokens = by_hand.token_rows(export, inputs / "rows.jsonl")
        with torch.no_grad():
            after = sum(by_hand.loss_of_row(loaded.float().eval(), row[:40]) for row in tokens) / sum(len(row[:40]) - 1 for row in tokens)
        assert float(after) < min(found.values()) + 0.3
        # Nothing of the check of the storage path is left, and only checkpoints that are whole.
        assert not list((tmp_path / "tuned").glob("hosts-*"))
        checkpoints = [path for path in (tmp_path / "tuned").glob("checkpoint_*") if path.is_dir()]
        assert checkpoints
        for checkpoint in checkpoints:
            assert {"progress.json", ".metadata"} <= {file.name for file in checkpoint.iterdir()}
            assert len(list(checkpoint.glob("*.distcp"))) == 4

    def test_a_dataset_that_cannot_be_read_is_named_before_training(self, host, inputs, tmp_path):
        bad = tmp_path / "bad.jsonl"
        bad.write_text('{"instruction": "a", "response": "b"}\n{"prompt": "c"}\n')
        storage = tmp_path / "storage"
        storage.mkdir()
        code, log = host.start("finetune", "unread", finetune(inputs, storage, dataset=bad)).end()
        assert code == 50, log[-8000:]
        assert last_line(log) == (
            f"torchtpu-finetune run unread failed (input-refused, exit code 50): dataset {bad}: row 2 has no field 'instruction' of "
            "--template; its fields are prompt"
        )
        assert curve(log) == {} and not list(storage.glob("unread/checkpoint_*")) and not (storage / "unread" / "export").exists()

    def test_a_storage_path_that_cannot_be_written(self, host, inputs, tmp_path):
        (tmp_path / "file").write_text("")
        code, log = host.start("finetune", "unwritten", finetune(inputs, tmp_path / "file")).end()
        assert code == 51, log[-8000:]
        assert f"(storage-refused, exit code 51): --storage-path {tmp_path}/file: head cannot write (" in last_line(log)


class TestCollectives:
    def test_every_rank_agrees_and_the_slice_is_given_back(self, host):
        code, log = host.start("collectives", "agree", {"matrix-size": 64}).end()
        assert code == 0, log
        rows = re.findall(r"^ +(\d) +0 +(\d)  \S+ +10 +0\.0000\d\d ", log, re.MULTILINE)
        assert rows == [(str(rank), str(rank)) for rank in range(4)], log
        assert re.fullmatch(
            r"torchtpu-collectives run agree finished: all 4 ranks agree: tensor-parallel parity \(max_abs_diff 0\.0000\d\d\), "
            r"all-reduce sum 10, all-gather",
            last_line(log),
        )
        host.wait_until_free()

    def test_a_lost_rank_is_named_with_its_host_and_the_slice_is_given_back(self, host):
        run = host.start("collectives", "lost", {"matrix-size": 64})
        process = run.wait_for(r"rank 2 of 4: process (\d+)")
        os.kill(int(process[1]), signal.SIGKILL)
        code, log = run.end()
        assert code == 53, log
        assert re.fullmatch(
            r"torchtpu-collectives run lost failed \(wrong-result, exit code 53\): rank 2 on host 0 of v6e-0 at \S+: "
            r"its process or host was lost \(.*\)",
            last_line(log),
        ), last_line(log)
        host.wait_until_free()

    def test_workers_that_do_not_fill_the_slice_as_ray_counts_it(self, host):
        code, log = host.start("collectives", "twice", {"workers": 8}).end()
        assert code == 2, log
        assert last_line(log).startswith(
            "torchtpu-collectives run twice failed (refused-arguments, exit code 2): --workers 8: Ray counts 4 devices in TPU-V6E 2x2 with "
            "RAY_TPU_RESOURCE_PER_CHIP=1 on the head"
        )
