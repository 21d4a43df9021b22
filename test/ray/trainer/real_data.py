"""The MaxText trainer with the real MaxText on every kind of data it reads, made on the spot with a local tokenizer.

Not collected by name, since it needs the environment of maxtext-environment.sh: test/ray/run.sh runs the case ``hf``, nightly.sh all.
"""

from collections.abc import Iterator
from pathlib import Path

import made_data
import pytest
from posed_runs import V5P_2X2X2, Slices, summary
from real_maxtext import OFFLINE, TINY, checkpoints

from rehearsal.sandbox import Sandbox

# Long enough for hundreds of steps of two examples of 64 tokens.
PLENTY = 400


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


@pytest.mark.parametrize("kind", ["hf", "grain"])
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
