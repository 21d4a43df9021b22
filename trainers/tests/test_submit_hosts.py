import pytest
from fake_dashboard import head, host, slice_hosts

from tpu_trainers.submit_hosts import WantedSlices, judge

TWO_OF_FOUR = WantedSlices(slices=2, hosts_per_slice=4, pod_type="v6e-16", tpu_per_host=4)


def test_more_slices_than_wanted_are_complete() -> None:
    state = judge([head(), *slice_hosts("a", 4), *slice_hosts("b", 4), *slice_hosts("c", 4)], TWO_OF_FOUR)
    assert state.complete
    assert state.summary == "2 of 2 slices complete, 12 hosts, 8 needed"


def test_a_third_slice_that_is_incomplete_is_no_obstacle() -> None:
    assert judge([*slice_hosts("a", 4), *slice_hosts("b", 4), host("c", 0)], TWO_OF_FOUR).complete


@pytest.mark.parametrize(
    ("nodes", "remark"),
    [
        ([], "2 slices of pod type v6e-16 without any host"),
        (slice_hosts("a", 4), "1 slice of pod type v6e-16 without any host"),
        (
            [*slice_hosts("a", 4), host("b", 0), host("b", 3)],
            "slice b has 2 of 4 hosts, missing worker 1, 2",
        ),
        (
            [*slice_hosts("a", 4), *slice_hosts("b", 4), host("b", 2)],
            "slice b has 4 of 4 hosts, worker id 2 is carried by more than one host",
        ),
        (
            [*slice_hosts("a", 4), *slice_hosts("b", 3), host("b", 7)],
            "slice b has 3 of 4 hosts, missing worker 3, worker id 7 is outside 0 to 3",
        ),
        (
            [*slice_hosts("a", 4), *slice_hosts("b", 3), host("b", None)],
            "slice b has 3 of 4 hosts, missing worker 3, worker id (none) is outside 0 to 3",
        ),
        (
            [*slice_hosts("a", 4), *[host("b", worker, pod_type="v6e-8") for worker in range(2)]],
            "1 slice of pod type v6e-16 without any host; 2 hosts of pod type v6e-8 left out",
        ),
        (
            [*slice_hosts("a", 4), *slice_hosts("b", 3), host("b", 3, tpu=2.0)],
            "slice b has 3 of 4 hosts, missing worker 3; 1 host with less than 4 TPU left out",
        ),
        (
            [*slice_hosts("a", 4), {"state": "ALIVE", "resources_total": {"TPU": 4.0}, "labels": None}],
            "1 slice of pod type v6e-16 without any host; "
            "1 host with TPU but without the labels ray.io/tpu-slice-name and ray.io/tpu-pod-type",
        ),
    ],
)
def test_what_is_missing_is_named(nodes: list, remark: str) -> None:
    state = judge(nodes, TWO_OF_FOUR)
    assert not state.complete
    assert state.summary.split(": ", 1)[1] == remark


def test_dead_hosts_count_for_nothing() -> None:
    nodes = [*slice_hosts("a", 4), *slice_hosts("b", 4)]
    nodes[5] = {**nodes[5], "state": "DEAD"}
    assert judge(nodes, TWO_OF_FOUR).summary == (
        "1 of 2 slices complete, 7 of 8 hosts: slice b has 3 of 4 hosts, missing worker 1"
    )


def test_a_replaced_host_is_complete_although_its_dead_predecessor_is_listed() -> None:
    nodes = [*slice_hosts("a", 4), *slice_hosts("b", 4), host("b", 1, state="DEAD")]
    assert judge(nodes, TWO_OF_FOUR).complete
