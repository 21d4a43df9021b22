"""The one writer to standard output: the run's log, byte for byte, and the submitter's own lines between its lines."""

import os
import sys
import threading
import time
from collections import deque


class Output:
    """Writes log bytes and own lines so that neither breaks the other.

    Own lines look like ``2026-11-30T07:00:00Z submit: text``. While the log is inside a line, they wait for its end. Safe to use from
    several threads. A standard output that is gone (nobody reads the pod's log any more) changes nothing else.
    """

    # Own lines that wait for the end of a log line; a log without line ends must not make them pile up.
    MAX_WAITING_LINES = 100

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = sys.stdout.fileno() if descriptor is None else descriptor
        self._lock = threading.Lock()
        self._at_line_start = True
        self._closed = False
        self._waiting: deque[bytes] = deque(maxlen=self.MAX_WAITING_LINES)

    def log(self, chunk: bytes) -> None:
        """Writes a piece of the run's log, of any length, with or without line ends."""
        if not chunk:
            return
        with self._lock:
            if self._closed:
                return
            end_of_lines = chunk.rfind(b"\n") + 1
            if self._waiting and end_of_lines:
                self._write(chunk[:end_of_lines])
                self._write_waiting()
                chunk = chunk[end_of_lines:]
                if not chunk:
                    self._at_line_start = True
                    return
            self._write(chunk)
            self._at_line_start = chunk.endswith(b"\n")

    def say(self, text: str) -> None:
        """Writes one own line, now or after the log line that is being written."""
        with self._lock:
            if self._closed:
                return
            self._waiting.append(self._line(text))
            if self._at_line_start:
                self._write_waiting()

    def close(self, text: str) -> None:
        """Writes the last line; a log line without an end gets one first. Nothing is written after it."""
        with self._lock:
            self._closed = True
            if not self._at_line_start:
                self._write(b"\n")
                self._at_line_start = True
            self._waiting.append(self._line(text))
            self._write_waiting()

    @staticmethod
    def _line(text: str) -> bytes:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        one_line = " ".join(text.split())
        return f"{stamp} submit: {one_line}\n".encode(errors="backslashreplace")

    def _write_waiting(self) -> None:
        while self._waiting:
            self._write(self._waiting.popleft())

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError:
            return


class Progress:
    """Says what each phase waits for: one line when it changes, and the same line again after ``heartbeat`` seconds."""

    def __init__(self, output: Output, heartbeat: float) -> None:
        self._output = output
        self._heartbeat = heartbeat
        self._said: dict[str, tuple[str, float]] = {}

    def report(self, phase: str, text: str) -> None:
        now = time.monotonic()
        last_text, said_at = self._said.get(phase, ("", 0.0))
        if text != last_text or now - said_at >= self._heartbeat:
            self._output.say(f"{phase}: {text}")
            self._said[phase] = (text, now)
