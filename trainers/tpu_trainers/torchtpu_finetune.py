"""Fine-tunes a causal language model with PyTorch FSDP2 on one TPU slice: ``python3 -m tpu_trainers.torchtpu_finetune --help``.

It runs as the entry point of a Ray job, with one process for each device of the slice. The last two lines it prints are a summary in figures
and the outcome; its exit code is that of the outcome.
"""

import os
import sys
from collections.abc import Sequence

from tpu_trainers import torchtpu_finetune_arguments, torchtpu_finetune_run, train_driver, train_watch


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (default: this process's own) to its end and gives the exit code."""
    options = torchtpu_finetune_arguments.parse(sys.argv[1:] if argv is None else argv)
    # Read by Ray Train's controller, which takes it from the driver's environment.
    os.environ[train_watch.GROUP_START_TIMEOUT] = f"{options.group_start_timeout:g}"
    return train_driver.drive("torchtpu-finetune", options.training.run, lambda: torchtpu_finetune_run.run(options))


if __name__ == "__main__":
    train_driver.leave(main())
