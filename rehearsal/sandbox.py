"""A folder and a mark for everything a rehearsal starts, so that nothing survives it: no process, no file.

Ray's processes start others in sessions of their own, so neither a process group nor a list of children finds them all. Each inherits an
environment variable instead. A reaper process waits for the end of this one, however it ends (Ctrl-C, kill -9), and then removes both.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from types import TracebackType

MARK = "CDK8S_TPU_RAY_REHEARSAL"


class Sandbox:
    """Use as a context manager. ``path`` is the folder (short, since Unix socket names are limited to 107 bytes), ``mark`` the environment to add."""

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex
        self.path = Path(tempfile.mkdtemp(prefix="rh-"))
        self._reaper: subprocess.Popen[bytes] | None = None

    @property
    def mark(self) -> dict[str, str]:
        return {MARK: self.id}

    def __enter__(self) -> "Sandbox":
        # Its own session: a Ctrl-C in the terminal must not end it before it has cleaned up. Its environment is unmarked.
        self._reaper = subprocess.Popen(
            [sys.executable, __file__, self.id, str(self.path)],
            stdin=subprocess.PIPE,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name != MARK},
        )
        os.environ[MARK] = self.id
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.environ.pop(MARK, None)
        assert self._reaper is not None and self._reaper.stdin is not None
        self._reaper.stdin.close()
        self._reaper.wait()


def processes(identity: str) -> list[int]:
    """The live processes that carry a mark (this one excluded, zombies too). Linux only: reads /proc."""
    found = []
    wanted = f"{MARK}={identity}".encode()
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            environment = Path("/proc", entry, "environ").read_bytes()
        except OSError:
            continue
        if wanted in environment.split(b"\0"):
            found.append(int(entry))
    return found


def kill(identity: str) -> None:
    """Ends every process with a mark; repeats until there is none, since a dying one may still have started another."""
    while alive := processes(identity):
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue


def _reap(identity: str, folder: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()  # Returns when the other end is closed: by __exit__, or by the kernel.
    kill(identity)
    # A killed process may still have been writing when the folder was listed, which leaves some of it.
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.1)


if __name__ == "__main__":
    _reap(sys.argv[1], sys.argv[2])
