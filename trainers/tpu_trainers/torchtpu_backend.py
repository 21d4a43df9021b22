"""The backend of torch.distributed and the device it is for. Imports Torch only when called: in a worker."""

import importlib
from typing import Any

from tpu_trainers import torchtpu_exit_codes
from tpu_trainers.torchtpu_arguments import BACKENDS
from tpu_trainers.train_outcome import Ended


def device(backend: str) -> Any:
    """This process's ``torch.device``; makes Torch know the TPU where the backend is for it.

    Raises Ended with BACKEND_MISSING, naming the package, where the image lacks what the backend needs.
    """
    if backend == "tpu_dist":
        # Registers the device type and the backend.
        _needed("torch_tpu", "use the image of images/torchtpu")
    torch = _needed("torch", "use the image of images/torchtpu")
    return torch.device(BACKENDS[backend])


def require(*packages: str) -> None:
    """Raises Ended with BACKEND_MISSING unless all packages can be imported."""
    for package in packages:
        _needed(package, "use the image of images/torchtpu")


def _needed(package: str, fix: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise Ended(torchtpu_exit_codes.BACKEND_MISSING, f"the image has no usable {package} ({error}): {fix}") from None
