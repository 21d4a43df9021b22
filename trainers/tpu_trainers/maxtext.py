"""Trains with MaxText on the TPU slices of a Ray cluster: ``python3 -m tpu_trainers.maxtext --help``.

One trainer for a single slice, several slices and an elastic number of them. It runs as the entry point of a Ray job. The last two lines it
prints are a summary in figures and the outcome; its exit code is that of the outcome.
"""

import os
import sys
from collections.abc import Sequence

from tpu_trainers import maxtext_arguments, maxtext_run, train_driver, train_watch


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (default: this process's own) to its end and gives the exit code."""
    options = maxtext_arguments.parse(sys.argv[1:] if argv is None else argv)
    # Read by Ray Train's controller, which takes it from the driver's environment.
    os.environ[train_watch.GROUP_START_TIMEOUT] = f"{options.group_start_timeout:g}"
    return train_driver.drive("maxtext", options.run, lambda: maxtext_run.run(options))


if __name__ == "__main__":
    train_driver.leave(main())
