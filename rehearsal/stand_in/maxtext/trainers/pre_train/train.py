"""The entry point: ``main([program, base.yml, key=value, …])``.

As MaxText's, it returns normally at most of its ends: after the last step, where there is none left to train, and where training is stopped.
"""

import os
import time
from collections.abc import Sequence
from typing import Any

from maxtext.common import checkpointing, data_loader
from maxtext.configs import pyconfig
from maxtext.trainers.pre_train import faults, mesh
from maxtext.utils import exceptions, max_logging

# Weights of the model: a linear one, small enough for any machine.
_WEIGHTS = 64


def main(argv: Sequence[str]) -> None:
    """Trains to ``steps``, from the newest checkpoint if there is one."""
    config = pyconfig.initialize(argv)
    if config.log_config:
        for name, value in sorted(vars(config).items()):
            print(f"Config param {name}: {value}", flush=True)
    try:
        _train(config)
    except exceptions.StopTraining as stop:
        max_logging.log(f"Training stopped: {stop}")


def _train(config: Any) -> None:
    import jax
    import jax.numpy as jnp
    import numpy
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    slices = int(os.environ.get("MEGASCALE_NUM_SLICES", "1"))
    mesh.check(vars(config), jax.device_count() // slices, slices)
    devices = Mesh(numpy.array(jax.devices()), ("data",))
    everywhere, split = NamedSharding(devices, PartitionSpec()), NamedSharding(devices, PartitionSpec("data"))

    def step_of(weights: Any, inputs: Any) -> tuple[Any, Any]:
        # The mean over all rows needs every device of every process: a collective, as in real training.
        value, gradient = jax.value_and_grad(lambda w: jnp.mean((inputs @ w - inputs.sum(axis=1)) ** 2))(weights)
        return weights - 0.005 * gradient, value

    train_step = jax.jit(step_of, out_shardings=(everywhere, everywhere))
    manager = checkpointing.manager(config)
    first, start = 0, numpy.zeros(_WEIGHTS, numpy.float32)
    found = manager.newest if manager is not None else None
    if manager is not None and found is not None:
        first, start = found + 1, manager.load(found)
        max_logging.log(f"restoring from this run's directory step {found}")
    weights = jax.make_array_from_callback(start.shape, everywhere, lambda index: start[index])
    tokens = float(config.per_device_batch_size) * int(config.max_target_length)
    last_process = jax.process_index() == jax.process_count() - 1
    for step in range(first, int(config.steps)):
        began = time.monotonic()
        faults.before(step, last_process)
        if faults.returns(step):
            return
        data_loader.load_next_batch(config, step, last_process)
        rows = numpy.random.default_rng(step).standard_normal((jax.device_count(), _WEIGHTS)).astype(numpy.float32)
        inputs = jax.make_array_from_callback(rows.shape, split, lambda index, rows=rows: rows[index])
        weights, loss = train_step(weights, inputs)
        loss = float(loss)
        seconds = time.monotonic() - began
        checkpointing.maybe_save_checkpoint(manager, (step, weights), config, None, step)
        max_logging.log(
            f"completed step: {step}, seconds: {seconds:.3f}, TFLOP/s/device: {6 * _WEIGHTS * tokens / seconds / 1e12:.3f}, "
            f"Tokens/s/device: {tokens / seconds:.3f}, total_weights: {_WEIGHTS}, loss: {loss:.3f}"
        )
        if faults.reaches_target(step):
            raise exceptions.StopTraining(f"Target loss {config.target_eval_loss} is achieved.")
    if config.save_checkpoint_on_completion:
        checkpointing.maybe_save_checkpoint(manager, (max(first, int(config.steps)) - 1, weights), config, None)


if __name__ == "__main__":
    import sys

    main(sys.argv)
