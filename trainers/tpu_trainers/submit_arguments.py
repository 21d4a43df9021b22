"""The submitter's command line. All that is wrong with it is said at once."""

import argparse
import math
import os
import re
import shlex
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tpu_trainers import submit_cluster

ON_ACTIVE_RUN = ("fail", "wait", "replace")
ON_FINISH = ("keep", "delete-cluster")
ON_SIGTERM = ("detach", "stop")

# A Kubernetes Job's name, from which both are derived: at most 63 characters of a DNS label.
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


# What must be right for a RayCluster to be deleted although something else is wrong.
NEEDED_TO_FINISH = frozenset({"--address", "--submission-id", "--on-finish", "--cluster", "--namespace", "--kubernetes-api", "--slices", "--hosts-per-slice"})


@dataclass(frozen=True)
class Arguments:
    """Durations are seconds; ``run_deadline`` is None when the run may take as long as it likes."""

    address: str
    run: str
    submission_id: str
    sources: str
    slices: int
    hosts_per_slice: int
    pod_type: str
    tpu_per_host: float
    start_deadline: float
    run_deadline: float | None
    on_active_run: str
    on_finish: str
    on_sigterm: str
    cluster: str | None
    namespace: str | None
    auth_token_file: str | None
    current: str | None
    current_delay: float
    refusal_deadline: float
    most_slices: int | None
    repair_slices: bool
    repair_delay: float
    slices_interval: float
    active_run_deadline: float
    reconnect_deadline: float
    stop_deadline: float
    drain_deadline: float
    request_timeout: float
    poll_interval: float
    heartbeat: float
    kubernetes_api: str
    service_account_folder: str
    entrypoint: str


class ArgumentsRefused(Exception):
    """``problems`` has one text for each thing that is wrong.

    ``arguments`` has placeholders for what is wrong; it is None when the RayCluster or its head cannot be told from it.
    """

    def __init__(self, problems: Sequence[str], arguments: Arguments | None = None) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)
        self.arguments = arguments


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise ArgumentsRefused([message])


def parser() -> argparse.ArgumentParser:
    """The parser behind ``--help``. It leaves the checks to ``parse``, which collects."""
    made = _Parser(
        prog="python3 -m tpu_trainers.submit",
        usage="%(prog)s [options] -- ENTRYPOINT...",
        description="Submits a run to a Ray cluster, follows it, and ends with an exit code that tells the truth (see docs/submitter.md).",
        allow_abbrev=False,
    )
    add = made.add_argument
    add("--address", help="the head's dashboard, http://host:port")
    add("--run", help="name of the run; at most one run of a name is active on a cluster")
    add("--submission-id", help="the fixed id under which Ray knows the run")
    add("--sources", help="folder whose files become the run's working directory, at most 1 MiB")
    add("--slices", help="slices of the smallest size the run can start with")
    add("--most-slices", help="slices of the largest size of an elastic run; --slices by default", metavar="SLICES")
    add("--hosts-per-slice", help="hosts of one slice")
    add("--pod-type", help="Ray's name of the slice, as in the label ray.io/tpu-pod-type: v6e-16")
    add("--tpu-per-host", help="Ray's logical TPU units of one host")
    add("--start-deadline", help="seconds until the head answers, the slices are complete and the run is submitted (%(default)s)", default="1800")
    add("--run-deadline", help="seconds a run may take by Ray's clock, then it is stopped", metavar="SECONDS")
    add("--on-active-run", help=f"what to do when another run of this name is active: {', '.join(ON_ACTIVE_RUN)} (%(default)s)", default="fail")
    add("--on-finish", help=f"what to do with the RayCluster after the verdict: {', '.join(ON_FINISH)} (%(default)s)", default="keep")
    add("--on-sigterm", help=f"what SIGTERM does to the run: {', '.join(ON_SIGTERM)} (%(default)s)", default="detach")
    add("--cluster", help="the RayCluster's name")
    add("--namespace", help="the RayCluster's namespace")
    add("--auth-token-file", help="file with the token of Ray's token authentication")
    add("--current", help="file that names the submission that was applied last, as JSON: submission, onActiveRun", metavar="FILE")
    add("--current-delay", help="seconds that file may lag behind (%(default)s)", default="180")
    add("--refusal-deadline", help="seconds to try again when the head refuses the credentials before the run (%(default)s)", default="180")
    add("--repair-slices", help="delete all worker pods at once when slices are torn, at most three times", action="store_true")
    add("--repair-delay", help="seconds that slices must stay torn before a repair (%(default)s)", default="120")
    add("--slices-interval", help="seconds between two looks at the slices while the run goes on (%(default)s)", default="60")
    add("--active-run-deadline", help="seconds to wait for another run with --on-active-run wait (%(default)s)", default="86400")
    add("--reconnect-deadline", help="seconds without a usable answer after which a followed run counts as lost (%(default)s)", default="900")
    add("--stop-deadline", help="seconds to wait until a stop is confirmed (%(default)s)", default="20")
    add("--drain-deadline", help="seconds to try for the rest of the log after the verdict (%(default)s)", default="120")
    add("--request-timeout", help="seconds for one request (%(default)s)", default="30")
    add("--poll-interval", help="seconds between two looks at the same thing (%(default)s)", default="2")
    add("--heartbeat", help="seconds after which an unchanged line is said again (%(default)s)", default="60")
    add("--kubernetes-api", help="address of the Kubernetes API; that of the pod's cluster by default", default="")
    add(
        "--service-account-folder",
        help="folder with token and ca.crt for the Kubernetes API",
        default=submit_cluster.SERVICE_ACCOUNT_FOLDER,
    )
    return made


