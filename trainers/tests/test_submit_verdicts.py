"""What the job table says is what the submitter ends with."""

from pathlib import Path

from fake_dashboard import HEAD_NODE, FakeDashboard, FakeJob, cut, status
from conftest import SUBMISSION

from tpu_trainers import __version__, submit_sources

SUCCESS = f"verdict=succeeded run=llama3-8b submission={SUBMISSION} duration=_ exit=0 reason=the run's command ended with exit code 0"


def ended(verdict: str, code: int, reason: str) -> str:
    return f"verdict={verdict} run=llama3-8b submission={SUBMISSION} duration=_ exit={code} reason={reason}"


def test_a_run_is_submitted_and_followed_to_its_success(dashboard: FakeDashboard, submit) -> None:
    dashboard.start()
    process = submit(entrypoint=("python3", "-m", "tpu_trainers.maxtext", "--", "run_name=a b", "x=$HOME"))
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert process.log == b"step 1\nstep 2\n"
    job = dashboard.jobs[SUBMISSION]
    assert job.entrypoint == "python3 -m tpu_trainers.maxtext -- 'run_name=a b' 'x=$HOME'"
    assert job.run == "llama3-8b"
    assert job.working_dir.removeprefix("gcs://") in dashboard.packages
    phases = [line.split(":")[0] for line in process.own_lines]
    verdict = process.own_lines[-1].split(":")[0]
    assert phases == ["sources", "dashboard", "slices", "sources", "submit", "follow", "follow", "outcome", verdict]


def test_a5_the_submission_and_its_outcome_tell_version_and_sources(dashboard: FakeDashboard, submit, sources: Path) -> None:
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    digest = submit_sources.pack(str(sources)).digest
    metadata = dashboard.jobs[SUBMISSION].metadata
    assert (metadata["cdk8s-tpu-ray/version"], metadata["cdk8s-tpu-ray/sources"]) == (__version__, digest)
    assert f"sources: cdk8s-tpu-ray {__version__}, sources {digest} (2 files)" in process.own_lines
    assert f"outcome: {SUBMISSION} was submitted by cdk8s-tpu-ray {__version__}, sources {digest}" in process.own_lines


def test_a5_a_run_keeps_the_sources_it_was_submitted_with(dashboard: FakeDashboard, submit) -> None:
    older = {"cdk8s-tpu-ray/version": "0.2.0", "cdk8s-tpu-ray/sources": "0123456789abcdef"}
    known(dashboard, "RUNNING", "SUCCEEDED", metadata=older)
    process = submit()
    assert process.finish() == 0
    assert dashboard.submissions == [] and dashboard.packages == {}
    assert "lookup: it keeps what it was submitted with: cdk8s-tpu-ray 0.2.0, sources 0123456789abcdef" in process.own_lines


def test_a4_the_jobs_of_one_run_coexist(dashboard: FakeDashboard, submit) -> None:
    """A changed deadline is another Job with the same submission id: one submission, and each Job tells the same end."""
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    before = submit(start_deadline=20)
    before.wait_for_line("is RUNNING")
    after = submit(start_deadline=30)
    after.wait_for_line("is RUNNING")
    # Pruned by whatever applies the manifests.
    pruned = submit(start_deadline=40)
    pruned.wait_for_line("is RUNNING")
    pruned.terminate()
    assert pruned.finish() == 30
    dashboard.jobs[SUBMISSION].statuses = ["SUCCEEDED"]
    assert (before.finish(), after.finish()) == (0, 0)
    assert before.last_line == after.last_line == SUCCESS
    assert dashboard.submissions == [SUBMISSION]
    # Applied after the end: nothing trains again.
    late = submit(start_deadline=50)
    assert late.finish() == 0
    assert dashboard.submissions == [SUBMISSION]


def test_the_duration_is_that_of_the_run(dashboard: FakeDashboard, submit) -> None:
    dashboard.jobs[SUBMISSION] = FakeJob(SUBMISSION, ["SUCCEEDED"], seconds=12345)
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert "duration=12345s" in process.own_lines[-1]


def known(dashboard: FakeDashboard, *statuses: str, **fields) -> None:
    dashboard.jobs[SUBMISSION] = FakeJob(SUBMISSION, list(statuses), run="llama3-8b", log=b"step 1\n", **fields)
    dashboard.start()


