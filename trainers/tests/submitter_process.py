"""Runs the submitter as the process that it is in a pod."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import typing
from multiprocessing.connection import Connection
from pathlib import Path

from tpu_trainers import submit

TRAINERS = Path(__file__).resolve().parent.parent
# How long a test waits for something that comes at once on a quiet machine.
PATIENCE_SECONDS = 60.0
STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ submit: ")

# A forked process with the modules loaded starts twenty times as fast as an interpreter.
_fork_server = multiprocessing.get_context("forkserver")
_fork_server.set_forkserver_preload(["tpu_trainers.submit"])


def run_submitter(arguments: list[str], environment: dict[str, str], output: Connection) -> None:
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    output.close()
    os.environ.update(environment)
    sys.exit(submit.main(arguments))


class ForkedSubmitter:
    """``submit.main`` in a process of its own."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        reader, writer = os.pipe()
        self.output: typing.IO[bytes] = os.fdopen(reader, "rb")
        connection = Connection(writer, readable=False)
        self._process = _fork_server.Process(target=run_submitter, args=(arguments, environment, connection))
        self._process.start()
        connection.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, seconds: float) -> int:
        self._process.join(seconds)
        code = self._process.exitcode
        assert code is not None, f"the submitter did not end within {seconds} s"
        return code


class RealSubmitter:
    """``python3 -m tpu_trainers.submit``."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tpu_trainers.submit", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(TRAINERS), **environment},
        )
        assert self._process.stdout is not None
        self.output: typing.IO[bytes] = self._process.stdout
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.poll()

    def wait(self, seconds: float) -> int:
        return self._process.wait(seconds)


class SubmitterProcess:
    """Starts at once. ``own_lines`` are the submitter's own lines without their time, ``log`` everything else that it wrote."""

    def __init__(
        self, arguments: list[str], environment: dict[str, str] | None = None, real: bool = False, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._patience = patience
        self._process = (RealSubmitter if real else ForkedSubmitter)(arguments, environment or {})
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
            self._changed.wait_for(lambda: found() is not None or self._at_end, self._patience)
            line = found()
        assert line is not None, f"no line matches {pattern!r} in:\n{self.output.decode(errors='replace')}"
        return line

    def terminate(self) -> None:
        os.kill(self._process.pid, signal.SIGTERM)

    def kill(self) -> None:
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait(self._patience)

    def finish(self) -> int:
        """Waits for the end and returns the exit code."""
        code = self._process.wait(self._patience)
        self._reader.join(self._patience)
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
        for line in self._process.output:
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._at_end = True
            self._changed.notify_all()
