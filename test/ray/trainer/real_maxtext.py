"""The MaxText trainer with the real MaxText on CPUs and a tiny model: one slice, then an elastic run that loses a slice and resumes.

Not collected by name, since it needs the environment of maxtext-environment.sh: test/ray/nightly.sh runs it.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from posed_runs import V5P_2X2X2, Slices, steps, summary

from rehearsal.sandbox import Sandbox

TINY = [
    "dataset_type=synthetic", "base_emb_dim=64", "base_num_query_heads=4", "base_num_kv_heads=4", "head_dim=16", "base_mlp_dim=128",
    "base_num_decoder_layers=2", "vocab_size=256", "max_target_length=64", "attention=dot_product", "async_checkpointing=false",
    # One process's CPU devices are all one slice to MaxText, so the axis inside the slice takes them all.
    "ici_fsdp_parallelism=-1", "dcn_data_parallelism=-1",
]  # fmt: skip
OFFLINE = {"env": "DECOUPLE_GCLOUD=TRUE"}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slices]:
    # An empty folder instead of the stand-in: the environment's own MaxText is found.
    with Sandbox() as sandbox:
        yield Slices(sandbox, tmp_path_factory.mktemp("nothing"))


def checkpoints(slices: Slices, run: str) -> list[int]:
    folder = Path(slices.folder, "out", run, "checkpoints")
    return sorted(int(entry.name) for entry in folder.iterdir() if entry.name.isdigit())


def test_one_slice(real: Slices):
    real.have(V5P_2X2X2, 1)
    run = real.start(V5P_2X2X2, "real-single", [*TINY, "steps=4", "checkpoint_period=2"], workers=2, options=OFFLINE)
    code, log = run.end()
    assert code == 0, log[-8000:]
    figures = summary(log)
    assert (figures["last_step"], figures["steps"], figures["devices"]) == ("3", "4", "2")
    assert float(figures["tokens_per_second"]) > 0 and float(figures["tflops_per_device"]) >= 0
    assert checkpoints(real, "real-single") == [0, 2, 3]


def test_a_parameter_it_refuses(real: Slices):
    run = real.start(V5P_2X2X2, "real-refused", [*TINY, "stepz=4"], workers=2, options=OFFLINE)
    code, log = run.end()
    assert code == 42, log[-8000:]
    assert "MAXTEXT CONFIG ERROR" in log and "stepz" in log.rstrip().splitlines()[-1]


def test_a_lost_slice_shrinks_an_elastic_run_which_resumes_from_its_checkpoint(real: Slices):
    real.have(V5P_2X2X2, 2)
    run = real.start(
        V5P_2X2X2, "real-elastic", [*TINY, "steps=1000000", "checkpoint_period=20"], workers=(2, 4),
        options=OFFLINE | {"group-start-timeout": 20, "resize-interval": 100000},
    )  # fmt: skip
    run.wait_for(r"worker of 4, rank 3")
    run.wait_for(r"completed step: 45,")
    real.lose_host(V5P_2X2X2, 1, 1)
    run.wait_for(r"worker of 2, rank 1")
    # The first step the smaller group completes.
    first = int(run.wait_for(r"(?s)worker of 2, rank.*?completed step: (\d+),")[1])
    assert first >= 21 and (first - 1) % 20 == 0, first
    run.wait_for(rf"completed step: {first + 5},")
    assert first - 1 in checkpoints(real, "real-elastic")
    after = run.log.split("worker of 2, rank", 1)[1]
    assert steps(after)[0] == first
    survivors = re.findall(r"worker of 2, rank .*", run.log)
    assert len(survivors) == 2 and "slice 0 of" not in " ".join(survivors)
    real.client.stop_job(run.identity)
    run.end()
    shutil.rmtree(Path(real.folder, "out"))
