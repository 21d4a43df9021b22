"""Sharded checkpoints: each rank writes and reads its own part, also on another number of ranks. Imports Torch only when called."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tpu_trainers import torchtpu_exit_codes
from tpu_trainers.torchtpu_finetune_arguments import Training
from tpu_trainers.torchtpu_order import Position
from tpu_trainers.train_outcome import Ended

_PROGRESS = "progress.json"
# What must be the same for training to go on from a checkpoint.
_IDENTITY = ("model", "dataset", "split", "template", "length", "rows", "seed", "weight_dtype")


@dataclass(frozen=True)
class Progress:
    """What a checkpoint says besides weights and optimizer: the position, and the loss of the epoch so far as a sum over learned tokens."""

    position: Position
    loss_sum: float = 0.0
    loss_tokens: int = 0


def save(folder: Path, model: Any, optimizer: Any, progress: Progress, training: Training, rank: int, group: Any) -> None:
    """Writes this rank's part; rank 0 also the plan of all parts and the progress. All ranks must take part; ``group`` is for the plan."""
    import torch.distributed.checkpoint as dcp

    dcp.save(_state(model, optimizer), checkpoint_id=folder, process_group=group)
    if rank == 0:
        identity = {name: getattr(training, name) for name in _IDENTITY}
        (folder / _PROGRESS).write_text(json.dumps({**asdict(progress), "identity": identity}, indent=1))


def progress(folder: Path, training: Training) -> Progress:
    """Raises Ended with STORAGE_REFUSED when the checkpoint is of another training."""
    text = json.loads((folder / _PROGRESS).read_text())
    for name in _IDENTITY:
        if text["identity"][name] != getattr(training, name):
            raise Ended(
                torchtpu_exit_codes.STORAGE_REFUSED,
                f"--storage-path {training.storage_path}: holds checkpoints of a run {training.run} with --{name.replace('_', '-')} "
                f"{text['identity'][name]}, this one has {getattr(training, name)}: use another storage path, or another name for the run",
            )
    return Progress(Position(**text["position"]), text["loss_sum"], text["loss_tokens"])


def load(folder: Path, model: Any, optimizer: Any, group: Any) -> None:
    """Reads this rank's part into the model, and into the optimizer unless that is None. All ranks must take part."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict, set_optimizer_state_dict

    state = _state(model, optimizer)
    dcp.load(state, checkpoint_id=folder, process_group=group)
    # Frozen parts are not in it: they are those of the model it began with.
    set_model_state_dict(model, state["model"], options=StateDictOptions(strict=False))
    if optimizer is not None:
        set_optimizer_state_dict(model, optimizer, state["optimizer"], options=StateDictOptions(ignore_frozen_params=True))


def _state(model: Any, optimizer: Any) -> dict[str, Any]:
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_optimizer_state_dict

    options = StateDictOptions(ignore_frozen_params=True)
    state = {"model": get_model_state_dict(model, options=options)}
    if optimizer is not None:
        state["optimizer"] = get_optimizer_state_dict(model, optimizer, options=options)
    return state