def test_a_known_running_id_is_attached_to(dashboard: FakeDashboard, submit) -> None:
    known(dashboard, "RUNNING", "RUNNING", "SUCCEEDED")
    # A run that goes on needs no complete slices: an elastic one may have shrunk.
    dashboard.node_listings = [[]]
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert process.log == b"step 1\n"
    assert dashboard.submissions == []
    assert f"lookup: {SUBMISSION} is known with status RUNNING, attaching" in process.own_lines


def test_a_known_succeeded_id_ends_with_success(dashboard: FakeDashboard, submit) -> None:
    known(dashboard, "SUCCEEDED")
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert process.log == b"step 1\n"
    assert dashboard.submissions == []


def test_a_known_failed_id_ends_with_failure_and_is_not_run_again(dashboard: FakeDashboard, submit) -> None:
    known(dashboard, "FAILED", exit_code=1)
    process = submit()
    assert process.finish() == 10
    assert process.last_line == ended("failed", 10, "the run's command ended with exit code 1")
    assert process.log == b"step 1\n"
    assert dashboard.submissions == []


def test_a_known_stopped_id_ends_as_stopped(dashboard: FakeDashboard, submit) -> None:
    known(dashboard, "STOPPED")
    process = submit()
    assert process.finish() == 11
    assert process.last_line == ended("stopped", 11, "the run was stopped on request")
    assert dashboard.submissions == []


