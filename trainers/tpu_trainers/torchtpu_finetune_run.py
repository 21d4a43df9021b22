"""The driver's part of a fine-tune: one TorchTrainer over the slice, watched from outside."""

from functools import partial
from typing import Any

from tpu_trainers import torchtpu_exit_codes, torchtpu_finetune_worker, torchtpu_place, torchtpu_slice, torchtpu_storage, train_watch
from tpu_trainers.torchtpu_finetune_arguments import Options
from tpu_trainers.torchtpu_storage import Storage
from tpu_trainers.train_outcome import Ended, Outcome
from tpu_trainers.train_progress import Limits, Summary


def run(options: Options) -> tuple[Outcome, str, Summary | None]:
    """Trains to an end, as ``train_watch.watch`` says it. Needs ``ray.init`` to have been called."""
    try:
        torchtpu_slice.check(options.shape)
        _check_storage(options)
    except Ended as ended:
        return ended.outcome, ended.reason, None
    board = train_watch.board(
        options.training.run,
        Limits(options.start_deadline, options.training.step_timeout),
        options.shape.devices,
        options.shape.devices,
        1,
        partial(torchtpu_place.check_group, hosts=options.shape.hosts),
    )
    return train_watch.watch(_trainer(options, board), board, options.max_failures, options.controller_failure_limit)


def _check_storage(options: Options) -> None:
    """The head's part: Ray Train writes its own files from there, and says less clearly why it cannot."""
    signs = Storage.at(options.training.storage_path).below(options.training.run).below("head")
    refused = torchtpu_storage.sign(signs, "head")
    if refused is not None:
        raise Ended(torchtpu_exit_codes.STORAGE_REFUSED, f"--storage-path {options.training.storage_path}: {refused}")
    signs.remove()


def _trainer(options: Options, board: Any) -> Any:
    from ray.train import CheckpointConfig, FailureConfig, RunConfig, ScalingConfig
    from ray.train.torch import TorchConfig, TorchTrainer

    return TorchTrainer(
        torchtpu_finetune_worker.train,
        train_loop_config={"board": board, "training": options.training},
        torch_config=TorchConfig(backend=options.training.backend, timeout_s=int(options.training.step_timeout)),
        scaling_config=ScalingConfig(
            use_tpu=True,
            topology=options.shape.topology,
            accelerator_type=options.shape.accelerator_type,
            num_workers=options.shape.devices,
            resources_per_worker={"TPU": 1},
        ),
        run_config=RunConfig(
            name=options.training.run,
            storage_path=options.training.storage_path,
            failure_config=FailureConfig(max_failures=options.max_failures, controller_failure_limit=options.controller_failure_limit),
            checkpoint_config=CheckpointConfig(num_to_keep=options.keep, checkpoint_score_attribute="loss", checkpoint_score_order="min"),
            callbacks=train_watch.callbacks(board),
            worker_runtime_env={"env_vars": options.env},
        ),
    )
