"""Prints the bytes per device of MaxText's training state for each case of a JSON file, without compiling.

    python record_states.py test/training/maxtext-states.json > new.json

The file is a list of objects with ``model``, ``podType`` (one of MaxText's names of slices), ``slices``, ``ici``,
``dcn``, ``weightDtype`` and ``muDtype``; ``stateBytes`` is filled in. It is the reference of lib/training/maxtext/memory.ts.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import aot_topology


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)
    aot_topology.prepare_process("v6e-16")
    recorded = []
    for case in cases:
        print(case["model"], case["ici"], case["dcn"], file=sys.stderr, flush=True)
        recorded.append({**case, "stateBytes": state_bytes(case)})
    json.dump(recorded, sys.stdout, indent=2)
    print()


def state_bytes(case: dict[str, Any]) -> int:
    """Bytes of one device's shards of weights and moments; random keys have no size of their own and are left out."""
    import jax
    from maxtext.configs import pyconfig
    from maxtext.trainers.pre_train import train_compile

    jax.config.update("jax_default_prng_impl", "unsafe_rbg")
    # An axis left out is 1, also where MaxText's default is automatic.
    axes = {"ici": {"fsdp": 1, **case["ici"]}, "dcn": {"data": 1, **case["dcn"]}}
    config = pyconfig.initialize(
        [
            "train_compile",
            "base_output_directory=/tmp/unused",
            "run_name=unused",
            "enable_checkpointing=false",
            "dataset_type=synthetic",
            "per_device_batch_size=1",
            "max_target_length=1024",
            "allow_split_physical_axes=true",
            f"model_name={case['model']}",
            f"compile_topology={case['podType']}",
            f"compile_topology_num_slices={case['slices']}",
            f"weight_dtype={case['weightDtype']}",
            f"mu_dtype={case['muDtype']}",
            *(f"{family}_{axis}_parallelism={size}" for family in axes for axis, size in axes[family].items()),
        ]
    )
    mesh = train_compile.get_topology_mesh(config)
    (state, _), _, shardings, _, _ = train_compile.get_shaped_inputs(mesh, config)
    return sum(
        math.prod(sharding.shard_shape(leaf.shape)) * leaf.dtype.itemsize
        for leaf, sharding in zip(jax.tree_util.tree_leaves(state), jax.tree_util.tree_leaves(shardings), strict=True)
        if not jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    )


if __name__ == "__main__":
    main()
