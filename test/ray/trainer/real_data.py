"""The MaxText trainer with the real MaxText on every kind of data it reads, made on the spot with a local tokenizer.

Not collected by name, since it needs the environment of maxtext-environment.sh: test/ray/run.sh runs the case ``hf``, nightly.sh all.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import made_data
import pytest
from posed_runs import V5P_2X2X2, Slices, last_line, summary
from real_maxtext import OFFLINE, TINY, checkpoints

from rehearsal.sandbox import Sandbox

KINDS = ("hf", "grain")
# Rows of some 230 tokens: long enough for many steps of two examples of 64 tokens, and for a few.
PLENTY = 400
FEW = 8


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slices]:
    # An empty folder instead of the stand-in: the environment's own MaxText is found.
    with Sandbox() as sandbox:
        slices = Slices(sandbox, tmp_path_factory.mktemp("nothing"))
        slices.have(V5P_2X2X2, 1)
        yield slices


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_data.tokenizer(tmp_path_factory.mktemp("tokenizer") / "bytes")


def parameters(kind: str, folder: Path, tokenizer: Path, rows: int) -> list[str]:
    """MaxText's parameters for ``rows`` rows of a kind of data, which are made in ``folder``."""
    model = [parameter for parameter in TINY if not parameter.startswith(("dataset_type=", "vocab_size="))]
    model += [f"vocab_size={made_data.VOCABULARY}", f"dataset_type={kind}", f"tokenizer_path={tokenizer}", "tokenizer_type=huggingface"]
    if kind == "hf":
        return [*model, "hf_path=parquet", f"hf_train_files={made_data.parquet(folder / 'data', rows)}", "train_split=train"]
    return [*model, "grain_file_type=parquet", f"grain_train_files={made_data.parquet(folder / 'data', rows)}"]


@pytest.mark.parametrize("kind", KINDS)
def test_A0_real_data_trains_to_the_last_step(real: Slices, tokenizer: Path, tmp_path: Path, kind: str):
    run = real.start(
        V5P_2X2X2, f"plenty-{kind}", [*parameters(kind, tmp_path, tokenizer, PLENTY), "steps=4", "checkpoint_period=2"],
        workers=2, options=OFFLINE | {"max-failures": 0},
    )  # fmt: skip
    code, log = run.end()
    assert code == 0, log[-8000:]
    figures = summary(log)
    assert (figures["outcome"], figures["last_step"], figures["steps"]) == ("finished", "3", "4"), log[-8000:]
    assert checkpoints(real, f"plenty-{kind}") == [0, 2, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_A1_data_that_ends_is_an_end_of_its_own(real: Slices, tokenizer: Path, tmp_path: Path, kind: str):
    run = real.start(
        V5P_2X2X2, f"short-{kind}", [*parameters(kind, tmp_path, tokenizer, FEW), "steps=1000", "checkpoint_period=2"],
        workers=2, options=OFFLINE | {"max-failures": 1},
    )  # fmt: skip
    code, log = run.end()
    assert code == 60, log[-8000:]
    figures = summary(log)
    assert (figures["outcome"], figures["steps_asked"], figures["restarts"]) == ("out-of-data", "1000", "0")
    trained = int(figures["steps"])
    assert 1 <= trained < 100
    assert re.search(rf"{trained} of 1000 steps trained, then MaxText stopped on rank \d: You may have run out of training data", last_line(log)), last_line(log)
    # What was saved before is what the line says.
    assert f"is step {max(checkpoints(real, f'short-{kind}'))}" in last_line(log)
