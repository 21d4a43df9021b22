"""A6: a run that never began leaves nothing that costs, unless a run may be active on the cluster."""

import re

import pytest
from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob, host, status
from fake_kubernetes import options
from fake_kubernetes import status as cluster_status
from test_submit_cluster import DELETED
from test_submit_exit_codes import DOCUMENT
from test_submit_verdicts import ended
from tpu_trainers import submit_exit_codes, submit_finish

NOT_UP = cluster_status(head_ready=False, provisioned=False, workers=0)
HEAD_ONLY = cluster_status(head_ready=True, provisioned=False, workers=1)
ALL_UP = cluster_status(head_ready=True, provisioned=True, workers=2)
GONE = "RayCluster training/llama3-8b is being deleted, so nothing is left to try again on"
OTHER = "llama3-8b-99999999"


def kept(reason: str) -> str:
    return f"finish: RayCluster training/llama3-8b is kept, since {reason}"


def other_run(dashboard: FakeDashboard, run: str | None) -> None:
    dashboard.jobs[OTHER] = FakeJob(OTHER, ["RUNNING"], run=run)


def test_slices_that_never_come_free_the_cluster_at_once(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [[host("pool-0", 0)]]
    dashboard.start()
    process = submit(start_deadline=0.2, **options(kubernetes))
    assert process.finish() == 25
    reason = (
        "slices-never-complete: after 0.2 s 0 of 1 slices complete, 1 of 2 hosts: slice pool-0 has 1 of 2 hosts, missing worker 1; " + GONE
    )
    assert process.last_line == ended("given-up", 25, reason)
    assert kubernetes.requests == [DELETED]


@pytest.mark.parametrize("run", ["gemma", None])
def test_slices_that_never_come_leave_a_cluster_on_which_another_run_is_active(
    dashboard: FakeDashboard, submit, kubernetes, run: str | None
) -> None:
    dashboard.node_listings = [[]]
    other_run(dashboard, run)
    dashboard.start()
    process = submit(start_deadline=0.2, **options(kubernetes))
    assert process.finish() == 22
    assert kubernetes.requests == []
    assert process.own_lines[-2] == kept(f"{OTHER} is active on it")


def test_slices_that_never_come_keep_the_cluster_by_default_and_are_retried(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [[]]
    dashboard.start()
    process = submit(**{**options(kubernetes), "start_deadline": 0.2, "on_finish": "keep"})
    assert process.finish() == 22
    assert kubernetes.requests == []


def test_a_cluster_that_was_not_deleted_is_tried_again_by_the_next_pod(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [[]]
    kubernetes.code = 403
    dashboard.start()
    process = submit(start_deadline=0.2, **options(kubernetes))
    assert process.finish() == 22
    assert "was not deleted and still costs: DELETE" in process.own_lines[-2]
    assert submit_exit_codes.SLICES_NEVER_COMPLETE.retry


def test_a_refused_submission_frees_the_cluster(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.fail("POST /api/jobs/$", status(400, "no such field"))
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == 23
    assert process.last_line == ended("refused", 23, "HTTP 400: no such field")
    assert kubernetes.requests == [DELETED]


def test_refused_sources_free_the_cluster(dashboard: FakeDashboard, submit, kubernetes, sources) -> None:
    (sources / "weights").write_bytes(bytes(2 << 20))
    dashboard.start()
    assert submit(**options(kubernetes)).finish() == 23
    assert kubernetes.requests == [DELETED]


def test_refused_arguments_free_the_cluster_before_its_head_is_up(submit, kubernetes) -> None:
    kubernetes.cluster_status = NOT_UP
    process = submit(start_deadline="soon", stop_deadline=0.1, **options(kubernetes))
    assert process.finish() == 23
    assert kubernetes.requests == [DELETED]
    assert kubernetes.preconditions == [{"uid": "uid-1"}]


@pytest.mark.parametrize("option", [{"namespace": "Training"}, {"cluster": ""}, {"address": "head"}, {"on_finish": "delete"}])
def test_arguments_that_do_not_tell_the_cluster_free_nothing(submit, kubernetes, option: dict[str, object]) -> None:
    assert submit(**{**options(kubernetes), **option}).finish() == 23
    assert kubernetes.requests == []
    assert kubernetes.reads == 0


def test_another_active_run_of_the_name_keeps_its_cluster(dashboard: FakeDashboard, submit, kubernetes) -> None:
    other_run(dashboard, "llama3-8b")
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == 20
    assert kubernetes.requests == []
    assert process.own_lines[-2] == kept("the run is not known to be over")


def test_a_head_that_never_comes_frees_the_cluster(submit, kubernetes) -> None:
    kubernetes.cluster_status = NOT_UP
    process = submit(start_deadline=0.1, stop_deadline=0.1, **options(kubernetes))
    assert process.finish() == 25
    assert re.search(r"reason=dashboard-never-came: no usable answer .*; RayCluster training/llama3-8b is being deleted", process.last_line)
    assert kubernetes.preconditions == [{"uid": "uid-1"}]


def test_a_ready_head_that_does_not_answer_here_may_carry_a_run(submit, kubernetes) -> None:
    kubernetes.cluster_status = HEAD_ONLY
    process = submit(start_deadline=0.1, stop_deadline=0.1, **options(kubernetes))
    assert process.finish() == 21
    assert kubernetes.requests == []
    reason = (
        "its head is ready but does not answer here (connection refused), so a run may be active on it; "
        "if none is: kubectl delete raycluster llama3-8b -n training"
    )
    assert process.own_lines[-2] == kept(reason)


@pytest.mark.parametrize(("summary", "code"), [("ready", 21), ("", 25), ("failed", 25)])
def test_a_status_without_conditions_is_judged_by_its_summary(submit, kubernetes, summary: str, code: int) -> None:
    kubernetes.cluster_status = {"state": summary}
    assert submit(start_deadline=0.1, stop_deadline=0.1, **options(kubernetes)).finish() == code


def test_a_cluster_that_nobody_looked_at_yet_is_freed(submit, kubernetes) -> None:
    kubernetes.cluster_status = {}
    assert submit(start_deadline=0.1, stop_deadline=0.1, **options(kubernetes)).finish() == 25


def test_a_cluster_that_is_gone_already_is_not_waited_for_again(submit, kubernetes) -> None:
    kubernetes.cluster_status = None
    kubernetes.code = 404
    process = submit(start_deadline=0.1, stop_deadline=0.1, **options(kubernetes))
    assert process.finish() == 25
    assert "RayCluster training/llama3-8b is gone already, so nothing is left to try again on" in process.last_line


@pytest.mark.parametrize("code", [403, 500])
def test_a_cluster_that_cannot_be_read_is_kept_when_its_head_is_silent(submit, kubernetes, code: int) -> None:
    kubernetes.reading = code
    process = submit(start_deadline=0.1, stop_deadline=0.1, **options(kubernetes))
    assert process.finish() == 21
    assert kubernetes.requests == []
    assert "was not deleted and still costs: GET" in process.own_lines[-2]


def test_wrong_credentials_free_a_cluster_that_never_had_its_hosts(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.token = "right"
    kubernetes.cluster_status = HEAD_ONLY
    dashboard.start()
    assert submit(**options(kubernetes)).finish() == 24
    assert kubernetes.requests == [DELETED]


@pytest.mark.parametrize("cluster", [ALL_UP, cluster_status(head_ready=True, provisioned=False, workers=2)])
def test_wrong_credentials_keep_a_cluster_that_had_its_hosts(dashboard: FakeDashboard, submit, kubernetes, cluster: dict[str, object]) -> None:
    dashboard.token = "right"
    kubernetes.cluster_status = cluster
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == 24
    assert kubernetes.requests == []
    reason = (
        "it had all its hosts before the head refused the credentials, so a run may be active on it; "
        "if none is: kubectl delete raycluster llama3-8b -n training"
    )
    assert process.own_lines[-2] == kept(reason)


def test_an_error_of_the_submitter_before_the_run_frees_the_cluster(dashboard: FakeDashboard, submit, kubernetes) -> None:
    # No Ray answers like this, so the submitter has no words for it.
    dashboard.node_listings = [[{"state": "ALIVE", "resources_total": {"TPU": 4}, "labels": ["ray.io/tpu-slice-name"]}]]
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == 25
    assert "reason=internal-error: " in process.last_line
    assert kubernetes.requests == [DELETED]


def test_a_signal_before_the_run_leaves_the_cluster_to_the_next_pod(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [[]]
    dashboard.start()
    process = submit(**options(kubernetes))
    process.wait_for_line("slices:")
    process.terminate()
    assert process.finish() == 30
    assert kubernetes.requests == []


def test_a_true_end_keeps_a_cluster_on_which_another_run_is_active(dashboard: FakeDashboard, submit, kubernetes) -> None:
    other_run(dashboard, "gemma")
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == 0
    assert kubernetes.requests == []
    assert process.own_lines[-2] == kept(f"{OTHER} is active on it")


def test_a_true_end_frees_the_cluster_also_when_the_head_is_gone_by_then(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.jobs[SUBMISSION] = FakeJob(SUBMISSION, ["SUCCEEDED"], run="llama3-8b")
    dashboard.fail("GET /api/jobs/$", status(503), times=1000)
    dashboard.start()
    assert submit(**options(kubernetes)).finish() == 0
    assert kubernetes.requests == [DELETED]


def test_a_deletion_that_fails_for_a_moment_is_tried_again(dashboard: FakeDashboard, submit, kubernetes) -> None:
    kubernetes.codes = [500, 503]
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == 0
    assert kubernetes.requests == [DELETED] * 3
    assert process.own_lines[-2] == "finish: RayCluster training/llama3-8b is being deleted"


def test_a_cluster_that_was_made_anew_meanwhile_is_not_deleted(submit, kubernetes) -> None:
    kubernetes.cluster_status = NOT_UP
    kubernetes.code = 409
    process = submit(start_deadline=0.1, stop_deadline=0.1, **options(kubernetes))
    assert process.finish() == 21
    assert kubernetes.preconditions == [{"uid": "uid-1"}]
    assert "was not deleted and still costs" in process.own_lines[-2]


def test_the_documents_table_names_every_outcome_and_whether_its_cluster_may_go() -> None:
    section = DOCUMENT.read_text().partition("## What becomes of the RayCluster")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (deleted|kept|deleted unless [^|]+) \|", section, re.MULTILINE))
    assert list(rows) == [outcome.name for outcome in submit_exit_codes.OUTCOMES]
    freed = [outcome.name for outcome in submit_finish.BEFORE_THE_BEGINNING]
    assert [name for name in rows if rows[name].startswith("deleted unless")] == [name for name in rows if name in freed]
