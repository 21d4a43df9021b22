"""Parts of the command line that both TorchTPU trainers have."""

import argparse
import math
import re

# Backend of torch.distributed -> device type of its tensors. gloo is for rehearsals on machines without a TPU.
BACKENDS = {"tpu_dist": "tpu", "gloo": "cpu"}
# A step's own seed is made of this one and 32 further bits, and Torch takes 64.
MOST_SEED = 2**31 - 1
_TOPOLOGY = re.compile(r"[1-9]\d*(x[1-9]\d*){1,2}")


def add_slice(parser: argparse.ArgumentParser) -> None:
    """Adds what both trainers must know of the slice they run on."""
    what = parser.add_argument_group("what to run on")
    what.add_argument("--run", required=True, metavar="NAME", help="name of the run")
    what.add_argument("--topology", required=True, help="topology of the slice, as in 4x4")
    what.add_argument("--accelerator-type", required=True, metavar="TYPE", help="Ray's accelerator type, as in TPU-V6E")
    what.add_argument("--workers", required=True, type=int, metavar="N", help="processes: one for each logical device of the slice")
    what.add_argument("--hosts", required=True, type=int, metavar="N", help="hosts of the slice")
    what.add_argument("--tpu-per-worker", type=int, default=1, metavar="N", help="TPU resources of one process; TorchTPU knows 1 (default: %(default)s)")
    what.add_argument(
        "--backend", choices=tuple(BACKENDS), default="tpu_dist",
        help="backend of torch.distributed; gloo runs on CPUs, for rehearsals (default: %(default)s)",
    )  # fmt: skip


def check_slice(given: argparse.Namespace, problems: list[str]) -> None:
    """Adds what is wrong with the slice of a command line to ``problems``: only one whole slice can be filled."""
    for option in ("workers", "hosts"):
        if getattr(given, option) < 1:
            problems.append(f"--{option} {getattr(given, option)}: must be at least 1")
    if given.tpu_per_worker != 1:
        problems.append(f"--tpu-per-worker {given.tpu_per_worker}: must be 1, TorchTPU binds a process to one device")
    if _TOPOLOGY.fullmatch(given.topology) is None:
        problems.append(f"--topology {given.topology}: must be chips per dimension, as in 4x4 or 2x2x2")
        return
    chips = math.prod(map(int, given.topology.split("x")))
    if given.workers > 0 and given.workers not in (chips, 2 * chips):
        problems.append(
            f"--workers {given.workers}: must be {chips} or, with two devices a chip, {2 * chips}: topology {given.topology} has {chips} chips, "
            "and one whole slice is filled, neither a part of it nor several"
        )
    elif given.workers > 0 and given.hosts > 0 and given.workers % given.hosts:
        problems.append(f"--hosts {given.hosts}: must divide --workers {given.workers}")


def check_seed(given: argparse.Namespace, problems: list[str]) -> None:
    if not 0 <= given.seed <= MOST_SEED:
        problems.append(f"--seed {given.seed}: must be 0 to {MOST_SEED}")


def positive(given: argparse.Namespace, options: tuple[str, ...], problems: list[str]) -> None:
    """Adds a problem for each option (by its attribute) that is not above 0."""
    for option in options:
        if not getattr(given, option) > 0:
            problems.append(f"--{option.replace('_', '-')} {getattr(given, option):g}: must be more than 0")
