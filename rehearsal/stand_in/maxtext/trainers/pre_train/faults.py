"""Faults on purpose, for tests and rehearsals: the environment variable STAND_IN_FAULTS, a comma-separated list.

| fault | effect |
|---|---|
| ``hold:STEP:PATH`` | before STEP every process waits until PATH exists |
| ``hang:STEP`` | before STEP the last process stops for ever |
| ``raise:STEP`` | before STEP the last process raises an error |
| ``hang-once:STEP:PATH`` | the same, once: PATH remembers it |
| ``kill:STEP:PATH`` | before STEP the last process is killed, once: PATH remembers it |
| ``out-of-data:STEP`` | the data ends before STEP |
| ``data-error:STEP`` | the data cannot be read before STEP |
| ``out-of-data-of-one:STEP`` | the data of the last process ends before STEP; the others have more |
| ``target:STEP`` | after STEP an evaluation reaches target_eval_loss |
| ``return:STEP`` | before STEP the program returns without a word |

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
    for fault in filter(None, _asked()):
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
        elif kind == "hang-once" and last_process and not Path(path).exists():
            Path(path).touch()
            threading.Event().wait()
        elif kind == "raise" and last_process:
            raise RuntimeError(f"the stand-in was told to fail before step {step}")
        elif kind == "kill" and last_process and not Path(path).exists():
            Path(path).touch()
            os.kill(os.getpid(), signal.SIGKILL)


def end_of_data(step: int, last_process: bool) -> str | None:
    """"out-of-data" or "data-error" when a process's data is to end at a step."""
    if f"out-of-data-of-one:{step}" in _asked() and last_process:
        return "out-of-data"
    return next((kind for kind in ("out-of-data", "data-error") if f"{kind}:{step}" in _asked()), None)


def reaches_target(step: int) -> bool:
    """Whether an evaluation after a step is to reach its target."""
    return f"target:{step}" in _asked()


def returns(step: int) -> bool:
    """Whether the program is to return before a step."""
    return f"return:{step}" in _asked()


def _asked() -> list[str]:
    return os.environ.get(VARIABLE, "").split(",")
