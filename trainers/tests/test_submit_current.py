"""A3: of two Jobs that want one RayCluster, the one that was applied last has it, whatever the order of their pods."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob, head, slice_hosts
from fake_kubernetes import options
from test_submit_verdicts import SUCCESS, ended

NEWER = "llama3-8b-99999999"
GONE_ON = f"{NEWER} was applied since, and the RayCluster is left to it"


@pytest.fixture
def apply(tmp_path: Path) -> Callable[..., Path]:
    """Names the submission that was applied last, in one step, as the kubelet does it."""
    path = tmp_path / "current.json"

    def write(submission: str, on_active_run: str = "fail") -> Path:
        aside = tmp_path / "current.json.new"
        aside.write_text(json.dumps({"submission": submission, "onActiveRun": on_active_run}))
        os.replace(aside, path)
        return path

    return write


def running(name: str) -> FakeJob:
    return FakeJob(name, ["RUNNING"], log=b"step 1\n")


def test_the_newest_goes_on_at_once(dashboard: FakeDashboard, submit, apply) -> None:
    dashboard.start()
    process = submit(current=apply(SUBMISSION), current_delay=1000)
    assert process.finish() == 0
    assert process.last_line == SUCCESS


@pytest.mark.parametrize("content", [None, "", "{}", "[]", "no json"])
def test_a_file_that_says_nothing_is_no_obstacle(dashboard: FakeDashboard, submit, tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "current.json"
    if content is not None:
        path.write_text(content)
    dashboard.start()
    assert submit(current=path, current_delay=1000).finish() == 0


def test_an_older_one_that_comes_first_leaves_the_cluster(dashboard: FakeDashboard, submit, kubernetes, apply) -> None:
    dashboard.start()
    process = submit(current=apply(NEWER), current_delay=0.2, **options(kubernetes))
    assert process.finish() == 26
    assert process.last_line == ended("superseded", 26, GONE_ON)
    assert dashboard.submissions == []
    assert kubernetes.requests == []
    assert process.own_lines[-2] == f"finish: RayCluster training/llama3-8b is kept, since {NEWER} was applied since and may wait for it"


def test_a_new_pod_that_sees_an_old_file_waits_for_the_new_one(dashboard: FakeDashboard, submit, apply) -> None:
    dashboard.start()
    process = submit(current=apply(NEWER), current_delay=1000)
    process.wait_for_line(f"current: {NEWER} was applied last, by a file that may lag 1000 s behind: nothing is submitted meanwhile")
    assert dashboard.submissions == []
    apply(SUBMISSION)
    assert process.finish() == 0
    assert process.last_line == SUCCESS


@pytest.mark.parametrize("phase", ["dashboard", "slices", "active run"])
def test_an_older_one_that_waits_ends_when_a_newer_one_is_applied(dashboard: FakeDashboard, submit, apply, phase: str) -> None:
    if phase != "dashboard":
        dashboard.node_listings = [[head()]]
        dashboard.start()
    if phase == "active run":
        dashboard.jobs["llama3-8b-0"] = FakeJob("llama3-8b-0", ["RUNNING"], run="llama3-8b")
    process = submit(current=apply(SUBMISSION), current_delay=1000, on_active_run="wait")
    process.wait_for_line(f"{phase}: ")
    apply(NEWER)
    assert process.finish() == 26
    assert process.last_line == ended("superseded", 26, GONE_ON)


def test_an_older_one_that_submitted_in_the_gap_takes_it_back(dashboard: FakeDashboard, submit, kubernetes, apply) -> None:
    dashboard.make_job = running
    dashboard.start()
    process = submit(current=apply(SUBMISSION), current_delay=1000, **options(kubernetes))
    process.wait_for_line("is RUNNING")
    apply(NEWER)
    assert process.finish() == 26
    assert process.last_line == ended("superseded", 26, f"{NEWER} was applied since, and the submission was taken back")
    assert dashboard.jobs == {}
    assert kubernetes.requests == []


def test_a_run_that_was_up_before_is_not_stopped_unasked(dashboard: FakeDashboard, submit, apply) -> None:
    dashboard.jobs[SUBMISSION] = running(SUBMISSION)
    dashboard.jobs[SUBMISSION].run = "llama3-8b"
    dashboard.start()
    process = submit(current=apply(SUBMISSION), current_delay=1000)
    process.wait_for_line("is RUNNING")
    apply(NEWER)
    newer = submit(submission_id=NEWER, current=apply(NEWER), current_delay=0.001, stop_deadline=0.001)
    assert newer.finish() == 20
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert dashboard.seen("/stop$") == 0


@pytest.mark.parametrize("older_first", [True, False])
def test_the_newer_one_has_the_cluster_whoever_comes_first(dashboard: FakeDashboard, submit, apply, older_first: bool) -> None:
    """The cluster was made again under two Jobs; the older one's pod still sees the file of before."""
    dashboard.make_job = running
    dashboard.node_listings = [[head()]]
    path = apply(SUBMISSION)
    old_view = path.with_name("old-view.json")
    old_view.write_text(path.read_text())
    apply(NEWER)
    dashboard.start()
    order = [(SUBMISSION, old_view), (NEWER, path)]
    started = {name: submit(submission_id=name, current=view, current_delay=15) for name, view in (order if older_first else order[::-1])}
    for process in started.values():
        process.wait_for_line("slices:")
    # In the worst case the older one is submitted before its view of the file catches up.
    with dashboard.changed:
        dashboard.node_listings = [[head(), *slice_hosts("pool-0")]]
    dashboard.wait_until(lambda: bool(dashboard.submissions))
    old_view.write_text(path.read_text())
    assert started[SUBMISSION].finish() == 26
    dashboard.wait_until(lambda: NEWER in dashboard.jobs)
    dashboard.set_status(NEWER, "SUCCEEDED")
    assert started[NEWER].finish() == 0
    assert SUBMISSION not in dashboard.jobs


