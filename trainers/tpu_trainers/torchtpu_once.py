"""Things that are done once on a host by whichever of its processes is first, such as downloads."""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

# In the pod's own disk: gone with the pod, shared by its processes.
ROOT = Path(os.environ.get("TPU_TRAINERS_CACHE", Path(tempfile.gettempdir()) / "tpu-trainers"))


def once_per_host(what: str, make: Callable[[Path], None], root: Path = ROOT) -> Path:
    """The folder that ``make`` has filled for ``what``; others wait for the first, and one that failed leaves nothing behind.

    ``what`` names everything the content depends on.
    """
    folder = root / hashlib.sha256(what.encode()).hexdigest()[:16]
    root.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        # Held by the process, so it goes away with it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            aside = Path(tempfile.mkdtemp(dir=root))
            try:
                make(aside)
                aside.rename(folder)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
    return folder
