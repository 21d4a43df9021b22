"""Prints which meshes JAX lays over which TPU slices, as JSON: the reference of lib/training/maxtext/physical-mesh.ts.

    python record_meshes.py > test/training/jax-meshes.json

Each row is generation, topology, sizes of up to three axes (data, fsdp, tensor), and whether JAX accepts it without
splitting a dimension of the slice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import aot_topology

SLICES = [
    *(("v5e", f"v5e:{shape}", "default") for shape in ("2x4", "4x4")),
    *(("v6e", f"v6e:{shape}", "default") for shape in ("2x2", "4x4", "4x8", "8x16", "16x16")),
    *(("v4", f"v4:{shape}", "megacore") for shape in ("2x2x2", "2x2x4")),
    *(("v5p", f"v5:{shape}", "megacore") for shape in ("2x2x1", "2x2x4", "2x4x4", "4x4x4", "4x4x12")),
    *(("tpu7x", f"tpu7x:{shape}", "default") for shape in ("2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4", "4x4x8")),
]

MOST_MESHES_PER_SLICE = 14


def main() -> None:
    aot_topology.prepare_process("v6e-16")
    from jax.experimental import mesh_utils
    from jax.experimental.topologies import get_topology_desc

    # The same meshes on every day.
    choice = random.Random(7)
    rows = []
    for generation, name, chip_config in SLICES:
        devices = get_topology_desc(
            platform="tpu", topology_name=name, chip_config_name=chip_config, chips_per_host_bounds=(2, 2, 1), num_slices=1
        ).devices
        meshes = sorted({tuple(size for size in sizes if size > 1) for sizes in factorizations(len(devices), 3)})
        choice.shuffle(meshes)
        for sizes in meshes[:MOST_MESHES_PER_SLICE]:
            try:
                mesh_utils.create_device_mesh(sizes, devices)
                accepted = True
            except NotImplementedError:
                accepted = False
            rows.append([generation, name.split(":")[1], list(sizes), accepted])
    print("[")
    print(",\n".join(f"  {json.dumps(row)}" for row in rows))
    print("]")


def factorizations(number: int, count: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a product of ``count`` factors, in order."""
    if count == 1:
        yield (number,)
        return
    for factor in range(1, number + 1):
        if number % factor == 0:
            for rest in factorizations(number // factor, count - 1):
                yield (factor, *rest)


if __name__ == "__main__":
    main()
