"""Failures on demand, for tests: the environment variable STAND_IN_FAULTS, as in ``kill:8:2:/shared/marker``.

``kill:STEP:RANK:MARKER`` kills the process of a rank after its optimizer's STEP-th step, once: the marker file says that it has happened.
``raise:STEP:RANK`` raises there, each time.
"""

import os
import signal
from pathlib import Path
from typing import Any

from torch.optim.optimizer import register_optimizer_step_post_hook


def arm() -> None:
    """Arms what the environment asks for."""
    text = os.environ.get("STAND_IN_FAULTS")
    if not text:
        return
    kind, at, rank, *rest = text.split(":")
    if kind not in ("kill", "raise"):
        raise ValueError(f"STAND_IN_FAULTS={text}: must be kill:STEP:RANK:MARKER or raise:STEP:RANK")
    steps = 0

    def fail(*_: Any) -> None:
        nonlocal steps
        steps += 1
        if steps != int(at) or os.environ.get("RANK") != rank:
            return
        if kind == "raise":
            raise RuntimeError(f"the stand-in was told to fail at step {at}")
        marker = Path(rest[0])
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    register_optimizer_step_post_hook(fail)
