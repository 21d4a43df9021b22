"""One bad answer in any phase changes nothing: the run is submitted once, its log is whole, the verdict is true."""

import pytest
from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob, cut, drip, not_json, slow, status, truncated
from test_submit_verdicts import SUCCESS, ended

# Each request of a run from the first to the last.
PHASES = {
    "dashboard": "GET /api/version",
    "lookup": f"GET /api/jobs/{SUBMISSION}$",
    "active run": "GET /api/jobs/$",
    "slices": "GET /api/v0/nodes",
    "sources there": "GET /api/packages/",
    "sources upload": "PUT /api/packages/",
    "submit": "POST /api/jobs/$",
    "log stream": "GET /api/v0/logs/stream",
    "log rest": "GET /api/v0/logs/file",
}
FAULTS = {
    "cut": cut,
    "truncated": truncated,
    "500": status(500),
    "503": status(503, "no healthy upstream"),
    "429": status(429, "Max number of in-progress requests=10 reached."),
}
# A package's GET and PUT carry no JSON, and a log is any bytes.
JSON_PHASES = ("dashboard", "lookup", "active run", "slices", "submit")


def cases() -> list[tuple[str, str]]:
    found = [(phase, fault) for phase in PHASES for fault in FAULTS if not (phase.startswith("log") and fault == "truncated")]
    found += [(phase, "not json") for phase in JSON_PHASES]
    return [*found, ("lookup", "slow"), ("submit", "slow"), ("slices", "drip")]


@pytest.mark.parametrize(("phase", "fault"), cases())
def test_a_bad_answer_before_the_end_changes_nothing(dashboard: FakeDashboard, submit, phase: str, fault: str) -> None:
    acts = {**FAULTS, "not json": not_json, "slow": slow, "drip": drip}
    dashboard.make_job = lambda name: FakeJob(name, ["PENDING", "RUNNING"], log=b"step 1\n")
    dashboard.fail(PHASES[phase], acts[fault])
    dashboard.start()
    process = submit(request_timeout=0.3 if fault in ("slow", "drip") else 5)
    # The log arrives while the run goes on, whichever request failed before.
    process.wait_for_line("^step 1$")
    dashboard.append_log(SUBMISSION, b"step 2")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert process.log == b"step 1\nstep 2\n"
    assert dashboard.submissions == [SUBMISSION]
    assert all(each.times == 0 for each in dashboard.faults), "the fault was never met"


@pytest.mark.parametrize("fault", ["cut", "truncated", "500", "not json", "slow", "400"])
def test_a_bad_answer_while_following_changes_nothing(dashboard: FakeDashboard, submit, fault: str) -> None:
    acts = {**FAULTS, "not json": not_json, "slow": slow, "400": status(400)}
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit(request_timeout=0.3 if fault == "slow" else 5)
    process.wait_for_line("is RUNNING")
    dashboard.fail(f"GET /api/jobs/{SUBMISSION}$", acts[fault], times=3)
    process.wait_for_line("follow: the head answers again")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert process.log == b"step 1\n"


@pytest.mark.parametrize("phase", ["dashboard", "lookup", "active run", "slices", "sources there", "sources upload", "submit"])
def test_a_wrong_token_ends_every_phase_before_the_run(dashboard: FakeDashboard, submit, phase: str) -> None:
    dashboard.fail(PHASES[phase], status(401, "Unauthorized: Missing authentication token"), times=100)
    dashboard.start()
    process = submit()
    assert process.finish() == 24
    assert process.last_line == ended("wrong-credentials", 24, "HTTP 401: Unauthorized: Missing authentication token")
    assert dashboard.submissions == []


@pytest.mark.parametrize("phase", ["dashboard", "lookup", "active run", "slices", "sources there", "sources upload", "submit"])
@pytest.mark.parametrize("code", [401, 403])
def test_a11_a_token_that_is_being_rotated_is_tried_again(dashboard: FakeDashboard, submit, phase: str, code: int) -> None:
    dashboard.fail(PHASES[phase], status(code, "Unauthorized: Missing authentication token"), times=3)
    dashboard.start()
    process = submit(refusal_deadline=20)
    assert process.finish() == 0
    said = f"the head refuses the credentials (HTTP {code}: Unauthorized: Missing authentication token), trying again"
    assert sum(said in line for line in process.own_lines) == 1


def test_the_token_is_sent_with_every_request_and_never_printed(dashboard: FakeDashboard, submit, tmp_path) -> None:
    token = tmp_path / "token"
    token.write_text("s3cr3t-t0ken\n")
    dashboard.token = "s3cr3t-t0ken"
    dashboard.start()
    process = submit(auth_token_file=token)
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert b"s3cr3t" not in process.output


def test_a_token_that_the_head_does_not_know_is_wrong(dashboard: FakeDashboard, submit, tmp_path) -> None:
    token = tmp_path / "token"
    token.write_text("0ther-t0ken")
    dashboard.token = "s3cr3t-t0ken"
    dashboard.start()
    process = submit(auth_token_file=token)
    assert process.finish() == 24
    reason = "HTTP 401: Unauthorized: Missing or invalid authentication token"
    assert process.last_line == ended("wrong-credentials", 24, reason)
    assert b"0ther" not in process.output


@pytest.mark.parametrize("content", [None, "", "two words", "line\x01"])
def test_a_token_file_without_a_token_is_refused_without_its_content(dashboard: FakeDashboard, submit, tmp_path, content) -> None:
    token = tmp_path / "token"
    if content is not None:
        token.write_text(content)
    dashboard.start()
    process = submit(auth_token_file=token)
    assert process.finish() == 24
    assert str(token) in process.last_line
    assert b"two words" not in process.output


def test_a_token_that_is_renewed_while_following_is_read_again(dashboard: FakeDashboard, submit, tmp_path) -> None:
    token = tmp_path / "token"
    token.write_text("first")
    dashboard.token = "first"
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit(auth_token_file=token)
    process.wait_for_line("step 1")
    dashboard.token = "second"
    process.wait_for_line(r"follow: no usable answer \(HTTP 401")
    token.write_text("second")
    process.wait_for_line("follow: the head answers again")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS


def test_a_token_that_stays_wrong_while_following_ends_with_wrong_credentials(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit(reconnect_deadline=0.3)
    process.wait_for_line("is RUNNING")
    dashboard.token = "second"
    assert process.finish() == 24
    reason = "the run may go on: HTTP 401: Unauthorized: Missing or invalid authentication token"
    assert process.last_line == ended("wrong-credentials", 24, reason)
