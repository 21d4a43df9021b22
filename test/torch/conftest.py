import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "test/ray/trainer"), str(ROOT)]

from rehearsal import tiny_inputs  # noqa: E402
from tpu_trainers.torchtpu_finetune_arguments import TEMPLATE, Training  # noqa: E402


@pytest.fixture(scope="session")
def inputs(tmp_path_factory) -> Path:
    """A folder with the models ``gemma4`` and ``llama`` and the dataset ``rows.jsonl`` of 22 rows."""
    folder = tmp_path_factory.mktemp("inputs")
    tiny_inputs.gemma4(folder / "gemma4")
    tiny_inputs.llama(folder / "llama")
    tiny_inputs.rows(folder / "rows.jsonl", 22)
    return folder


@pytest.fixture
def training(inputs: Path, tmp_path: Path):
    """A fine-tune of one of the models with some options changed."""

    def make(model: str = "gemma4", **changes: object) -> Training:
        default = Training(
            run="tiny", backend="gloo", model=str(inputs / model), dataset=str(inputs / "rows.jsonl"), split="train", template=TEMPLATE,
            storage_path=str(tmp_path), epochs=2, batch=2, learning_rate=3e-3, weight_decay=0.01, length=40, rows=0, seed=42,
            weight_dtype="float32", checkpoint_every=0, hosts=1, step_timeout=600,
        )  # fmt: skip
        return replace(default, **changes)

    return make
