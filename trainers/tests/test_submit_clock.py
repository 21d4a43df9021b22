"""A10: the deadline of a run counts from its first submission, by clocks that agree with themselves."""

import re
import time

import pytest
from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob
from test_submit_verdicts import SUCCESS, ended


@pytest.mark.parametrize("ahead", [3600.0, -3600.0])
def test_a_head_whose_clock_is_off_neither_stops_a_run_early_nor_lets_it_go_on(dashboard: FakeDashboard, submit, ahead: float) -> None:
    dashboard.clock_ahead = ahead
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], start_time=time.time() + ahead, log=b"step 1\n")
    dashboard.start()
    process = submit(run_deadline=600, heartbeat=0.01)
    process.wait_for_line("is RUNNING")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert dashboard.seen("/stop$") == 0

    dashboard.jobs[SUBMISSION] = FakeJob(SUBMISSION, ["RUNNING"], run="llama3-8b", start_time=time.time() + ahead - 601)
    process = submit(run_deadline=600)
    assert process.finish() == 13
    assert process.last_line == ended("deadline-exceeded", 13, "the run went on for more than 600 s and was stopped")


def test_a_head_that_restarts_does_not_restart_the_deadline(dashboard: FakeDashboard, submit) -> None:
    # The head tells its time in whole seconds, and this process tells it late when the machine is busy: neither leaves 5000 to 5999.
    jobs = [
        FakeJob(SUBMISSION, ["RUNNING"], start_time=time.time() - 5100, log=b"step 1\n"),
        FakeJob(SUBMISSION, ["RUNNING"], log=b"step 2\n"),
    ]
    dashboard.make_job = lambda name: jobs.pop(0)
    dashboard.start()
    process = submit(run_deadline=6000)
    process.wait_for_line("step 1")
    dashboard.restart(keep_state=False)
    line = process.wait_for_line(r"; 5\d{3} of 6000 s are used, starting the run again")
    assert "the head was started anew without its state" in line
    process.wait_for_line("step 2")
    used = dashboard.jobs[SUBMISSION].metadata["cdk8s-tpu-ray/earlier-seconds"]
    assert re.fullmatch(r"5\d{3}", used)
    process.terminate()
    assert process.finish() == 30

    # Another pod goes on counting from what the submission carries.
    dashboard.jobs[SUBMISSION].start_time = time.time() - 1000
    process = submit(run_deadline=6000)
    assert process.finish() == 13
    assert dashboard.submissions == [SUBMISSION, SUBMISSION]


def test_a_head_that_stays_away_is_waited_for_again_with_what_is_left(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit(run_deadline=600, reconnect_deadline=0.2)
    process.wait_for_line("step 1")
    dashboard.stop()
    process.wait_for_line("no usable answer .* of 600 s are used, starting the run again")
    dashboard.restart(keep_state=True)
    process.wait_for_line("is known with status RUNNING, attaching")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0


def test_without_a_deadline_the_next_pod_starts_a_lost_run_again(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit()
    process.wait_for_line("step 1")
    dashboard.restart(keep_state=False)
    assert process.finish() == 12


@pytest.mark.parametrize("told", ["", "soon", "-5"])
def test_metadata_that_is_no_number_counts_for_nothing(dashboard: FakeDashboard, submit, told: str) -> None:
    metadata = {"cdk8s-tpu-ray/earlier-seconds": told}
    dashboard.jobs[SUBMISSION] = FakeJob(SUBMISSION, ["RUNNING", "SUCCEEDED"], run="llama3-8b", metadata=metadata)
    dashboard.start()
    assert submit(run_deadline=600).finish() == 0
