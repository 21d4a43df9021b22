"""A13, A14: torn and lost slices are named with the remedy, and healed where that is allowed."""

import pytest
from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob, head, host, slice_hosts
from fake_kubernetes import worker
from test_submit_verdicts import SUCCESS, ended
from tpu_trainers import submit_hosts, submit_pods

SELECTOR = "ray.io/cluster=llama3-8b,ray.io/node-type=worker"
REMEDY = f"Delete all worker pods at once: kubectl delete pods -n training -l {SELECTOR}"
# KubeRay 1.5 scaled from two slices to one: it removed two hosts of four, one of each slice.
SCALED_IN = [head(), host("pool-0", 0), host("pool-1", 1)]
LEFT = [worker("w-0", "pool-0", 0), worker("w-3", "pool-1", 1)]
# Slice 0 was lost whole: the webhook numbers its new pods after the slice that is there, and they stay pending.
LOST = [worker("w-2", "pool-1", 0), worker("w-3", "pool-1", 1), worker("w-4", "pool-1", 2, node=""), worker("w-5", "pool-1", 3, node="")]


def options(kubernetes, **others: object) -> dict[str, object]:
    return {
        "cluster": "llama3-8b",
        "namespace": "training",
        "kubernetes_api": kubernetes.address,
        "service_account_folder": kubernetes.folder,
        "repair_delay": 0.05,
        "slices_interval": 0.02,
        **others,
    }


