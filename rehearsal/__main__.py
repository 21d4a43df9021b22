"""The command line: ``rehearsal/rehearse.sh DIR [RUN] [--lose-slice N --at-step N]``."""

import argparse
import signal
import sys
from pathlib import Path

from rehearsal import manifests
from rehearsal.rehearse import Loss, rehearse


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="npm run rehearse --",
        description="Rehearses a synthesized run on this machine: a local Ray poses as its TPU slices and the Job's own command runs against it.",
        epilog="Exit code: 0 nothing found, 1 findings, 2 nothing to rehearse or wrong arguments, 130 interrupted.",
    )
    parser.add_argument("directory", type=Path, help="project directory, with its dist/")
    parser.add_argument("run", nargs="?", help="name of the run, where the project has several")
    parser.add_argument("--steps", type=int, default=10, help="steps to train (default: %(default)s)")
    parser.add_argument("--lose-slice", type=int, metavar="N", help="lose this slice while training, counted from 0")
    parser.add_argument("--at-step", type=int, default=20, metavar="N", help="the step after which it is lost (default: %(default)s)")
    parser.add_argument("--most-hosts", type=int, default=16, metavar="N", help="hosts to start at most, about 0.6 GB each (default: %(default)s)")
    given = parser.parse_args()
    if given.steps < 1 or given.at_step < 0:
        parser.error("--steps must be at least 1 and --at-step at least 0")
    loss = None if given.lose_slice is None else Loss(given.lose_slice, given.at_step)
    # Ended from outside like by Ctrl-C (which a shell makes its background commands ignore): the sandbox is cleaned up on the way out.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        return rehearse(given.directory, given.run, loss, given.steps, given.most_hosts)
    except manifests.Unusable as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; everything that was started is gone", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
