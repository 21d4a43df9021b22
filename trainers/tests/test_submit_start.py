"""From a head that is not there to a run that is accepted."""

import re

import pytest
from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob, head, host, slice_hosts, status
from test_submit_verdicts import SUCCESS, ended


def test_a_head_that_comes_late_is_waited_for(dashboard: FakeDashboard, submit) -> None:
    process = submit()
    process.wait_for_line(r"dashboard: waiting for http://127.0.0.1:\d+ \(connection refused\)")
    dashboard.start()
    assert process.finish() == 0
    assert process.last_line == SUCCESS


def test_a_head_that_answers_before_its_dashboard_serves_is_waited_for(dashboard: FakeDashboard, submit) -> None:
    dashboard.fail("GET /api/version", status(503), times=2)
    dashboard.fail("GET /api/version", status(404, "404: Not Found"))
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS


def test_a_head_that_never_comes_ends_at_the_start_deadline(dashboard: FakeDashboard, submit) -> None:
    process = submit(start_deadline=0.3)
    assert process.finish() == 21
    reason = f"no usable answer from {dashboard.address} within 0.3 s (last: connection refused)"
    assert process.last_line == ended("dashboard-never-came", 21, reason)


def test_a_name_that_does_not_resolve_is_waited_for(submit) -> None:
    process = submit(address="http://head.invalid:8265", start_deadline=0.3)
    assert process.finish() == 21
    assert re.search(r"within 0.3 s \(last: name not found \(.+\)\)$", process.last_line)


def test_hosts_that_come_late_are_waited_for_by_name(dashboard: FakeDashboard, submit) -> None:
    dashboard.node_listings = [
        [head()],
        [head(), host("pool-0", 1)],
        [head(), *slice_hosts("pool-0")],
    ]
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert [line for line in process.own_lines if line.startswith("slices:")] == [
        "slices: 0 of 1 slices complete, 0 of 2 hosts: 1 slice of pod type v6e-16 without any host",
        "slices: 0 of 1 slices complete, 1 of 2 hosts: slice pool-0 has 1 of 2 hosts, missing worker 0",
        "slices: 1 of 1 slices complete, 2 of 2 hosts",
    ]


def test_a_slice_that_stays_incomplete_is_named(dashboard: FakeDashboard, submit) -> None:
    dashboard.node_listings = [[head(), *slice_hosts("pool-0"), host("pool-1", 0), host("pool-1", 1, state="DEAD")]]
    dashboard.start()
    process = submit(slices=2, start_deadline=0.3)
    assert process.finish() == 22
    reason = "after 0.3 s 1 of 2 slices complete, 3 of 4 hosts: slice pool-1 has 1 of 2 hosts, missing worker 1"
    assert process.last_line == ended("slices-never-complete", 22, reason)
    assert dashboard.submissions == []


def test_a_host_that_is_lost_while_waiting_is_waited_for_again(dashboard: FakeDashboard, submit) -> None:
    dashboard.node_listings = [
        [head(), *slice_hosts("pool-0"), host("pool-1", 0)],
        [head(), host("pool-0", 0), host("pool-0", 1, state="DEAD"), *slice_hosts("pool-1")],
        [head(), *slice_hosts("pool-0"), *slice_hosts("pool-1")],
    ]
    dashboard.start()
    process = submit(slices=2)
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert "slices: 1 of 2 slices complete, 3 of 4 hosts: slice pool-0 has 1 of 2 hosts, missing worker 1" in process.own_lines


def test_two_hosts_with_one_worker_id_are_no_slice(dashboard: FakeDashboard, submit) -> None:
    dashboard.node_listings = [[head(), host("pool-0", 0), host("pool-0", 0)]]
    dashboard.start()
    process = submit(start_deadline=0.3)
    assert process.finish() == 22
    reason = (
        "after 0.3 s 0 of 1 slices complete, 1 of 2 hosts: "
        "slice pool-0 has 1 of 2 hosts, missing worker 1, worker id 0 is carried by more than one host; "
        "torn, which no waiting heals: several hosts of slice pool-0 carry worker id 0. Delete all worker pods of the RayCluster at once"
    )
    assert process.last_line == ended("slices-never-complete", 22, reason)
    assert dashboard.submissions == []


def test_more_than_a_hundred_hosts_are_all_seen(dashboard: FakeDashboard, submit) -> None:
    dashboard.node_listings = [[head(), *slice_hosts("pool-0", 256)]]
    dashboard.start()
    process = submit(hosts_per_slice=256)
    assert process.finish() == 0
    assert "slices: 1 of 1 slices complete, 256 of 256 hosts" in process.own_lines


