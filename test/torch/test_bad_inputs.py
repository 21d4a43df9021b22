"""Inputs nothing can be trained with: each ends with one line that names it, before training."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from tpu_trainers import torchtpu_exit_codes, torchtpu_model, torchtpu_storage
from tpu_trainers.torchtpu_storage import Storage
from tpu_trainers.train_outcome import Ended


def refusal(outcome, call) -> str:
    with pytest.raises(Ended) as ended:
        call()
    assert ended.value.outcome is outcome
    assert "\n" not in ended.value.reason
    return ended.value.reason


def refused(call) -> str:
    return refusal(torchtpu_exit_codes.INPUT_REFUSED, call)


@pytest.fixture
def model(inputs, tmp_path) -> Path:
    """A copy of the Llama to break."""
    return Path(shutil.copytree(inputs / "llama", tmp_path / "llama"))


def edit(model: Path, **changes: object) -> None:
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**config, **changes}))


def load(model: Path):
    return torchtpu_model.load(model, "m", torchtpu_model.check(model, "m", 8), "float32", torch.device("cpu"))


def test_a_sequence_longer_than_the_model_reads(inputs):
    for name in ("gemma4", "llama"):
        assert refused(lambda: torchtpu_model.check(inputs / name, "m", 65)) == "--max-length 65: model m reads at most 64 tokens"
        torchtpu_model.check(inputs / name, "m", 64)


def test_a_configuration_that_is_none(model):
    (model / "config.json").write_text("{")
    assert refused(lambda: torchtpu_model.check(model, "m", 8)).startswith("model m: its config.json cannot be read (")
    (model / "config.json").write_text('{"model_type": "no-such-model"}')
    assert refused(lambda: torchtpu_model.check(model, "m", 8)).startswith("model m: its config.json cannot be read (")


def test_a_model_that_writes_no_text(model):
    (model / "config.json").write_text('{"model_type": "vit"}')
    assert refused(lambda: torchtpu_model.check(model, "m", 8)) == "model m: is of type vit, which is no causal language model"


def test_weights_that_cannot_be_read(model):
    (weights,) = model.glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:100])
    assert refused(lambda: load(model)).startswith("model m: its weights cannot be read (")
    weights.unlink()
    assert refused(lambda: load(model)).startswith("model m: its weights cannot be read (")


def test_weights_that_are_missing_are_not_made_up(model):
    edit(model, num_hidden_layers=3)
    assert refused(lambda: load(model)).startswith("model m: 9 weights are not in its files, model.layers.2.")


def test_no_tokenizer(model):
    for file in model.glob("token*"):
        file.unlink()
    assert refused(lambda: torchtpu_model.tokenizer(model, "m")).startswith("model m: its tokenizer cannot be read (")


def test_a_tokenizer_without_an_end(model):
    file = model / "tokenizer_config.json"
    config = json.loads(file.read_text())
    file.write_text(json.dumps({**config, "eos_token": None}))
    assert "its tokenizer has no end-of-text token" in refused(lambda: torchtpu_model.tokenizer(model, "m"))


class TestStorage:
    def test_a_path_nobody_can_write(self, tmp_path):
        (tmp_path / "file").write_text("")
        problem = torchtpu_storage.sign(Storage.at(str(tmp_path / "file")).below("run"), "tpu-0-1")
        assert problem is not None and problem.startswith("tpu-0-1 cannot write (")

    def test_an_address_that_is_none(self):
        problem = refusal(torchtpu_exit_codes.STORAGE_REFUSED, lambda: Storage.at("nothing://x"))
        assert problem.startswith("--storage-path nothing://x: ")

    def test_a_folder_each_host_has_for_itself(self, tmp_path):
        one, other = Storage.at(str(tmp_path / "one")), Storage.at(str(tmp_path / "other"))
        assert torchtpu_storage.sign(one, "tpu-0-0") is None and torchtpu_storage.sign(other, "tpu-0-1") is None
        hosts = {"tpu-0-0", "tpu-0-1"}
        assert torchtpu_storage.unseen(one, "tpu-0-0", hosts) == "tpu-0-0 does not see what tpu-0-1 wrote: it is not one shared place"

    def test_one_place(self, tmp_path):
        place = Storage.at(str(tmp_path)).below("signs")
        assert [torchtpu_storage.sign(place, host) for host in ("a", "b")] == [None, None]
        assert torchtpu_storage.unseen(place, "a", {"a", "b"}) is None
        place.remove()
        assert list(tmp_path.iterdir()) == []

    def test_what_makes_an_export_usable_comes_last(self, tmp_path):
        source, written = tmp_path / "source", []
        source.mkdir()
        for name in ("config.json", "a.safetensors", "tokenizer.json"):
            (source / name).write_text(name)
        place = Storage.at(str(tmp_path / "target"))

        class Watched:
            def __getattr__(self, name):
                return getattr(place.filesystem, name)

            def open_output_stream(self, path):
                written.append(path.rsplit("/", 1)[-1])
                return place.filesystem.open_output_stream(path)

        Storage(place.address, Watched(), place.path).fill(source)
        assert written == ["a.safetensors", "tokenizer.json", "config.json"]
        assert (tmp_path / "target" / "config.json").read_text() == "config.json"

    def test_an_export_over_another_one_is_never_a_mixture_of_both(self, tmp_path):
        source, target = tmp_path / "source", tmp_path / "target"
        for folder in (source, target):
            folder.mkdir()
        for name in ("config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json", "NOTES.md"):
            (target / name).write_text("old")
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            (source / name).write_text("new")
        place = Storage.at(str(target))

        class Failing:
            def __getattr__(self, name):
                return getattr(place.filesystem, name)

            def open_output_stream(self, path):
                raise OSError("quota")

        with pytest.raises(OSError, match="quota"):
            Storage(place.address, Failing(), place.path).fill(source)
        assert not (target / "config.json").exists()
        place.fill(source)
        assert {file.name: file.read_text() for file in target.iterdir()} == {
            "config.json": "new", "model.safetensors": "new", "tokenizer.json": "new", "NOTES.md": "old",
        }  # fmt: skip
