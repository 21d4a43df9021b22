"""Stands in for the package torch_tpu on machines without a TPU, for rehearsals and tests only; nothing of the real one is in it.

Ray's TorchTrainer asks every worker with a TPU resource for its device, whatever the backend, and for that imports ``torch_tpu`` and makes
``torch.device("tpu")``. This module lets it: it gives a name to the device type that PyTorch keeps for backends from outside. There is no
such device behind it, so what trains must run on the CPU, with the backend gloo. It proves what is around torch_tpu, not torch_tpu.
"""

import types

import torch

from torch_tpu import faults


class _Tpu(types.ModuleType):
    """``torch.tpu``, which PyTorch asks whether there is such a device: there is none."""

    @staticmethod
    def is_available() -> bool:
        return False

    @staticmethod
    def device_count() -> int:
        return 0


torch.utils.rename_privateuse1_backend("tpu")
torch._register_device_module("tpu", _Tpu("torch.tpu"))
faults.arm()
