"""Where model and dataset come from: the hub, a mounted path, or gs://; brought onto the host once."""

import json
import shutil
from pathlib import Path
from typing import Any

from tpu_trainers import torchtpu_rows
from tpu_trainers.torchtpu_once import once_per_host


def model_folder(model: str) -> Path:
    """The folder of a model on this host. Raises Ended with INPUT_REFUSED when there is none."""
    if model.startswith("/"):
        if not (Path(model) / "config.json").is_file():
            raise torchtpu_rows.refuse(f"model {model}: the folder has no config.json; is its bucket or claim mounted at that path?")
        return Path(model)

    def make(folder: Path) -> None:
        if model.startswith("gs://"):
            _copy(model, folder)
            if not (folder / "config.json").is_file():
                raise torchtpu_rows.refuse(f"model {model}: it has no config.json")
            return
        from huggingface_hub import snapshot_download

        print(f"downloading model {model} to this host", flush=True)
        snapshot_download(model, local_dir=folder, ignore_patterns=["*.gguf", "*.msgpack", "*.h5", "original/*", "*.pth"])

    return _made("model", model, f"model {model}", make)


def dataset_rows(dataset: str, split: str, limit: int) -> list[dict[str, Any]]:
    """The first ``limit`` rows (0: all) of a dataset. Raises Ended with INPUT_REFUSED, naming the line, when it cannot be read."""
    if dataset.startswith("/"):
        return torchtpu_rows.read(torchtpu_rows.files(Path(dataset), dataset), dataset, limit)

    def make(folder: Path) -> None:
        if dataset.startswith("gs://"):
            _copy(dataset, folder)
            return
        from datasets import load_dataset

        print(f"downloading dataset {dataset} to this host", flush=True)
        rows = load_dataset(dataset, split=split)
        with (folder / "rows.jsonl").open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")

    folder = _made("dataset", dataset, f"dataset {dataset} {split}", make)
    return torchtpu_rows.read(torchtpu_rows.files(folder, dataset), dataset, limit)


def _made(kind: str, name: str, what: str, make: Any) -> Path:
    from tpu_trainers.train_outcome import Ended

    try:
        return once_per_host(what, make)
    except Ended:
        raise
    except Exception as error:  # Hub, network, disk: whatever it is, this input cannot be read.
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise torchtpu_rows.refuse(
            f"{kind} {name}: cannot be read ({type(error).__name__}: {lines[0] if lines else 'no message'}); a gated one needs HF_TOKEN "
            "from a Secret in the workers' environment and its licence accepted on the hub"
        ) from None


def _copy(address: str, folder: Path) -> None:
    """Copies an object or all objects below a prefix of gs:// into a folder."""
    from pyarrow import fs

    source, path = fs.FileSystem.from_uri(address)
    info = source.get_file_info(path)
    if info.type == fs.FileType.File:
        with source.open_input_stream(path) as stream, (folder / path.rsplit("/", 1)[-1]).open("wb") as file:
            shutil.copyfileobj(stream, file)
        return
    if info.type == fs.FileType.NotFound:
        raise torchtpu_rows.refuse(f"{address}: there is no such object or folder, or this pod may not read it")
    fs.copy_files(path, str(folder), source_filesystem=source, destination_filesystem=fs.LocalFileSystem())
