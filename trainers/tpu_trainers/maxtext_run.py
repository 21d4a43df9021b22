"""The driver's part of a MaxText run: one JaxTrainer over all slices, watched from outside."""

from functools import partial
from typing import Any

from tpu_trainers import maxtext_hosts, maxtext_worker, train_watch
from tpu_trainers.maxtext_arguments import Options
from tpu_trainers.maxtext_devices import environment
from tpu_trainers.train_outcome import Outcome
from tpu_trainers.train_progress import Limits, Summary


def run(options: Options) -> tuple[Outcome, str, Summary | None]:
    """Trains to an end, as ``train_watch.watch`` says it. Needs ``ray.init`` to have been called."""
    board = train_watch.board(
        options.run,
        Limits(options.start_deadline, options.step_timeout),
        options.max_workers,
        options.workers_per_slice,
        options.devices_per_worker,
        partial(maxtext_hosts.check, workers_per_slice=options.workers_per_slice),
    )
    return train_watch.watch(_trainer(options, board), board, options.max_failures, options.controller_failure_limit)


def _trainer(options: Options, board: Any) -> Any:
    from ray.train import FailureConfig, RunConfig, ScalingConfig
    from ray.train.v2.jax import JaxTrainer

    return JaxTrainer(
        maxtext_worker.train,
        train_loop_config={
            "board": board,
            "maxtext": options.maxtext,
            "workers_per_slice": options.workers_per_slice,
            "devices_per_worker": options.devices_per_worker,
            "platform": options.platform,
            "step_timeout": options.step_timeout,
            "checkpoint_on_preemption": options.checkpoint_on_preemption,
        },
        scaling_config=ScalingConfig(
            use_tpu=True,
            topology=options.topology,
            accelerator_type=options.accelerator_type,
            num_workers=(options.min_workers, options.max_workers) if options.elastic else options.max_workers,
            resources_per_worker={"TPU": options.tpu_per_worker},
            placement_strategy="SPREAD",
            elastic_resize_monitor_interval_s=options.resize_interval,
        ),
        run_config=RunConfig(
            name=options.run,
            storage_path=options.storage_path,
            failure_config=FailureConfig(max_failures=options.max_failures, controller_failure_limit=options.controller_failure_limit),
            callbacks=train_watch.callbacks(board),
            worker_runtime_env={"env_vars": environment(options.platform, options.devices_per_worker) | options.env},
        ),
    )