def test_a_submission_whose_answer_is_lost_is_attached_to(dashboard: FakeDashboard, submit) -> None:
    from fake_dashboard import cut

    dashboard.fail("POST /api/jobs/$", cut, after_effect=True)
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert dashboard.submissions == [SUBMISSION]
    assert dashboard.seen("POST /api/jobs/$") == 1
    assert process.log == b"step 1\nstep 2\n"


def test_a_submission_that_is_known_by_the_time_it_arrives_is_attached_to(dashboard: FakeDashboard, submit) -> None:
    def another_submitter(request: str) -> None:
        if request == "POST /api/jobs/" and not dashboard.jobs:
            dashboard.jobs[SUBMISSION] = FakeJob(SUBMISSION, ["RUNNING", "SUCCEEDED"], run="llama3-8b", log=b"theirs\n")

    dashboard.before = another_submitter
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert process.log == b"theirs\n"
    assert dashboard.submissions == []


def test_sources_that_are_there_are_not_sent_again(dashboard: FakeDashboard, submit) -> None:
    dashboard.start()
    assert submit().finish() == 0
    assert submit(submission_id="llama3-8b-again").finish() == 0
    assert dashboard.seen("PUT /api/packages/") == 1


def test_sources_that_a_restarted_head_lost_before_the_submission_are_sent_again(dashboard: FakeDashboard, submit) -> None:
    from fake_dashboard import cut

    # The head dies when the submission arrives and comes back without anything.
    dashboard.fail("POST /api/jobs/$", cut)
    dashboard.before = lambda request: dashboard.packages.clear() if request.startswith("POST") and not dashboard.jobs else None
    dashboard.before = _once(lambda: dashboard.packages.clear(), "POST /api/jobs/")
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert dashboard.seen("PUT /api/packages/") == 2


def test_sources_that_are_lost_after_the_submission_are_sent_again(dashboard: FakeDashboard, submit) -> None:
    # Ray accepts a submission without its sources and fails it before any command runs.
    dashboard.before = _once(lambda: dashboard.packages.clear(), "POST /api/jobs/")
    dashboard.start()
    process = submit()
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert dashboard.submissions == [SUBMISSION, SUBMISSION]
    assert dashboard.seen("PUT /api/packages/") == 2
    assert any("was lost before the run began, submitting again" in line for line in process.own_lines)


def test_sources_that_are_lost_again_and_again_are_a_failure(dashboard: FakeDashboard, submit) -> None:
    dashboard.before = lambda request: dashboard.packages.clear() if request == "POST /api/jobs/" else None
    dashboard.start()
    process = submit()
    assert process.finish() == 10
    assert "reason=RUNTIME_ENV_SETUP_FAILURE: OSError: Failed to download runtime_env file package" in process.last_line
    assert len(dashboard.submissions) == 4


def _once(act, request_wanted: str):
    done: list[str] = []

    def hook(request: str) -> None:
        if request == request_wanted and not done:
            done.append(request)
            act()

    return hook


@pytest.mark.parametrize(
    ("request_pattern", "code"),
    [("POST /api/jobs/$", 400), ("POST /api/jobs/$", 422), ("PUT /api/packages/", 413)],
)
def test_a_refused_request_is_not_repeated(dashboard: FakeDashboard, submit, request_pattern: str, code: int) -> None:
    dashboard.fail(request_pattern, status(code, "no such field: entrypoint"), times=100)
    dashboard.start()
    process = submit()
    assert process.finish() == 23
    assert process.last_line == ended("refused", 23, f"HTTP {code}: no such field: entrypoint")
    assert dashboard.seen(request_pattern) == 1


def test_a_refusal_that_the_head_wraps_in_a_server_error_is_a_refusal(dashboard: FakeDashboard, submit) -> None:
    dashboard.fail("POST /api/jobs/$", status(500, "RuntimeError: Request failed with status code 400: ValueError: bad env."))
    dashboard.start()
    process = submit()
    assert process.finish() == 23
    assert process.last_line == ended("refused", 23, "RuntimeError: Request failed with status code 400: ValueError: bad env.")


def test_a_server_error_at_the_submission_is_tried_again_until_the_start_deadline(dashboard: FakeDashboard, submit) -> None:
    dashboard.fail("POST /api/jobs/$", status(500, "No available agent to submit job, please try again later."), times=10_000)
    dashboard.start()
    process = submit(start_deadline=0.5)
    assert process.finish() == 21
    reason = (
        f"no usable answer from {dashboard.address} within 0.5 s "
        "(last: submit: HTTP 500: No available agent to submit job, please try again later.)"
    )
    assert process.last_line == ended("dashboard-never-came", 21, reason)
    assert dashboard.seen("POST /api/jobs/$") > 1
    # The same line is not said again at every try.
    assert sum("No available agent" in line for line in process.own_lines) == 2
