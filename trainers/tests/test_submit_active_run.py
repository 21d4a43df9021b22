"""At most one run of a name is active, whoever else submits."""

from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob
from test_submit_verdicts import SUCCESS, ended

OTHER = "llama3-8b-99999999"


def other(dashboard: FakeDashboard, *statuses: str, run: str = "llama3-8b", **fields) -> None:
    dashboard.jobs[OTHER] = FakeJob(OTHER, list(statuses), run=run, start_time=1.0, **fields)


def test_another_active_run_of_the_name_is_named_and_left_alone(dashboard: FakeDashboard, submit) -> None:
    other(dashboard, "RUNNING")
    dashboard.start()
    process = submit()
    assert process.finish() == 20
    reason = (
        f"run llama3-8b is active as {OTHER} with status RUNNING: "
        "wait for it, stop it, or choose --on-active-run wait or replace"
    )
    assert process.last_line == ended("another-run-active", 20, reason)
    assert dashboard.submissions == []
    assert dashboard.seen("/stop$") == 0


def test_a_run_of_another_name_is_no_obstacle(dashboard: FakeDashboard, submit) -> None:
    other(dashboard, "RUNNING", run="gemma")
    dashboard.jobs["by-hand"] = FakeJob("by-hand", ["RUNNING"])
    dashboard.start()
    assert submit().finish() == 0


def test_an_ended_run_of_the_name_is_no_obstacle(dashboard: FakeDashboard, submit) -> None:
    other(dashboard, "FAILED")
    dashboard.start()
    assert submit().finish() == 0


def test_another_active_run_is_waited_for(dashboard: FakeDashboard, submit) -> None:
    other(dashboard, "RUNNING")
    dashboard.start()
    process = submit(on_active_run="wait", start_deadline=1)
    process.wait_for_line(f"active run: run llama3-8b is active as {OTHER} with status RUNNING, waiting for its end")
    dashboard.set_status(OTHER, "SUCCEEDED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert dashboard.submissions == [SUBMISSION]


def test_waiting_for_another_run_has_its_own_deadline(dashboard: FakeDashboard, submit) -> None:
    other(dashboard, "RUNNING")
    dashboard.start()
    process = submit(on_active_run="wait", active_run_deadline=0.2)
    assert process.finish() == 20
    reason = f"run llama3-8b is active as {OTHER} with status RUNNING, still after 0.2 s of waiting"
    assert process.last_line == ended("another-run-active", 20, reason)


def test_another_active_run_is_replaced(dashboard: FakeDashboard, submit) -> None:
    other(dashboard, "RUNNING")
    dashboard.start()
    process = submit(on_active_run="replace")
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert dashboard.jobs[OTHER].statuses == ["STOPPED"]
    assert dashboard.submissions == [SUBMISSION]


def test_another_active_run_that_does_not_stop_is_not_replaced(dashboard: FakeDashboard, submit) -> None:
    other(dashboard, "RUNNING", stoppable=False)
    dashboard.start()
    process = submit(on_active_run="replace", stop_deadline=0.2)
    assert process.finish() == 20
    reason = f"the stop of {OTHER} was not confirmed within 0.2 s (last seen: status RUNNING)"
    assert process.last_line == ended("another-run-active", 20, reason)
    assert dashboard.submissions == []


def test_a_run_that_became_active_while_slices_were_waited_for_is_found(dashboard: FakeDashboard, submit) -> None:
    dashboard.before = lambda request: other(dashboard, "RUNNING") if "/nodes" in request else None
    dashboard.start()
    process = submit()
    assert process.finish() == 20
    assert dashboard.submissions == []


def test_two_submitters_of_one_id_make_one_run(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    processes = [submit(), submit()]
    for process in processes:
        process.wait_for_line("step 1")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    for process in processes:
        assert process.finish() == 0
        assert process.last_line == SUCCESS
        assert process.log == b"step 1\n"
    assert dashboard.submissions == [SUBMISSION]


def test_of_two_ids_submitted_at_the_same_moment_the_later_goes_back(dashboard: FakeDashboard, submit) -> None:
    # The other submission lands between this one's last look and its own submission.
    dashboard.before = lambda request: other(dashboard, "RUNNING") if request == "POST /api/jobs/" else None
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit()
    assert process.finish() == 20
    assert process.last_line.startswith(f"verdict=another-run-active run=llama3-8b submission={SUBMISSION}")
    assert f"active run: {OTHER} was submitted before {SUBMISSION}, going back" in process.own_lines
    assert list(dashboard.jobs) == [OTHER]
    assert dashboard.jobs[OTHER].statuses == ["RUNNING"]


def test_of_two_ids_submitted_at_the_same_moment_the_earlier_stays(dashboard: FakeDashboard, submit) -> None:
    def later(request: str) -> None:
        if request == "POST /api/jobs/":
            dashboard.jobs[OTHER] = FakeJob(OTHER, ["RUNNING"], run="llama3-8b", start_time=4e9)

    dashboard.before = later
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert dashboard.submissions == [SUBMISSION]


def test_the_one_that_went_back_waits_if_asked(dashboard: FakeDashboard, submit) -> None:
    first: list[str] = []

    def meanwhile(request: str) -> None:
        if request == "POST /api/jobs/" and not first:
            first.append(request)
            other(dashboard, "RUNNING")

    dashboard.before = meanwhile
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING", "RUNNING", "SUCCEEDED"])
    dashboard.start()
    process = submit(on_active_run="wait")
    process.wait_for_line("waiting for its end")
    dashboard.set_status(OTHER, "SUCCEEDED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert dashboard.submissions == [SUBMISSION, SUBMISSION]
