"""Is this still the newest version of its run? Of two Jobs that want one RayCluster, the one that was applied last goes on.

A ConfigMap that every Job of the run mounts names the submission that was applied last: whoever applies a Job applies it too. No clock and
no right is needed, and it does not matter whose pod starts first. The kubelet brings a change of a mounted ConfigMap late, and a new pod
may see for a while what an older pod on its node saw: so only a change under this pod's eyes counts at once, any other after a while.
"""

import json
import time

from tpu_trainers import submit_exit_codes


class Current:
    """The file ``path`` holds JSON: ``submission``, the id that was applied last, and its ``onActiveRun``.

    Without a path, or without such a file, every submission is the newest: there is nothing to go by. ``delay`` is how long, in seconds,
    the file may lag behind.
    """

    def __init__(self, path: str | None, own: str, delay: float) -> None:
        self._path = path
        self._own = own
        self.delay = delay
        self._began = time.monotonic()
        self._was_own = False
        self._newer_since: float | None = None

    @property
    def known(self) -> bool:
        """Whether the file names this submission."""
        return self._read()[0] == self._own

    def newer(self) -> str | None:
        """The id of a newer submission, as far as the file tells now."""
        submission, _ = self._read()
        if submission == self._own:
            self._was_own = True
            self._newer_since = None
            return None
        if submission is not None and self._newer_since is None:
            self._newer_since = time.monotonic()
        return submission

    def go_on(self) -> str | None:
        """To be asked before the run is known to Ray.

        Returns None for the newest, and the other's id while the file may lag behind, in which case nothing may be submitted. Raises Ended
        for an older submission.
        """
        newer = self.newer()
        if newer is not None and (self._was_own or time.monotonic() - self._began >= self.delay):
            raise submit_exit_codes.Ended(submit_exit_codes.SUPERSEDED, f"{newer} was applied since, and the RayCluster is left to it")
        return newer

    def needs_the_cluster(self) -> str | None:
        """The id of a newer submission that may still wait for the RayCluster after this one's run has ended, else None.

        One that does not wait (``fail``) has ended when it found this run active; it had as long as ``delay`` for that.
        """
        newer = self.newer()
        if newer is None or self._newer_since is None:
            return None
        found_us = self._read()[1] == "fail" and time.monotonic() - self._newer_since >= self.delay
        return None if found_us else newer

    def _read(self) -> tuple[str | None, str]:
        if self._path is None:
            return None, ""
        try:
            with open(self._path, encoding="utf-8") as file:
                told = json.load(file)
            return str(told["submission"]), str(told["onActiveRun"])
        except (OSError, ValueError, TypeError, KeyError):
            return None, ""
