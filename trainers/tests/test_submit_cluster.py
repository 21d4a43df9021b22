"""--on-finish delete-cluster deletes the one RayCluster after a true end, and nothing it meets changes the verdict."""

import pytest
from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob
from fake_kubernetes import TOKEN, options
from test_submit_verdicts import SUCCESS, ended


DELETED = ("/apis/ray.io/v1/namespaces/training/rayclusters/llama3-8b", f"Bearer {TOKEN}", "Background")


@pytest.mark.parametrize(("status", "code"), [("SUCCEEDED", 0), ("FAILED", 10), ("STOPPED", 11)])
def test_the_cluster_is_deleted_after_every_true_end(dashboard: FakeDashboard, submit, kubernetes, status: str, code: int) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING", status], exit_code=code)
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == code
    assert kubernetes.requests == [DELETED]
    assert process.own_lines[-2] == "finish: RayCluster training/llama3-8b is being deleted"
    assert b"t0ken" not in process.output


def test_the_cluster_is_deleted_after_a_stop_at_the_run_deadline(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit(run_deadline=0.1, **options(kubernetes))
    assert process.finish() == 13
    assert kubernetes.requests == [DELETED]


def test_the_cluster_is_kept_when_the_run_is_lost(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit(**options(kubernetes))
    process.wait_for_line("is RUNNING")
    with dashboard.changed:
        dashboard.jobs.clear()
    assert process.finish() == 12
    assert kubernetes.requests == []
    assert process.own_lines[-2] == "finish: RayCluster training/llama3-8b is kept, since the run is not known to be over"


def test_the_cluster_is_kept_when_the_submitter_detaches(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit(**options(kubernetes))
    process.wait_for_line("is RUNNING")
    process.terminate()
    assert process.finish() == 30
    assert kubernetes.requests == []


def test_the_cluster_is_kept_by_default(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.start()
    process = submit(kubernetes_api=kubernetes.address, cluster="llama3-8b", namespace="training")
    assert process.finish() == 0
    assert kubernetes.requests == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (404, "finish: RayCluster training/llama3-8b is gone already"),
        (202, "finish: RayCluster training/llama3-8b is being deleted"),
        (
            403,
            "finish: RayCluster training/llama3-8b was not deleted and still costs: DELETE "
            '/apis/ray.io/v1/namespaces/training/rayclusters/llama3-8b: HTTP 403: {"kind": "Status", "message": "told so"}: '
            "the pod's service account needs this right and its token",
        ),
    ],
)
def test_what_kubernetes_says_does_not_change_the_verdict(dashboard: FakeDashboard, submit, kubernetes, code: int, said: str) -> None:
    kubernetes.code = code
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == 0
    assert process.own_lines[-2] == said
    assert process.last_line == SUCCESS


def test_a_pod_without_a_service_account_token_says_so(dashboard: FakeDashboard, submit, kubernetes) -> None:
    (kubernetes.folder / "token").unlink()
    dashboard.start()
    process = submit(**options(kubernetes))
    assert process.finish() == 0
    assert "was not deleted and still costs: DELETE" in process.own_lines[-2]
    assert "cannot read the token file" in process.own_lines[-2]
    assert process.last_line == SUCCESS


def test_outside_of_a_cluster_that_is_said(dashboard: FakeDashboard, submit) -> None:
    dashboard.start()
    process = submit(
        environment={"KUBERNETES_SERVICE_HOST": ""}, on_finish="delete-cluster", cluster="llama3-8b", namespace="training"
    )
    assert process.finish() == 0
    assert "KUBERNETES_SERVICE_HOST is not set" in process.own_lines[-2]


def test_sigterm_while_deleting_keeps_the_verdict(dashboard: FakeDashboard, submit, kubernetes) -> None:
    kubernetes.released.clear()
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING", "FAILED"], exit_code=1)
    dashboard.start()
    process = submit(**options(kubernetes))
    assert kubernetes.held.wait(30)
    process.terminate()
    assert process.finish() == 10
    assert process.own_lines[-2] == "finish: cut short by SIGTERM, check that RayCluster training/llama3-8b is gone"
    assert process.last_line == ended("failed", 10, "the run's command ended with exit code 1")
    assert SUBMISSION in process.last_line
