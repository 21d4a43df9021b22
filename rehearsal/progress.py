"""How far a rehearsal is: a bar on a terminal, nothing elsewhere, where each step has a line of its own already."""

import os
import sys
from collections.abc import Mapping
from typing import TextIO

_WIDTH = 24
_CLEAR = "\r\033[K"


class Bar:
    """``show(done)`` draws the bar anew; ``clear()`` removes it, so that a line may follow.

    Drawn without colours, so that NO_COLOR has nothing to switch off; ``TERM=dumb`` has no bar.
    """

    def __init__(self, total: int, what: str, stream: TextIO | None = None, environment: Mapping[str, str] = os.environ) -> None:
        self._total = total
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._is_drawn = self._stream.isatty() and environment.get("TERM", "dumb") != "dumb"

    def show(self, done: int) -> None:
        if not self._is_drawn:
            return
        filled = _WIDTH * done // self._total if self._total else 0
        self._stream.write(f"{_CLEAR}[{'#' * filled}{'.' * (_WIDTH - filled)}] {done} of {self._total} {self._what}")
        self._stream.flush()

    def clear(self) -> None:
        if self._is_drawn:
            self._stream.write(_CLEAR)
            self._stream.flush()
