"""Runs the submitter as the process that it is in a pod."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

TRAINERS = Path(__file__).resolve().parent.parent
WAIT_SECONDS = 30.0
STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ submit: ")


class SubmitterProcess:
    """Starts at once. ``own_lines`` are the submitter's own lines without their time, ``log`` everything else that it wrote."""

    def __init__(self, arguments: list[str], environment: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tpu_trainers.submit", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(TRAINERS), **(environment or {})},
        )
        self._changed = threading.Condition()
        self._lines: list[bytes] = []
        self._at_end = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for_line(self, pattern: str) -> str:
        """Waits for a line that matches and returns it; fails when the process ends without one."""

        def found() -> str | None:
            return next((text for line in self._lines if re.search(pattern, text := line.decode(errors="replace"))), None)

        with self._changed:
            self._changed.wait_for(lambda: found() is not None or self._at_end, WAIT_SECONDS)
            line = found()
        assert line is not None, f"no line matches {pattern!r} in:\n{self.output.decode(errors='replace')}"
        return line

    def terminate(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(WAIT_SECONDS)

    def finish(self, seconds: float = WAIT_SECONDS) -> int:
        """Waits for the end and returns the exit code."""
        code = self._process.wait(seconds)
        self._reader.join(seconds)
        return code

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> bytes:
        with self._changed:
            return b"".join(self._lines)

    @property
    def own_lines(self) -> list[str]:
        with self._changed:
            texts = [line.decode(errors="replace").rstrip("\n") for line in self._lines]
        return [STAMP.sub("", text) for text in texts if STAMP.match(text)]

    @property
    def log(self) -> bytes:
        with self._changed:
            return b"".join(line for line in self._lines if not STAMP.match(line[:40].decode(errors="replace")))

    @property
    def last_line(self) -> str:
        """The last line of all output, which must be an own one; its duration reads ``duration=_``."""
        last = self.output.decode(errors="replace").splitlines()[-1]
        assert STAMP.match(last), f"the last line is not the submitter's own: {last!r}"
        return re.sub(r"duration=\d+s", "duration=_", STAMP.sub("", last))

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._at_end = True
            self._changed.notify_all()
