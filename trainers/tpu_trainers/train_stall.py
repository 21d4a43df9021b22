"""What a worker does when no further step follows: its stacks go to the log, and where it stands goes to the board."""

import faulthandler
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tpu_trainers.train_hang import Stalled

# Of the step timeout: the stacks must be in the log, and the places on the board, before a hanging group is ended.
_SHARE = 0.8
# Libraries in which a worker waits for what all of them compute together.
_SHARED = ("jax", "jaxlib", "torch")


class Watch:
    """Watches the thread that makes it, which is the one that trains. Starts with the first step."""

    def __init__(self, board: Any, attempt: str, rank: int, step_timeout: float) -> None:
        self._board = board
        self._attempt = attempt
        self._rank = rank
        self._after = step_timeout * _SHARE
        self._trains = threading.get_ident()
        self._last: int | None = None
        self._due: float | None = None
        self._changed = threading.Condition()

    def step(self, number: int) -> None:
        """A step was completed."""
        faulthandler.dump_traceback_later(self._after, file=sys.__stderr__)
        with self._changed:
            first = self._last is None
            self._last = number
            self._due = time.monotonic() + self._after
        if first:
            threading.Thread(target=self._run, name="stall", daemon=True).start()

    def stop(self) -> None:
        """Training has ended; nothing is late any more."""
        faulthandler.cancel_dump_traceback_later()
        with self._changed:
            self._due = None
            self._changed.notify_all()

    def _run(self) -> None:
        told: float | None = None
        with self._changed:
            while self._due is not None:
                # The next step only moves the time that is looked at when this wait is over.
                late = self._due - time.monotonic()
                if late > 0:
                    self._changed.wait(late)
                elif self._due != told:
                    told = self._due
                    self._board.stall.remote(self._attempt, self._rank, Stalled(self._last, *self._place()))
                else:
                    self._changed.wait(self._after)

    def _place(self) -> tuple[str, bool]:
        """The innermost line of Python that the training thread is in, and whether it is one where it waits for the others."""
        frame = sys._current_frames().get(self._trains)
        if frame is None:
            return "a thread that has ended", False
        library = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} in {frame.f_code.co_name}", library in _SHARED