def test_mixed_slices_are_named_with_the_remedy(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [SCALED_IN]
    dashboard.start()
    process = submit(start_deadline=0.3, **options(kubernetes))
    assert process.finish() == 22
    reason = (
        "after 0.3 s 0 of 1 slices complete, 2 of 2 hosts: slice pool-0 has 1 of 2 hosts, missing worker 1; "
        "slice pool-1 has 1 of 2 hosts, missing worker 0; torn, which no waiting heals: "
        f"2 hosts of slices pool-0, pool-1 are here, enough for all, and they are mixed. {REMEDY}"
    )
    assert process.last_line == ended("slices-never-complete", 22, reason)
    # Without the word nothing is touched, nor looked at.
    assert kubernetes.deleted_pods == []


def test_mixed_slices_are_healed_where_it_is_allowed(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [SCALED_IN]
    other = worker("of-another-run", "pool-0", 0, **{"ray.io/cluster": "gemma"})
    of_the_head = worker("the-head", "pool-0", 0, **{"ray.io/node-type": "head"})
    kubernetes.pods = [*LEFT, other, of_the_head]

    def remake() -> None:
        dashboard.node_listings = [[head(), *slice_hosts("pool-0")]]

    # The other run's worker stays in the list, so the new pods come with the second deletion.
    kubernetes.remake = lambda: None
    dashboard.before = lambda request: remake() if len(kubernetes.deleted_pods) == 2 else None
    dashboard.start()
    process = submit("--repair-slices", **options(kubernetes))
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert kubernetes.deleted_pods == ["w-0", "w-3"]
    assert f"repair: 1 of 3: 2 worker pods of {SELECTOR} are being deleted at once" in process.own_lines


def test_a_lost_slice_whose_pods_have_ids_of_another_is_healed(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [[head(), *slice_hosts("pool-1")]]
    kubernetes.pods = list(LOST)

    def remake() -> None:
        dashboard.node_listings = [[head(), *slice_hosts("pool-0"), *slice_hosts("pool-1")]]

    kubernetes.remake = remake
    dashboard.start()
    process = submit("--repair-slices", slices=2, **options(kubernetes))
    process.wait_for_line("torn, which no waiting heals: pods of slice pool-1 carry the worker ids 2, 3 of another slice")
    assert process.finish() == 0
    assert kubernetes.deleted_pods == ["w-2", "w-3", "w-4", "w-5"]


def test_slices_that_are_only_late_are_not_repaired(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [[head(), *slice_hosts("pool-0"), host("pool-1", 0)]]
    kubernetes.pods = [worker("w-0", "pool-0", 0), worker("w-1", "pool-0", 1), worker("w-2", "pool-1", 0), worker("w-3", "pool-1", 1, node="")]
    dashboard.start()
    process = submit("--repair-slices", slices=2, start_deadline=0.5, **options(kubernetes))
    assert process.finish() == 22
    assert kubernetes.deleted_pods == []
    assert "torn" not in process.last_line


def test_repairs_are_bounded(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [SCALED_IN]

    def again() -> None:
        kubernetes.pods = list(LEFT)

    again()
    kubernetes.remake = again
    dashboard.start()
    process = submit("--repair-slices", start_deadline=1.5, **options(kubernetes))
    assert process.finish() == 22
    assert kubernetes.deleted_pods == ["w-0", "w-3"] * 3
    assert REMEDY in process.last_line


def test_a_repair_that_is_not_allowed_is_said_and_changes_nothing(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.node_listings = [SCALED_IN]
    kubernetes.pods_code = 403
    dashboard.start()
    process = submit("--repair-slices", start_deadline=0.5, **options(kubernetes))
    assert process.finish() == 22
    assert any(line.startswith("repair: 1 of 3: GET /api/v1/namespaces/training/pods: HTTP 403") for line in process.own_lines)


def test_a_slice_that_is_lost_under_a_run_is_told_and_healed(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    whole = [head(), *slice_hosts("pool-0"), *slice_hosts("pool-1")]
    dashboard.node_listings = [whole]
    dashboard.start()
    process = submit("--repair-slices", slices=2, **options(kubernetes))
    process.wait_for_line("is RUNNING")
    kubernetes.pods = list(LOST)

    def remake() -> None:
        dashboard.node_listings = [whole]

    kubernetes.remake = remake
    with dashboard.changed:
        dashboard.node_listings = [[head(), *slice_hosts("pool-1")]]
    process.wait_for_line("follow: .* is RUNNING; slices lost: 1 of 2 slices complete, 2 of 4 hosts")
    process.wait_for_line("repair: 1 of 3: 4 worker pods")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0


def test_a_failure_after_a_lost_slice_says_so(dashboard: FakeDashboard, submit, kubernetes) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], exit_code=46)
    dashboard.start()
    process = submit(**options(kubernetes))
    process.wait_for_line("is RUNNING")
    with dashboard.changed:
        dashboard.node_listings = [[head(), host("pool-0", 0)]]
    process.wait_for_line("is RUNNING; slices lost: ")
    dashboard.set_status(SUBMISSION, "FAILED")
    assert process.finish() == 10
    reason = (
        "the run's command ended with exit code 46; slices lost: "
        "0 of 1 slices complete, 1 of 2 hosts: slice pool-0 has 1 of 2 hosts, missing worker 1"
    )
    assert process.last_line == ended("failed", 10, reason)


def test_an_elastic_run_may_have_many_slices_on_their_way() -> None:
    wanted = submit_hosts.WantedSlices(1, 2, "v6e-16", 4, most_slices=2)
    assert submit_hosts.judge([host("pool-0", 0), host("pool-1", 1)], wanted).torn == ()
    assert submit_hosts.judge([host("pool-0", 0), host("pool-1", 1), host("pool-2", 0), host("pool-3", 0)], wanted).torn != ()


@pytest.mark.parametrize(
    ("pods", "found"),
    [
        (LOST, ["pods of slice pool-1 carry the worker ids 2, 3 of another slice"]),
        ([worker("a", "pool-0", 0), worker("b", "pool-0", 0)], ["several pods of slice pool-0 carry worker id 0"]),
        (
            [worker("a", "pool-0", 0), worker("b", "pool-0", 1, node="gke-tpu-ray-pool-1-99999999-abcd")],
            ["pods of slice pool-0 are on nodes of several node pools (gke-tpu-ray-pool-0-1a2b3c4d, gke-tpu-ray-pool-1-99999999)"],
        ),
        # KubeRay's own index counts where it is there.
        (
            [worker("a", "pool-0", 0), worker("b", "pool-0", 0, **{"ray.io/worker-group-replica-name": "pool-1"})],
            [],
        ),
        ([worker("a", "pool-0", 0), worker("b", "pool-0", 1, node="")], []),
        ([], []),
    ],
)
def test_pods_whose_slice_is_torn(pods: list[dict[str, object]], found: list[str]) -> None:
    assert submit_pods.torn([submit_pods._pod(pod) for pod in pods], 2) == found


def test_a_pod_that_is_leaving_counts_for_nothing() -> None:
    leaving = worker("a", "pool-0", 5)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-30T07:00:00Z"
    assert submit_pods.torn([submit_pods._pod(leaving)], 2) == []