def parse(argv: Sequence[str]) -> Arguments:
    """Reads the command line after the program's name. Raises ArgumentsRefused; ``--help`` exits."""
    split = list(argv).index("--") if "--" in argv else len(argv)
    given, unknown = parser().parse_known_args(argv[:split])
    entrypoint = argv[split + 1 :]
    problems = [f"unknown argument {argument!r}: see --help" for argument in unknown]

    def required(option: str) -> str:
        value = getattr(given, option[2:].replace("-", "_"))
        if not value:
            problems.append(f"{option}: missing")
        return value or ""

    def name(option: str) -> str:
        value = required(option)
        if value and not DNS_LABEL.fullmatch(value):
            problems.append(f"{option}: got {value!r}, expected at most 63 lower-case letters, digits and inner hyphens")
        return value

    def number(option: str, whole: bool = False) -> float:
        text = required(option)
        try:
            value = float(text) if text else 1.0
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or value <= 0 or (whole and value != int(value)):
            problems.append(f"{option}: got {text!r}, expected a {'whole ' if whole else ''}number above 0")
            return 1.0
        return value

    def choice(option: str, allowed: Sequence[str]) -> str:
        value = required(option)
        if value and value not in allowed:
            problems.append(f"{option}: got {value!r}, expected one of {', '.join(allowed)}")
        return value

    address = required("--address")
    if address and not _is_address(address):
        problems.append(f"--address: got {address!r}, expected http://host:port or https://host:port")
    sources = required("--sources")
    if sources and not os.path.isdir(sources):
        problems.append(f"--sources: {sources!r} is no folder: mount the trainer's sources there")
    if not entrypoint:
        problems.append("the run's command is missing: give it after --")
    on_finish = choice("--on-finish", ON_FINISH)
    if on_finish == "delete-cluster" or given.repair_slices:
        name("--cluster")
        name("--namespace")
    if given.kubernetes_api and not _is_address(given.kubernetes_api):
        problems.append(f"--kubernetes-api: got {given.kubernetes_api!r}, expected https://host:port")
    arguments = Arguments(
        address=address,
        run=name("--run"),
        submission_id=name("--submission-id"),
        sources=sources,
        slices=int(number("--slices", whole=True)),
        hosts_per_slice=int(number("--hosts-per-slice", whole=True)),
        pod_type=required("--pod-type"),
        tpu_per_host=number("--tpu-per-host"),
        start_deadline=number("--start-deadline"),
        run_deadline=number("--run-deadline") if given.run_deadline is not None else None,
        on_active_run=choice("--on-active-run", ON_ACTIVE_RUN),
        on_finish=on_finish,
        on_sigterm=choice("--on-sigterm", ON_SIGTERM),
        cluster=given.cluster,
        namespace=given.namespace,
        auth_token_file=given.auth_token_file,
        current=given.current,
        current_delay=number("--current-delay"),
        refusal_deadline=number("--refusal-deadline"),
        most_slices=int(number("--most-slices", whole=True)) if given.most_slices is not None else None,
        repair_slices=given.repair_slices,
        repair_delay=number("--repair-delay"),
        slices_interval=number("--slices-interval"),
        active_run_deadline=number("--active-run-deadline"),
        reconnect_deadline=number("--reconnect-deadline"),
        stop_deadline=number("--stop-deadline"),
        drain_deadline=number("--drain-deadline"),
        request_timeout=number("--request-timeout"),
        poll_interval=number("--poll-interval"),
        heartbeat=number("--heartbeat"),
        kubernetes_api=given.kubernetes_api or submit_cluster.in_cluster_api(),
        service_account_folder=given.service_account_folder,
        entrypoint=shlex.join(entrypoint),
    )
    if problems:
        finishable = not any(problem.partition(":")[0] in NEEDED_TO_FINISH for problem in problems)
        raise ArgumentsRefused(problems, arguments if finishable else None)
    return arguments


def _is_address(text: str) -> bool:
    try:
        url = urllib.parse.urlsplit(text)
        return url.scheme in ("http", "https") and bool(url.hostname) and url.port is not None and not url.query
    except ValueError:
        return False
