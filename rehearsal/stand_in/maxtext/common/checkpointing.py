"""Checkpoints in MaxText's place: ``<base_output_directory>/<run_name>/checkpoints/<step>/``, complete once the folder has that name."""

import os
import shutil
from pathlib import Path
from typing import Any

import jax
import numpy
from jax.experimental import multihost_utils

from maxtext.utils import exceptions, max_logging


class Manager:
    """The checkpoints in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def newest(self) -> int | None:
        if not self._folder.is_dir():
            return None
        return max((int(entry.name) for entry in self._folder.iterdir() if entry.name.isdigit()), default=None)

    def load(self, step: int) -> numpy.ndarray:
        return numpy.load(self._folder / str(step) / "weights.npy")

    def save(self, step: int, weights: numpy.ndarray) -> None:
        target, aside = self._folder / str(step), self._folder / f"{step}.writing-{os.getpid()}"
        if target.exists():
            return
        aside.mkdir(parents=True)
        try:
            numpy.save(aside / "weights.npy", weights)
            aside.rename(target)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def manager(config: Any) -> Manager | None:
    """None where checkpoints are switched off."""
    return Manager(Path(config.checkpoint_dir)) if config.enable_checkpointing and config.base_output_directory else None


def maybe_save_checkpoint(checkpoint_manager: Manager | None, state: Any, config: Any, data_iterator: Any, step: int | None = None) -> None:
    """Saves ``state`` (step and weights) where a checkpoint is due; without ``step`` it is the last one of the run."""
    if checkpoint_manager is None:
        return
    last, weights = state
    # JAX's own service: all processes agree on a step after one of them was told to end.
    leaves = bool(config.enable_autocheckpoint) and jax.process_count() > 1 and multihost_utils.reached_preemption_sync_point(last)
    if step is None or leaves or step % int(config.checkpoint_period) == 0:
        if jax.process_index() == 0 and checkpoint_manager.newest != last:
            checkpoint_manager.save(last, numpy.asarray(weights))
            max_logging.log(f"saved a checkpoint at step {last}")
    if leaves:
        raise exceptions.StopTraining("Job received termination signal (SIGTERM).")


def latest_step(checkpoint_manager: Manager) -> int | None:
    return checkpoint_manager.newest


def wait_until_finished(checkpoint_manager: Manager) -> None:
    """Nothing to wait for: it saves at once."""
