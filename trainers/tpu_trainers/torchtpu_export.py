"""The result of a fine-tune as a folder that ``from_pretrained`` loads. Imports Torch only when called."""

import json
from pathlib import Path
from typing import Any

from tpu_trainers import torchtpu_model
from tpu_trainers.torchtpu_model import Loaded

# Bytes of a file, and so of what rank 0 holds at a time.
SHARD = 2 * 1024**3


def write(folder: Path, loaded: Loaded, rank: int, shard_bytes: int = SHARD) -> None:
    """Writes weights, configuration and tokenizer; only rank 0 writes, and holds no more than a file at a time. All ranks must take part."""
    parts = _Parts(folder, shard_bytes)
    for name, tensor in torchtpu_model.whole_tensors(loaded.model):
        if rank == 0:
            parts.add(name, tensor)
    if rank != 0:
        return
    parts.finish()
    config = loaded.model.config
    config.get_text_config().use_cache = loaded.use_cache
    config.save_pretrained(folder)
    config.get_text_config().use_cache = False
    if getattr(loaded.model, "generation_config", None) is not None:
        loaded.model.generation_config.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)


class _Parts:
    """Files of weights and their index, in the layout of the hub."""

    def __init__(self, folder: Path, shard_bytes: int) -> None:
        self._folder = folder
        self._limit = shard_bytes
        self._part: dict[str, Any] = {}
        self._bytes = 0
        self._total = 0
        self._written: list[list[str]] = []

    def add(self, name: str, tensor: Any) -> None:
        size = tensor.numel() * tensor.element_size()
        if self._part and self._bytes + size > self._limit:
            self._flush()
        self._part[name] = tensor.contiguous()
        self._bytes += size
        self._total += size

    def finish(self) -> None:
        self._flush()
        count = len(self._written)
        index = {}
        for number, names in enumerate(self._written, 1):
            # How many there are is known only now, and stands in the name of each.
            file = f"model-{number:05d}-of-{count:05d}.safetensors"
            (self._folder / f"part-{number}").rename(self._folder / file)
            index |= dict.fromkeys(names, file)
        text = {"metadata": {"total_size": self._total}, "weight_map": index}
        (self._folder / "model.safetensors.index.json").write_text(json.dumps(text, indent=1))

    def _flush(self) -> None:
        from safetensors.torch import save_file

        self._written.append(list(self._part))
        save_file(self._part, self._folder / f"part-{len(self._written)}", metadata={"format": "pt"})
        self._part = {}
        self._bytes = 0
