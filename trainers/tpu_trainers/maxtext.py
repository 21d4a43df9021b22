"""Trains with MaxText on the TPU slices of a Ray cluster: ``python3 -m tpu_trainers.maxtext --help``.

One trainer for a single slice, several slices and an elastic number of them. It runs as the entry point of a Ray job. The last two lines it
prints are a summary in figures and the outcome; its exit code is that of the outcome.
"""

import os
import sys
import threading
from collections.abc import Sequence

from tpu_trainers import maxtext_arguments, maxtext_exit_codes, maxtext_progress, maxtext_run

# Ending Ray must not keep a run from ending: seconds to wait for it.
_GOODBYE = 15.0


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (default: this process's own) to its end and gives the exit code."""
    options = maxtext_arguments.parse(sys.argv[1:] if argv is None else argv)
    # Read by Ray Train's controller, which takes it from the driver's environment.
    os.environ[maxtext_run.GROUP_START_TIMEOUT] = f"{options.group_start_timeout:g}"
    # Ray takes lines that differ in their numbers only for repetitions, and would leave out most steps.
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    # Ray Train would print what workers print twice: as they do, and through its logger.
    os.environ.setdefault("RAY_TRAIN_ENABLE_PRINT_PATCH", "0")
    import ray

    ray.init(log_to_driver=True)
    outcome, reason, summary = maxtext_run.run(options)
    if summary is not None:
        print(maxtext_progress.describe(options.run, outcome, summary), flush=True)
    verb = "finished" if outcome is maxtext_exit_codes.FINISHED else f"failed ({outcome.name}, exit code {outcome.code})"
    print(f"maxtext run {options.run} {verb}: {reason}", flush=True)
    goodbye = threading.Thread(target=ray.shutdown, daemon=True)
    goodbye.start()
    goodbye.join(_GOODBYE)
    return outcome.code


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: fit() may still hang in its thread, and what Ray has started ends with this process.
    os._exit(code)
