"""Runs on a real Ray end with the verdict that is true, told by a submitter that knows Ray only by HTTP."""

import os
import signal
import urllib.request
from pathlib import Path

import pytest
from posed_cluster import PosedCluster


def ended(verdict: str, submission_id: str, code: int, reason: str) -> str:
    return f"verdict={verdict} run={submission_id} submission={submission_id} duration=_ exit={code} reason={reason}"


SUCCESS = "the run's command ended with exit code 0"
KILLED = "the run's command was ended by SIGKILL (killed: out of memory, or by hand), exit code 137"


def own_log(log: bytes) -> bytes:
    """The log without the two lines that Ray puts before it."""
    return b"".join(
        line for line in log.splitlines(keepends=True) if b"Runtime env is setting up" not in line and not line.startswith(b"Running entrypoint")
    )


@pytest.mark.parametrize(
    ("program", "code", "verdict", "reason"),
    [
        (("exit", "0"), 0, "succeeded", SUCCESS),
        (("exit", "1"), 10, "failed", "the run's command ended with exit code 1"),
        (("exit", "75"), 10, "failed", "the run's command ended with exit code 75"),
        (("kill",), 10, "failed", KILLED),
        (("memory",), 10, "failed", "the run's command ended with exit code 1"),
    ],
    ids=["exit 0", "exit 1", "exit 75", "killed", "out of memory"],
)
def test_an_end_is_told_and_told_again(cluster: PosedCluster, start, program, code: int, verdict: str, reason: str) -> None:
    submission_id = f"end-{'-'.join(program)}"
    # The second submitter finds the id in a final state: it tells the same and starts nothing.
    for _ in range(2):
        process = start(cluster.address, submission_id, *program)
        assert process.finish() == code
        assert process.last_line == ended(verdict, submission_id, code, reason)
        if program[0] == "exit":
            assert own_log(process.log) == b"the last words\n"
        if program[0] == "memory":
            assert b"MemoryError" in process.log
    assert f"lookup: {submission_id} is known with status {cluster.job(submission_id)['status']}, attaching" in process.own_lines


def test_the_driver_sees_the_cluster_and_its_sources(cluster: PosedCluster, start) -> None:
    process = start(cluster.address, "sees-cluster", "actor")
    assert process.finish() == 0
    assert b"the cluster has 4 TPU" in process.log


def test_two_submitters_at_once_make_one_run_and_a_signal_leaves_it_alone(cluster: PosedCluster, start, tmp_path: Path) -> None:
    go = tmp_path / "go"
    first, second = (start(cluster.address, "two-at-once", "wait", str(go)) for _ in range(2))
    for process in (first, second):
        process.wait_for_line("^waiting ")
    first.terminate()
    assert first.finish() == 30
    assert first.last_line == ended("detached", "two-at-once", 30, "SIGTERM: the run goes on and is left alone")
    # The pod that takes its place attaches and prints the log from its beginning.
    third = start(cluster.address, "two-at-once", "wait", str(go))
    third.wait_for_line("^waiting ")
    go.touch()
    for process in (second, third):
        assert process.finish() == 0
        assert process.last_line == ended("succeeded", "two-at-once", 0, SUCCESS)
        lines = own_log(process.log).splitlines()
        assert [line.split()[0] for line in lines] == [b"waiting", b"waited"]
    assert sum("two-at-once accepted" in line for process in (first, second, third) for line in process.own_lines) == 1


def test_a_signal_stops_the_run_if_asked(cluster: PosedCluster, start) -> None:
    process = start(cluster.address, "sigterm-stops", "wait", "/nonexistent", on_sigterm="stop")
    process.wait_for_line("^waiting ")
    process.terminate()
    assert process.finish() == 11
    assert process.last_line == ended("stopped", "sigterm-stops", 11, "the run was stopped by SIGTERM")
    assert cluster.job("sigterm-stops")["status"] == "STOPPED"


def test_a_stop_by_someone_else_and_a_driver_killed_by_hand(cluster: PosedCluster, start) -> None:
    stopped = start(cluster.address, "stopped-by-hand", "wait", "/nonexistent")
    killed = start(cluster.address, "killed-by-hand", "wait", "/nonexistent")
    stopped.wait_for_line("^waiting ")
    urllib.request.urlopen(urllib.request.Request(f"{cluster.address}/api/jobs/stopped-by-hand/stop", method="POST"), timeout=60)
    driver = int(killed.wait_for_line("^waiting ").split()[1])
    os.kill(driver, signal.SIGKILL)
    assert stopped.finish() == 11
    assert stopped.last_line == ended("stopped", "stopped-by-hand", 11, "the run was stopped on request")
    assert killed.finish() == 10
    assert killed.last_line == ended("failed", "killed-by-hand", 10, KILLED)


def test_another_run_of_the_name_is_named_then_replaced(cluster: PosedCluster, start) -> None:
    old = start(cluster.address, "name-old", "wait", "/nonexistent", run="name")
    old.wait_for_line("^waiting ")
    refused = start(cluster.address, "name-new", "exit", "0", run="name")
    assert refused.finish() == 20
    assert refused.last_line == (
        "verdict=another-run-active run=name submission=name-new duration=_ exit=20 reason=run name is active as name-old "
        "with status RUNNING: wait for it, stop it, or choose --on-active-run wait or replace"
    )
    replacing = start(cluster.address, "name-new", "exit", "0", run="name", on_active_run="replace")
    assert replacing.finish() == 0
    assert old.finish() == 11
    assert old.last_line == "verdict=stopped run=name submission=name-old duration=_ exit=11 reason=the run was stopped on request"


def test_the_run_deadline_stops_the_run(cluster: PosedCluster, start) -> None:
    process = start(cluster.address, "too-long", "wait", "/nonexistent", run_deadline=1)
    assert process.finish() == 13
    assert process.last_line == ended("deadline-exceeded", "too-long", 13, "the run went on for more than 1 s and was stopped")


def test_a_dashboard_that_hangs_for_a_while_is_waited_for(cluster: PosedCluster, start, tmp_path: Path) -> None:
    go = tmp_path / "go"
    process = start(cluster.address, "hanging-head", "wait", str(go), request_timeout=2)
    process.wait_for_line("^waiting ")
    dashboard = cluster.dashboard_process()
    dashboard.suspend()
    try:
        process.wait_for_line(r"follow: no usable answer \(no answer within 2 s\), the run may go on")
        go.touch()
    finally:
        dashboard.resume()
    assert process.finish() == 0
    assert process.last_line == ended("succeeded", "hanging-head", 0, SUCCESS)
    assert [line.split()[0] for line in own_log(process.log).splitlines()] == [b"waiting", b"waited"]
