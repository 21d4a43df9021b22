"""Hosts that are missing, lost or carry one id twice, on a real Ray with posed hosts of v6e 2x4 (two hosts)."""

from collections.abc import Iterator

import pytest
from posed_cluster import PosedCluster
TWO_HOSTS = {"hosts_per_slice": 2, "pod_type": "v6e-8"}


@pytest.fixture(scope="module")
def half_slice(cluster: PosedCluster) -> Iterator[PosedCluster]:
    """Worker 0 of slice ``pool``; worker 1 is missing."""
    name = cluster.add_host("pool", 0)
    yield cluster
    cluster.lose(name)


def test_a_slice_that_stays_incomplete_is_named(half_slice: PosedCluster, start) -> None:
    process = start(half_slice.address, "incomplete", "exit", "0", start_deadline=1, slices=2, **TWO_HOSTS)
    assert process.finish() == 22
    assert process.last_line == (
        "verdict=slices-never-complete run=incomplete submission=incomplete duration=_ exit=22 reason=after 1 s "
        "0 of 2 slices complete, 1 of 4 hosts: slice pool has 1 of 2 hosts, missing worker 1; "
        "1 slice of pod type v6e-8 without any host; 1 host of pod type v6e-4 left out"
    )
    assert half_slice.job("incomplete") == {}


def test_two_hosts_with_one_worker_id_are_no_slice_until_one_is_gone(half_slice: PosedCluster, start) -> None:
    twice = half_slice.add_host("pool", 0)
    process = start(half_slice.address, "twice", "exit", "0", start_deadline=1, **TWO_HOSTS)
    assert process.finish() == 22
    assert process.last_line == (
        "verdict=slices-never-complete run=twice submission=twice duration=_ exit=22 reason=after 1 s "
        "0 of 1 slices complete, 1 of 2 hosts: slice pool has 1 of 2 hosts, missing worker 1, "
        "worker id 0 is carried by more than one host; 1 host of pod type v6e-4 left out; torn, which no waiting heals: "
        "several hosts of slice pool carry worker id 0. Delete all worker pods of the RayCluster at once"
    )
    waiting = start(half_slice.address, "twice", "exit", "0", **TWO_HOSTS)
    waiting.wait_for_line("worker id 0 is carried by more than one host")
    half_slice.lose(twice)
    waiting.wait_for_line("slice pool has 1 of 2 hosts, missing worker 1; 1 host of pod type v6e-4 left out")
    waiting.terminate()
    assert waiting.finish() == 30


def test_a_host_that_is_lost_while_waiting_is_waited_for_again(half_slice: PosedCluster, start) -> None:
    """Two slices are wanted; one is complete for a while."""
    process = start(half_slice.address, "lost-host", "exit", "0", slices=2, **TWO_HOSTS)
    process.wait_for_line("slices: 0 of 2 slices complete, 1 of 4 hosts: slice pool has 1 of 2 hosts, missing worker 1")
    first = half_slice.add_host("pool", 1)
    process.wait_for_line("slices: 1 of 2 slices complete, 2 of 4 hosts: 1 slice of pod type v6e-8 without any host")
    half_slice.lose(first)
    lines = len(process.own_lines)
    process.wait_for_line("0 of 2 slices complete, 1 of 4 hosts")
    half_slice.wait_until(lambda: len(process.own_lines) > lines, "the loss")
    assert process.own_lines[-1].startswith("slices: 0 of 2 slices complete, 1 of 4 hosts: slice pool has 1 of 2 hosts, missing worker 1")
    process.terminate()
    assert process.finish() == 30
    assert half_slice.job("lost-host") == {}
    # The one slice is enough for a run that can start with it.
    one = start(half_slice.address, "one-slice", "exit", "0", **TWO_HOSTS)
    one.wait_for_line("missing worker 1")
    second = half_slice.add_host("pool", 1)
    assert one.finish() == 0
    half_slice.lose(second)
