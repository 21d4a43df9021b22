from dataclasses import replace

from tpu_trainers.maxtext_hosts import check
from tpu_trainers.train_host import Host


def group(slices, per_slice=2):
    """A healthy group of ``slices`` slices."""
    return [
        Host(
            rank=index * per_slice + worker,
            address="host",
            slice_name=f"tpu-{index}",
            worker_id=str(worker),
            num_slices=str(slices) if slices > 1 else None,
            slice_id=str(index) if slices > 1 else None,
        )
        for index in range(slices)
        for worker in range(per_slice)
    ]


def test_healthy_groups():
    assert check(group(1), 2) == []
    assert check(group(3), 2) == []
    assert check(list(reversed(group(2))), 2) == []


def test_ranks_need_not_follow_worker_ids():
    hosts = group(1)
    assert check([replace(hosts[0], worker_id="1"), replace(hosts[1], worker_id="0")], 2) == []


def test_duplicate_worker_id():
    hosts = group(2)
    hosts[3] = replace(hosts[3], worker_id="0")
    assert check(hosts, 2) == ["slice tpu-1: TPU_WORKER_ID 0 is on ranks 2, 3, must be unique in a slice"]


def test_worker_id_out_of_range():
    hosts = group(1)
    hosts[1] = replace(hosts[1], worker_id="4")
    assert check(hosts, 2) == ["slice tpu-0: TPU_WORKER_ID 4 is outside 0 to 1"]


def test_missing_variables():
    hosts = group(1)
    hosts[0] = replace(hosts[0], slice_name=None, worker_id=None)
    problems = check(hosts, 2)
    assert "rank 0 has no TPU_NAME and no TPU_WORKER_ID: the TPU webhook did not see its pod" in problems


def test_stale_number_of_slices_on_a_single_slice():
    hosts = group(1)
    hosts[1] = replace(hosts[1], num_slices="2", slice_id="1")
    assert check(hosts, 2) == [
        "rank 1 has MEGASCALE_NUM_SLICES=2 with 1 live slice: a stale value, it would wait for slices that are gone; "
        "take it out of the pods' environment"
    ]


def test_stale_number_of_slices_on_two():
    hosts = [replace(host, num_slices="3") for host in group(2)]
    assert check(hosts, 2)[0] == "rank 0 has MEGASCALE_NUM_SLICES=3 with 2 live slices"


def test_wrong_slice_id():
    hosts = group(2)
    hosts[2] = replace(hosts[2], slice_id="0")
    assert check(hosts, 2) == ["rank 2 has MEGASCALE_SLICE_ID=0, should be 1"]


def test_ranks_of_two_slices_mixed():
    hosts = group(2)
    hosts[1], hosts[2] = replace(hosts[1], slice_name="tpu-1"), replace(hosts[2], slice_name="tpu-0")
    problems = check(hosts, 2)
    assert "ranks 0 to 1 should be one slice but are on tpu-0, tpu-1" in problems
    assert "ranks 2 to 3 should be one slice but are on tpu-0, tpu-1" in problems
