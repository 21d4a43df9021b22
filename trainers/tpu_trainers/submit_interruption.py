"""SIGTERM and SIGINT end the submitter in good order, at once and in every phase."""

import signal
import time
from types import FrameType


class Terminated(BaseException):
    """Raised in the main thread by the first signal. No ``except Exception`` takes it for an error."""


class Interruption:
    """Turns the first SIGTERM or SIGINT into Terminated; later ones are ignored, since the end is on its way."""

    def __init__(self) -> None:
        self.signal_name = ""
        self._pending = False

    def install(self) -> None:
        signal.signal(signal.SIGTERM, self._handle)
        signal.signal(signal.SIGINT, self._handle)

    def acknowledge(self) -> None:
        """Call when Terminated was caught."""
        self._pending = False

    def ignore(self) -> None:
        """Call when nothing is left to do but to say the last line."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def pause(self, seconds: float) -> None:
        """Sleeps. Raises Terminated also when the signal came where its exception was swallowed (a finalizer, say)."""
        if self._pending:
            raise Terminated
        time.sleep(seconds)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.signal_name:
            return
        self.signal_name = signal.Signals(number).name
        self._pending = True
        raise Terminated