def test_the_trainer_exits_with_1(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING", "FAILED"], exit_code=1, log=b"Traceback\n")
    dashboard.start()
    process = submit()
    assert process.finish() == 10
    assert process.last_line == ended("failed", 10, "the run's command ended with exit code 1")
    assert process.log == b"Traceback\n"


def test_the_trainers_own_exit_code_is_told(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING", "FAILED"], exit_code=75)
    dashboard.start()
    process = submit()
    assert process.finish() == 10
    assert process.last_line == ended("failed", 10, "the run's command ended with exit code 75")


def test_the_driver_is_killed_behind_a_shell(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING", "FAILED"], exit_code=137)
    dashboard.start()
    process = submit()
    assert process.finish() == 10
    reason = "the run's command was ended by SIGKILL (killed: out of memory, or by hand), exit code 137"
    assert process.last_line == ended("failed", 10, reason)


def test_the_driver_is_killed_without_a_shell(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING", "FAILED"], exit_code=-9)
    dashboard.start()
    process = submit()
    assert process.finish() == 10
    reason = "the run's command was ended by SIGKILL (killed: out of memory, or by hand), exit code 137"
    assert process.last_line == ended("failed", 10, reason)


def test_the_driver_is_out_of_memory_by_rays_own_monitor(dashboard: FakeDashboard, submit) -> None:
    message = "Job supervisor actor died: The actor died.\nTask was killed due to the node running low on memory."
    dashboard.make_job = lambda name: FakeJob(
        name, ["RUNNING", "FAILED"], exit_code=None, error_type="JOB_SUPERVISOR_ACTOR_DIED", message=message
    )
    dashboard.start()
    process = submit()
    assert process.finish() == 10
    reason = "JOB_SUPERVISOR_ACTOR_DIED: Task was killed due to the node running low on memory."
    assert process.last_line == ended("failed", 10, reason)


def test_the_driver_never_starts(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(
        name,
        ["PENDING", "FAILED"],
        has_driver=False,
        exit_code=None,
        error_type="JOB_SUPERVISOR_ACTOR_START_TIMEOUT",
        message="Job supervisor actor failed to start within 900 seconds.",
        log=b"Runtime env is setting up.\n",
    )
    dashboard.start()
    process = submit()
    assert process.finish() == 10
    reason = "JOB_SUPERVISOR_ACTOR_START_TIMEOUT: Job supervisor actor failed to start within 900 seconds."
    assert process.last_line == ended("failed", 10, reason)
    assert process.log == b"Runtime env is setting up.\n"


def test_the_run_is_stopped_by_someone_else(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit()
    process.wait_for_line("is RUNNING")
    dashboard.set_status(SUBMISSION, "STOPPED")
    assert process.finish() == 11
    assert process.last_line == ended("stopped", 11, "the run was stopped on request")


def test_an_id_that_is_gone_after_it_was_seen_is_lost(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit()
    process.wait_for_line("is RUNNING")
    with dashboard.changed:
        del dashboard.jobs[SUBMISSION]
    assert process.finish() == 12
    assert process.last_line == ended("lost", 12, f"the cluster no longer knows {SUBMISSION}: its entry was deleted")
    assert dashboard.submissions == [SUBMISSION]


def test_a_head_that_restarts_without_state_has_lost_the_run(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit()
    process.wait_for_line("is RUNNING")
    dashboard.restart(keep_state=False)
    assert process.finish() == 12
    reason = f"the cluster no longer knows {SUBMISSION}: the head was started anew without its state (session_a became session_a')"
    assert process.last_line == ended("lost", 12, reason)
    assert dashboard.submissions == [SUBMISSION]


def test_a_head_that_restarts_with_state_goes_on(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit()
    process.wait_for_line("step 1")
    dashboard.stop()
    process.wait_for_line(r"follow: no usable answer \(connection refused\), the run may go on")
    dashboard.restart(keep_state=True)
    process.wait_for_line("follow: the head answers again")
    dashboard.append_log(SUBMISSION, b"step 2\n")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert process.log == b"step 1\nstep 2\n"
    assert dashboard.submissions == [SUBMISSION]


def test_a_head_that_stays_away_while_following_is_lost(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit(reconnect_deadline=0.3)
    process.wait_for_line("is RUNNING")
    dashboard.stop()
    assert process.finish() == 12
    reason = f"no usable answer from {dashboard.address} for 0.3 s (last: connection refused), the run may go on"
    assert process.last_line == ended("lost", 12, reason)


def test_a_404_of_a_proxy_is_not_taken_for_a_lost_run(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING", "RUNNING", "SUCCEEDED"])
    dashboard.before = lambda request: (
        dashboard.fail(f"GET /api/jobs/{SUBMISSION}$", status(404, "no healthy upstream")) if request.startswith("POST") else None
    )
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert "follow: no usable answer (HTTP 404: no healthy upstream), the run may go on" in process.own_lines


def test_the_run_deadline_stops_the_run(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit(run_deadline=0.2)
    assert process.finish() == 13
    assert process.last_line == ended("deadline-exceeded", 13, "the run went on for more than 0.2 s and was stopped")
    assert dashboard.seen(f"POST /api/jobs/{SUBMISSION}/stop") >= 1
    assert process.log == b"step 1\n"


def test_the_run_deadline_counts_from_the_runs_own_start(dashboard: FakeDashboard, submit) -> None:
    known(dashboard, "RUNNING", start_time=1_000_000_000.0)
    process = submit(run_deadline=3600)
    assert process.finish() == 13


def test_a_stop_at_the_run_deadline_that_is_not_confirmed_is_said(dashboard: FakeDashboard, submit) -> None:
    known(dashboard, "RUNNING", stoppable=False)
    process = submit(run_deadline=0.1, stop_deadline=0.2)
    assert process.finish() == 13
    reason = (
        f"the run went on for more than 0.1 s; the stop of {SUBMISSION} was not confirmed within 0.2 s (last seen: status RUNNING)"
    )
    assert process.last_line == ended("deadline-exceeded", 13, reason)


def test_a_run_that_ends_by_itself_at_its_deadline_keeps_its_verdict(dashboard: FakeDashboard, submit) -> None:
    known(dashboard, "RUNNING", stoppable=False)
    dashboard.before = lambda request: (
        dashboard.set_status(SUBMISSION, "SUCCEEDED") if request.endswith("/stop") else None
    )
    process = submit(run_deadline=0.1)
    assert process.finish() == 0
    assert process.last_line == SUCCESS


def test_a_log_that_cannot_be_read_does_not_change_the_verdict(dashboard: FakeDashboard, submit) -> None:
    known(dashboard, "FAILED", exit_code=1, message="failed with exit code 1, last available logs:\nValueError: bad mesh")
    dashboard.fail("/api/v0/logs/", cut, times=1000)
    process = submit(drain_deadline=0.1)
    assert process.finish() == 10
    assert process.last_line == ended("failed", 10, "the run's command ended with exit code 1")
    assert "message: ValueError: bad mesh" in process.own_lines
    assert HEAD_NODE in next(request for request in dashboard.requests if "/logs/file" in request)
