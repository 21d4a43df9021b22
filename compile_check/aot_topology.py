"""TPU slices that are not there, for MaxText's ahead-of-time compiler.

MaxText knows slices by names such as ``v5p-512``, of which each stands for one topology; a run may have another one of
the same size. A slice is therefore registered under a name of its own.
"""

from __future__ import annotations

import os
from typing import Any, Mapping


def prepare_process(pod_type: str) -> None:
    """Sets what must stand in the environment before JAX is imported.

    Args:
      pod_type: the accelerator type libtpu is told it runs on, e.g. ``v6e-16``.
    """
    os.environ.update(
        # The devices are descriptions; nothing but the compiler of libtpu is used.
        JAX_PLATFORMS="cpu",
        # No metadata server, no cloud clients.
        TPU_SKIP_MDS_QUERY="1",
        DECOUPLE_GCLOUD="TRUE",
        TPU_WORKER_HOSTNAMES="localhost",
        TPU_ACCELERATOR_TYPE=pod_type,
        # libtpu takes a lock in /tmp for the chips of a host; there are none here to fight over.
        ALLOW_MULTIPLE_LIBTPU_LOAD="1",
    )


def register(topology: Mapping[str, Any]) -> str:
    """Makes a slice known to MaxText and returns the name for ``compile_topology``.

    Args:
      topology: ``name`` (libtpu's, e.g. ``v6e:4x4``), ``chipConfig`` (``default`` or ``megacore``), ``hostBounds``
        (chips of a host, three numbers), ``wrap`` (whether each dimension is a ring, three booleans), ``devices``
        (JAX devices per slice).
    """
    from maxtext.utils import accelerator_to_spec_map as known

    name = topology["name"].replace(":", "-")
    known.UserFacingNameToSystemCharacteristics[name] = known.SystemCharacteristics(
        "tpu",
        topology["name"],
        topology["chipConfig"],
        tuple(topology["hostBounds"]),
        topology["devices"],
        tuple(topology["wrap"]),
    )
    return name
