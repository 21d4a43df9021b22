"""SIGTERM, as Kubernetes sends it to a pod that is deleted or preempted, in every phase."""

import pytest
from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob, head, hold
from test_submit_faults import PHASES
from test_submit_verdicts import SUCCESS, ended

BEFORE = ["dashboard", "lookup", "active run", "slices", "sources there", "sources upload"]


@pytest.mark.parametrize("option", ["detach", "stop"])
@pytest.mark.parametrize("phase", BEFORE)
def test_sigterm_inside_a_request_before_the_submission(dashboard: FakeDashboard, submit, phase: str, option: str) -> None:
    dashboard.fail(PHASES[phase], hold)
    dashboard.start()
    process = submit(on_sigterm=option)
    dashboard.wait_until(lambda: "held" in dashboard.notes)
    process.terminate()
    assert process.finish() == 30
    assert process.last_line == ended("detached", 30, "SIGTERM before anything was submitted")
    assert dashboard.submissions == []


def test_sigterm_while_the_head_is_waited_for(submit) -> None:
    process = submit(real=True, poll_interval=60)
    process.wait_for_line("dashboard: waiting")
    process.terminate()
    assert process.finish() == 30
    assert process.last_line == ended("detached", 30, "SIGTERM before anything was submitted")


def test_sigterm_while_the_slices_are_waited_for(dashboard: FakeDashboard, submit) -> None:
    dashboard.node_listings = [[head()]]
    dashboard.start()
    process = submit(poll_interval=60)
    process.wait_for_line("slices: 0 of 1")
    process.terminate()
    assert process.finish() == 30
    assert dashboard.submissions == []


def test_sigterm_while_another_run_is_waited_for(dashboard: FakeDashboard, submit) -> None:
    dashboard.jobs["other"] = FakeJob("other", ["RUNNING"], run="llama3-8b")
    dashboard.start()
    process = submit(poll_interval=60, on_active_run="wait", on_sigterm="stop")
    process.wait_for_line("active run: ")
    process.terminate()
    assert process.finish() == 30
    assert dashboard.jobs["other"].statuses == ["RUNNING"]


@pytest.mark.parametrize("arrives", [True, False])
def test_sigterm_while_the_submission_is_on_its_way_detaches(dashboard: FakeDashboard, submit, arrives: bool) -> None:
    dashboard.fail(PHASES["submit"], hold, after_effect=arrives)
    dashboard.start()
    process = submit()
    dashboard.wait_until(lambda: "held" in dashboard.notes)
    process.terminate()
    assert process.finish() == 30
    assert process.last_line == ended("detached", 30, "SIGTERM: the submission may have arrived and is left alone")
    assert dashboard.seen("/stop$") == 0


def test_sigterm_stops_a_submission_that_was_accepted_without_an_answer(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["PENDING"])
    dashboard.fail(PHASES["submit"], hold, after_effect=True)
    dashboard.start()
    process = submit(on_sigterm="stop")
    dashboard.wait_until(lambda: "held" in dashboard.notes)
    process.terminate()
    assert process.finish() == 11
    assert process.last_line == ended("stopped", 11, "the run was stopped by SIGTERM")


def test_sigterm_with_stop_says_when_a_submission_did_not_arrive(dashboard: FakeDashboard, submit) -> None:
    dashboard.fail(PHASES["submit"], hold)
    dashboard.start()
    process = submit(on_sigterm="stop", stop_deadline=0.4)
    dashboard.wait_until(lambda: "held" in dashboard.notes)
    process.terminate()
    assert process.finish() == 30
    assert process.last_line == ended("detached", 30, "SIGTERM: the submission did not arrive")


def followed(dashboard: FakeDashboard, **fields) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n", **fields)
    dashboard.start()


@pytest.mark.parametrize("real", [True, False])
def test_sigterm_while_following_leaves_the_run_alone(dashboard: FakeDashboard, submit, real: bool) -> None:
    followed(dashboard)
    process = submit(real=real)
    process.wait_for_line("step 1")
    process.terminate()
    assert process.finish() == 30
    assert process.last_line == ended("detached", 30, "SIGTERM: the run goes on and is left alone")
    assert dashboard.seen("/stop$") == 0
    assert dashboard.jobs[SUBMISSION].statuses == ["RUNNING"]


def test_a_submitter_that_is_started_again_attaches(dashboard: FakeDashboard, submit) -> None:
    followed(dashboard)
    first = submit()
    first.wait_for_line("step 1")
    first.terminate()
    assert first.finish() == 30
    second = submit()
    second.wait_for_line("step 1")
    dashboard.append_log(SUBMISSION, b"step 2\n")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert second.finish() == 0
    assert second.last_line == SUCCESS
    assert second.log == b"step 1\nstep 2\n"
    assert dashboard.submissions == [SUBMISSION]


def test_sigterm_while_following_stops_the_run_if_asked(dashboard: FakeDashboard, submit) -> None:
    followed(dashboard)
    process = submit(on_sigterm="stop")
    process.wait_for_line("step 1")
    process.terminate()
    assert process.finish() == 11
    assert process.last_line == ended("stopped", 11, "the run was stopped by SIGTERM")
    assert process.log == b"step 1\n"


def test_sigterm_with_a_stop_that_is_not_confirmed_is_no_stop(dashboard: FakeDashboard, submit) -> None:
    followed(dashboard, stoppable=False)
    process = submit(on_sigterm="stop", stop_deadline=0.2)
    process.wait_for_line("step 1")
    process.terminate()
    assert process.finish() == 30
    reason = f"SIGTERM: the stop of {SUBMISSION} was not confirmed within 0.2 s (last seen: status RUNNING), the run may go on"
    assert process.last_line == ended("detached", 30, reason)


def test_sigterm_while_the_head_is_away_detaches(dashboard: FakeDashboard, submit) -> None:
    followed(dashboard)
    process = submit(poll_interval=0.1)
    process.wait_for_line("step 1")
    dashboard.stop()
    process.wait_for_line("follow: no usable answer")
    process.terminate()
    assert process.finish() == 30
    assert process.last_line == ended("detached", 30, "SIGTERM: the run goes on and is left alone")


@pytest.mark.parametrize("option", ["detach", "stop"])
def test_sigterm_after_the_verdict_keeps_it(dashboard: FakeDashboard, submit, option: str) -> None:
    followed(dashboard)
    dashboard.fail(PHASES["log rest"], hold)
    process = submit(on_sigterm=option)
    process.wait_for_line("step 1")
    dashboard.set_status(SUBMISSION, "FAILED")
    dashboard.jobs[SUBMISSION].exit_code = 3
    dashboard.wait_until(lambda: "held" in dashboard.notes)
    process.terminate()
    assert process.finish() == 10
    assert process.last_line == ended("failed", 10, "the run's command ended with exit code 3")
    assert "log: not read to its end: cut short by SIGTERM" in process.own_lines
    assert dashboard.seen("/stop$") == 0
