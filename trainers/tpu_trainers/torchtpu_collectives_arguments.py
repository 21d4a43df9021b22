"""The command line of the TorchTPU collectives check."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field

from tpu_trainers import torchtpu_arguments, train_arguments
from tpu_trainers.torchtpu_slice import Shape


@dataclass(frozen=True)
class Options:
    """What to compute, and on what. Times are in seconds."""

    run: str
    shape: Shape
    backend: str
    matrix_size: int
    batch_size: int
    tolerance: float
    seed: int
    start_deadline: float
    step_timeout: float
    env: dict[str, str] = field(default_factory=dict)


def parse(argv: Sequence[str]) -> Options:
    """The options of a command line; ends the process with 2 and every problem at once when it is refused."""
    parser = _parser()
    given = parser.parse_args(list(argv))
    problems: list[str] = []
    torchtpu_arguments.check_slice(given, problems)
    torchtpu_arguments.positive(given, ("matrix_size", "batch_size", "tolerance", "start_deadline", "step_timeout"), problems)
    if given.matrix_size > 0 and given.workers > 0 and (4 * given.matrix_size) % given.workers:
        problems.append(f"--matrix-size {given.matrix_size}: 4 x {given.matrix_size} columns must be divisible by {given.workers} workers")
    torchtpu_arguments.check_seed(given, problems)
    env = train_arguments.environment(given.env, problems)
    if problems:
        parser.error("\n  " + "\n  ".join(problems))
    return Options(
        run=given.run,
        shape=Shape(given.topology, given.accelerator_type, given.workers, given.hosts),
        backend=given.backend,
        matrix_size=given.matrix_size,
        batch_size=given.batch_size,
        tolerance=given.tolerance,
        seed=given.seed,
        start_deadline=given.start_deadline,
        step_timeout=given.step_timeout,
        env=env,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m tpu_trainers.torchtpu_collectives",
        description="Checks every device of a TPU slice and the links between them with PyTorch: a tensor-parallel product, an all-reduce, an all-gather.",
        epilog="Exit codes: docs/torchtpu-collectives.md.",
        allow_abbrev=False,
    )
    torchtpu_arguments.add_slice(parser)
    what = parser.add_argument_group("what to compute")
    what.add_argument(
        "--matrix-size", type=int, default=1024, metavar="N",
        help="width of the feed-forward block whose two matrices (N x 4N, 4N x N) are divided over the devices (default: %(default)s)",
    )  # fmt: skip
    what.add_argument("--batch-size", type=int, default=64, metavar="N", help="rows that go through it (default: %(default)s)")
    what.add_argument(
        "--tolerance", type=float, default=1e-2, metavar="X",
        help="largest allowed difference from the result of one device (default: %(default)g, for products in bfloat16)",
    )  # fmt: skip
    what.add_argument("--seed", type=int, default=42, metavar="N", help="of weights and inputs (default: %(default)s)")
    when = parser.add_argument_group("when to give up")
    when.add_argument("--start-deadline", type=float, default=3600, metavar="SECONDS", help="for the reservation of the slice (default: %(default)g)")
    when.add_argument(
        "--step-timeout", type=float, default=900, metavar="SECONDS",
        help="for the processes to start, and again for the computation with its compilation (default: %(default)g)",
    )  # fmt: skip
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="environment of the processes; repeatable")
    return parser
