"""The entry point: ``main([program, base.yml, key=value, …])``."""

import os
import time
from collections.abc import Sequence
from typing import Any

from maxtext.configs import parameters as configs
from maxtext.trainers.pre_train import faults, mesh
from maxtext.trainers.pre_train.checkpoints import Checkpoints
from maxtext.utils import max_logging

# Weights of the model: a linear one, small enough for any machine.
_WEIGHTS = 64


def main(argv: Sequence[str]) -> None:
    """Trains to ``steps``, from the newest checkpoint if there is one."""
    _train(configs.read(argv))


def _train(config: dict[str, Any]) -> None:
    import jax
    import jax.numpy as jnp
    import numpy
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    slices = int(os.environ.get("MEGASCALE_NUM_SLICES", "1"))
    mesh.check(config, jax.device_count() // slices, slices)
    devices = Mesh(numpy.array(jax.devices()), ("data",))
    everywhere, split = NamedSharding(devices, PartitionSpec()), NamedSharding(devices, PartitionSpec("data"))

    def step_of(weights: Any, inputs: Any) -> tuple[Any, Any]:
        # The mean over all rows needs every device of every process: a collective, as in real training.
        value, gradient = jax.value_and_grad(lambda w: jnp.mean((inputs @ w - inputs.sum(axis=1)) ** 2))(weights)
        return weights - 0.005 * gradient, value

    train_step = jax.jit(step_of, out_shardings=(everywhere, everywhere))
    checkpoints = Checkpoints(config)
    first, start = 0, numpy.zeros(_WEIGHTS, numpy.float32)
    found = checkpoints.latest()
    if found is not None:
        first, start = found[0] + 1, found[1]
        max_logging.log(f"restoring from this run's directory step {found[0]}")
    weights = jax.make_array_from_callback(start.shape, everywhere, lambda index: start[index])
    tokens = float(config["per_device_batch_size"]) * int(config["max_target_length"])
    last_process = jax.process_index() == jax.process_count() - 1
    for step in range(first, int(config["steps"])):
        began = time.monotonic()
        faults.before(step, last_process)
        rows = numpy.random.default_rng(step).standard_normal((jax.device_count(), _WEIGHTS)).astype(numpy.float32)
        inputs = jax.make_array_from_callback(rows.shape, split, lambda index, rows=rows: rows[index])
        weights, loss = train_step(weights, inputs)
        loss = float(loss)
        seconds = time.monotonic() - began
        if checkpoints.is_due(step) and jax.process_index() == 0:
            checkpoints.save(step, numpy.asarray(weights))
            max_logging.log(f"saved a checkpoint at step {step}")
        max_logging.log(
            f"completed step: {step}, seconds: {seconds:.3f}, TFLOP/s/device: {6 * _WEIGHTS * tokens / seconds / 1e12:.3f}, "
            f"Tokens/s/device: {tokens / seconds:.3f}, total_weights: {_WEIGHTS}, loss: {loss:.3f}"
        )


if __name__ == "__main__":
    import sys

    main(sys.argv)
