"""Checks a TPU slice with PyTorch and Ray Core: ``python3 -m tpu_trainers.torchtpu_collectives --help``.

Reserves one intact slice, starts one process for each of its devices, and lets them compute together: a feed-forward block divided over
all devices against the result of one, an all-reduce, an all-gather. Prints a table by rank; the last line is the outcome, and names rank and
host of what is wrong.
"""

import sys
from collections.abc import Sequence

from tpu_trainers import torchtpu_collectives_arguments, torchtpu_collectives_run, train_driver


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (default: this process's own) to its end and gives the exit code."""
    options = torchtpu_collectives_arguments.parse(sys.argv[1:] if argv is None else argv)
    return train_driver.drive("torchtpu-collectives", options.run, lambda: torchtpu_collectives_run.run(options))


if __name__ == "__main__":
    train_driver.leave(main())
