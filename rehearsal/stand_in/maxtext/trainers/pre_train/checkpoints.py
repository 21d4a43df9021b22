"""Checkpoints in MaxText's place: ``<base_output_directory>/<run_name>/checkpoints/<step>/``, complete once the folder has that name."""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy


class Checkpoints:
    """``period`` is in steps; None for the folder switches checkpoints off."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        folder = parameters["base_output_directory"]
        self._folder = Path(folder, parameters["run_name"], "checkpoints") if folder and parameters["enable_checkpointing"] else None
        self._period = int(parameters["checkpoint_period"])
        self._last = int(parameters["steps"]) - 1

    def latest(self) -> tuple[int, numpy.ndarray] | None:
        """The newest complete checkpoint: its step and the weights."""
        if self._folder is None or not self._folder.is_dir():
            return None
        steps = [int(entry.name) for entry in self._folder.iterdir() if entry.name.isdigit()]
        if not steps:
            return None
        return max(steps), numpy.load(self._folder / str(max(steps)) / "weights.npy")

    def is_due(self, step: int) -> bool:
        return self._folder is not None and (step % self._period == 0 or step == self._last)

    def save(self, step: int, weights: numpy.ndarray) -> None:
        assert self._folder is not None
        target, aside = self._folder / str(step), self._folder / f"{step}.writing-{os.getpid()}"
        if target.exists():
            return
        aside.mkdir(parents=True)
        try:
            numpy.save(aside / "weights.npy", weights)
            aside.rename(target)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