def test_a_newer_one_waits_for_an_older_one_that_was_just_submitted_to_go_back(dashboard: FakeDashboard, submit, apply) -> None:
    dashboard.jobs["older"] = FakeJob("older", ["RUNNING"], run="llama3-8b")
    dashboard.start()
    process = submit(current=apply(SUBMISSION), current_delay=1000)
    process.wait_for_line("active run: run llama3-8b is active as older .* its submitter takes it back: waiting for that")
    dashboard.set_status("older", "STOPPED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS


def test_a_head_whose_clock_is_ahead_does_not_make_a_young_run_old(dashboard: FakeDashboard, submit, apply) -> None:
    dashboard.clock_ahead = 7200.0
    dashboard.jobs["older"] = FakeJob("older", ["RUNNING"], run="llama3-8b", start_time=time.time() + 7200)
    dashboard.start()
    process = submit(current=apply(SUBMISSION), current_delay=1000)
    process.wait_for_line("its submitter takes it back: waiting for that")
    dashboard.set_status("older", "STOPPED")
    assert process.finish() == 0


def test_a_run_that_the_newer_one_stopped_leaves_it_the_cluster(dashboard: FakeDashboard, submit, kubernetes, apply) -> None:
    dashboard.make_job = running
    dashboard.start()
    process = submit(current=apply(SUBMISSION), current_delay=0.001, **options(kubernetes))
    process.wait_for_line("is RUNNING")
    apply(NEWER, "replace")
    dashboard.set_status(SUBMISSION, "STOPPED")
    assert process.finish() == 26
    assert process.last_line == ended("superseded", 26, f"the run was stopped and {NEWER} was applied since")
    assert kubernetes.requests == []


@pytest.mark.parametrize(("policy", "deleted"), [("wait", 0), ("replace", 0), ("fail", 1)])
def test_a_true_end_leaves_the_cluster_to_a_newer_one_that_waits(
    dashboard: FakeDashboard, submit, kubernetes, apply, policy: str, deleted: int
) -> None:
    dashboard.make_job = running
    dashboard.start()
    process = submit(current=apply(SUBMISSION), current_delay=0.05, heartbeat=0.01, **options(kubernetes))
    process.wait_for_line("is RUNNING")
    # Nobody's to take back any more.
    before = dashboard.seen(f"GET /api/jobs/{SUBMISSION}$")
    dashboard.wait_until(lambda: dashboard.seen(f"GET /api/jobs/{SUBMISSION}$") > before + 5)
    apply(NEWER, policy)
    known = dashboard.seen(f"GET /api/jobs/{SUBMISSION}$")
    dashboard.wait_until(lambda: dashboard.seen(f"GET /api/jobs/{SUBMISSION}$") > known + 5)
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert len(kubernetes.requests) == deleted
