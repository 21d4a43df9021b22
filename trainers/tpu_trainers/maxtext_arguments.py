"""The command line of the MaxText trainer."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tpu_trainers import maxtext_parameters, train_arguments


@dataclass(frozen=True)
class Options:
    """What to train on and when to give up. Times are in seconds, devices are JAX devices.

    ``min_workers`` = ``max_workers`` unless the run is elastic; both are whole slices. ``maxtext`` holds MaxText's complete arguments.
    """

    run: str
    topology: str
    accelerator_type: str
    min_workers: int
    max_workers: int
    workers_per_slice: int
    tpu_per_worker: int
    devices_per_worker: int
    max_failures: int
    controller_failure_limit: int
    start_deadline: float
    step_timeout: float
    group_start_timeout: float
    resize_interval: float
    storage_path: str | None
    platform: str
    checkpoint_on_preemption: bool
    env: dict[str, str] = field(default_factory=dict)
    maxtext: list[str] = field(default_factory=list)

    @property
    def elastic(self) -> bool:
        return self.min_workers != self.max_workers


def parse(argv: Sequence[str]) -> Options:
    """The options of a command line; ends the process with 2 and every problem at once when it is refused."""
    parser = _parser()
    own, parameters = _split(list(argv))
    given = parser.parse_args(own)
    problems: list[str] = []
    for option, least in (
        ("min_workers", 1),
        ("max_workers", 1),
        ("workers_per_slice", 1),
        ("tpu_per_worker", 1),
        ("devices_per_worker", 1),
        ("max_failures", 0),
        ("controller_failure_limit", 0),
    ):
        if getattr(given, option) < least:
            problems.append(f"--{option.replace('_', '-')} {getattr(given, option)}: must be at least {least}")
    for option in ("start_deadline", "step_timeout", "group_start_timeout", "resize_interval"):
        if not getattr(given, option) > 0:
            problems.append(f"--{option.replace('_', '-')} {getattr(given, option):g}: must be more than 0 seconds")
    if given.min_workers > given.max_workers:
        problems.append(f"--min-workers {given.min_workers}: must not be above --max-workers {given.max_workers}")
    if given.workers_per_slice > 0:
        for option in ("min_workers", "max_workers"):
            if getattr(given, option) % given.workers_per_slice:
                problems.append(
                    f"--{option.replace('_', '-')} {getattr(given, option)}: must be a multiple of --workers-per-slice "
                    f"{given.workers_per_slice}, since only whole slices can train"
                )
    env = train_arguments.environment(given.env, problems)
    profile = _profile(given.profile_steps, problems)
    values = maxtext_parameters.parse(parameters, problems)
    if profile is not None:
        maxtext_parameters.conflicts(
            values, ["profiler", "skip_first_n_steps_for_profiler", "profiler_steps"], "--profile-steps", problems
        )
    if given.checkpoint_on_preemption:
        maxtext_parameters.conflicts(values, ["enable_autocheckpoint"], "--checkpoint-on-preemption", problems)
    if given.min_workers < given.max_workers and given.workers_per_slice > 0:
        sizes = range(given.min_workers // given.workers_per_slice, given.max_workers // given.workers_per_slice + 1)
        maxtext_parameters.check_elastic(values, list(sizes), problems)
    if problems:
        parser.error("\n  " + "\n  ".join(problems))
    return Options(
        run=given.run,
        topology=given.topology,
        accelerator_type=given.accelerator_type,
        min_workers=given.min_workers,
        max_workers=given.max_workers,
        workers_per_slice=given.workers_per_slice,
        tpu_per_worker=given.tpu_per_worker,
        devices_per_worker=given.devices_per_worker,
        max_failures=given.max_failures,
        controller_failure_limit=given.controller_failure_limit,
        start_deadline=given.start_deadline,
        step_timeout=given.step_timeout,
        group_start_timeout=given.group_start_timeout,
        resize_interval=given.resize_interval,
        storage_path=given.storage_path,
        platform=given.platform,
        checkpoint_on_preemption=given.checkpoint_on_preemption,
        env=env,
        maxtext=maxtext_parameters.complete(
            values,
            run=given.run,
            platform=given.platform,
            profile=profile,
            checkpoint_on_preemption=given.checkpoint_on_preemption,
        ),
    )


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in argv:
        return argv, []
    at = argv.index("--")
    return argv[:at], argv[at + 1 :]


def _profile(text: str | None, problems: list[str]) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+):([1-9]\d*)", text)
    if found is None:
        problems.append(f"--profile-steps {text}: must be SKIP:COUNT, as in 10:5 (skip 10 steps, capture 5)")
        return None
    return int(found[1]), int(found[2])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m tpu_trainers.maxtext",
        description="Trains with MaxText on the TPU slices of this Ray cluster: one slice, several, or an elastic number.",
        epilog="Everything after -- is passed to MaxText as key=value. Exit codes: docs/training.md.",
        allow_abbrev=False,
    )
    what = parser.add_argument_group("what to train on")
    what.add_argument("--run", required=True, metavar="NAME", help="name of the run; also MaxText's run_name unless that is given")
    what.add_argument("--topology", required=True, help="topology of one slice, as in 4x4")
    what.add_argument("--accelerator-type", required=True, metavar="TYPE", help="Ray's accelerator type, as in TPU-V6E")
    what.add_argument("--min-workers", required=True, type=int, metavar="N", help="smallest number of workers to train with")
    what.add_argument("--max-workers", required=True, type=int, metavar="N", help="largest; more than the smallest makes the run elastic")
    what.add_argument("--workers-per-slice", required=True, type=int, metavar="N", help="workers (hosts) of one slice")
    what.add_argument("--tpu-per-worker", required=True, type=int, metavar="N", help="TPU resources of one worker: all of its host")
    what.add_argument("--devices-per-worker", required=True, type=int, metavar="N", help="JAX devices each worker must see")
    what.add_argument("--platform", choices=("tpu", "cpu"), default="tpu", help="JAX platform to insist on; cpu is for rehearsals (default: %(default)s)")
    when = parser.add_argument_group("when to give up")
    when.add_argument("--max-failures", type=int, default=3, metavar="N", help="restarts after worker failures (default: %(default)s)")
    when.add_argument(
        "--controller-failure-limit", type=int, default=60, metavar="N", help="failed attempts to start the worker group (default: %(default)s)"
    )
    when.add_argument(
        "--start-deadline", type=float, default=3600, metavar="SECONDS",
        help="from a start or restart to its first completed step: waiting for slices, compilation and restoring included (default: %(default)g)",
    )  # fmt: skip
    when.add_argument(
        "--step-timeout", type=float, default=1800, metavar="SECONDS",
        help="longest time from one completed step to the next (default: %(default)g)",
    )  # fmt: skip
    when.add_argument(
        "--group-start-timeout", type=float, default=120, metavar="SECONDS",
        help="one attempt to start the worker group; after a loss Ray asks for the old size this long (default: %(default)g)",
    )  # fmt: skip
    when.add_argument(
        "--resize-interval", type=float, default=60, metavar="SECONDS", help="how often an elastic run looks for more slices (default: %(default)g)"
    )
    how = parser.add_argument_group("how")
    how.add_argument("--storage-path", metavar="PATH", help="where Ray Train keeps its own files, shared by all hosts (default: Ray's)")
    how.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="environment of the workers; repeatable")
    how.add_argument("--profile-steps", metavar="SKIP:COUNT", help="capture a profile of COUNT steps after SKIP steps (MaxText's profiler=xplane)")
    how.add_argument(
        "--checkpoint-on-preemption", action="store_true",
        help="save a checkpoint when Ray announces that a host will be taken away (MaxText's enable_autocheckpoint)",
    )  # fmt: skip
    return parser
