"""Follows a run's log over lost connections: every byte is written once, in order, in bounded memory.

Each connection starts at the log's first byte, so what was written before is skipped by counting. That a stream ends, or how, says
nothing about the run.
"""

import threading
import time

from tpu_trainers import submit_http, submit_output, submit_ray

FIRST_RECONNECT_SECONDS = 0.5
# Each connection sends the whole log again, so a connection that keeps failing must not be tried too often.
MAX_RECONNECT_SECONDS = 30.0


class LogFollower:
    """Writes the log of one submission to an output, first while it grows, then the rest of it."""

    def __init__(self, api: submit_ray.RayApi, submission_id: str, output: submit_output.Output) -> None:
        self._api = api
        self._submission_id = submission_id
        self._output = output
        self._written = 0
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._stream: submit_http.Stream | None = None
        self._thread: threading.Thread | None = None

    @property
    def started(self) -> bool:
        return self._thread is not None

    def start(self, node_id: str) -> None:
        """Begins to follow, in a thread of its own; ``node_id`` is the node of the driver."""
        self._thread = threading.Thread(target=self._follow, args=(node_id,), name="log", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Tells the following to end and cuts its connection, without waiting for either."""
        self._stopping.set()
        with self._lock:
            if self._stream is not None:
                self._stream.close()

    def drain(self, node_id: str, seconds: float, retry_seconds: float) -> str | None:
        """Writes the rest of the log of an ended run, trying again for ``seconds``.

        To be called after ``stop``. Returns None when the log was read to its end, else what was missing.
        """
        if self._thread is not None:
            self._thread.join()
        deadline = time.monotonic() + seconds
        while True:
            try:
                total = self._read(self._api.log(self._submission_id, node_id, follow=False))
            except (submit_http.Unusable, submit_http.WrongCredentials) as error:
                problem = str(error)
            else:
                if total >= self._written:
                    return None
                return f"the log holds {total} bytes, but {self._written} were read before: it was replaced"
            if time.monotonic() >= deadline:
                return problem
            time.sleep(min(retry_seconds, max(0.0, deadline - time.monotonic())))

    def _follow(self, node_id: str) -> None:
        delay = FIRST_RECONNECT_SECONDS
        while not self._stopping.is_set():
            before = self._written
            try:
                stream = self._api.log(self._submission_id, node_id, follow=True)
                with self._lock:
                    self._stream = stream
                if self._stopping.is_set():
                    stream.close()
                    return
                self._read(stream)
            except (submit_http.Unusable, submit_http.WrongCredentials):
                # The poll of the run's status reports what is wrong with the head; here it only matters that the log goes on.
                pass
            if self._written > before:
                delay = FIRST_RECONNECT_SECONDS
            self._stopping.wait(delay)
            delay = min(2 * delay, MAX_RECONNECT_SECONDS)

    def _read(self, stream: submit_http.Stream) -> int:
        position = 0
        try:
            for chunk in stream:
                known = min(len(chunk), max(0, self._written - position))
                position += len(chunk)
                if known < len(chunk):
                    self._output.log(chunk[known:])
                    self._written = position
        finally:
            stream.close()
        return position
