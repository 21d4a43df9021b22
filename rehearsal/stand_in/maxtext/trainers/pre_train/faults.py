"""Faults on purpose, for tests and rehearsals: the environment variable STAND_IN_FAULTS, a comma-separated list.

| fault | effect |
|---|---|
| ``hold:STEP:PATH`` | before STEP every process waits until PATH exists |
| ``hang:STEP`` | before STEP the last process stops for ever |
| ``raise:STEP`` | before STEP the last process raises an error |
| ``kill:STEP:PATH`` | before STEP the last process is killed, once: PATH remembers it |

``pace:SECONDS`` makes every step take at least so long.
"""

import os
import signal
import threading
import time
from pathlib import Path

VARIABLE = "STAND_IN_FAULTS"


def before(step: int, last_process: bool) -> None:
    """Does what is due before a step."""
    for fault in filter(None, os.environ.get(VARIABLE, "").split(",")):
        kind, _, rest = fault.partition(":")
        if kind == "pace":
            time.sleep(float(rest))
            continue
        at, _, path = rest.partition(":")
        if int(at) != step:
            continue
        if kind == "hold":
            pause = threading.Event()
            while not Path(path).exists():
                pause.wait(0.2)
        elif kind == "hang" and last_process:
            threading.Event().wait()
        elif kind == "raise" and last_process:
            raise RuntimeError(f"the stand-in was told to fail before step {step}")
        elif kind == "kill" and last_process and not Path(path).exists():
            Path(path).touch()
            os.kill(os.getpid(), signal.SIGKILL)
