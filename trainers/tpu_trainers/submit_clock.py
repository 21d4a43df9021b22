"""How long a run has taken, by clocks that agree with themselves.

Start and present of a job are both read from the head's clock, whose offset therefore does not matter; from the first look on, this
process's own monotonic clock counts. A run that is started again, since the head lost its tables, goes on counting where it was seen last.
"""

import time

from tpu_trainers import submit_ray


class RunClock:
    def __init__(self) -> None:
        self._before = 0.0
        self._seen: tuple[str, float | None] | None = None
        self._base = 0.0
        self._at = 0.0
        self._elapsed = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds the run had taken when it was last looked at, those of its earlier submissions included."""
        return self._elapsed

    def look(self, job: submit_ray.Job) -> float:
        """Seconds the run has taken."""
        now = time.monotonic()
        key = (job.submission_id, job.start_time)
        if key != self._seen:
            self._seen = key
            self._base = job.earlier_seconds + max(0.0, job.age or 0.0)
            self._at = now
        self._elapsed = self._base + now - self._at
        return self._elapsed
