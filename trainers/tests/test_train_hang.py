"""A9: the host that a hanging group waits for."""

from tpu_trainers import train_hang
from tpu_trainers.train_hang import Stalled
from tpu_trainers.train_host import Host

HOSTS = {rank: Host(rank, f"10.0.0.{rank}", f"slice-{rank // 2}", str(rank % 2), None, None) for rank in range(4)}
WAITS = Stalled(7, "collectives.py:10 in wait")


def test_A9_the_worker_that_says_nothing():
    ranks, why = train_hang.suspects(HOSTS, {rank: WAITS for rank in (0, 1, 3)})
    assert ranks == [2]
    assert train_hang.describe(HOSTS, ranks, why) == "rank 2 (slice slice-1, worker 0, 10.0.0.2) does not answer"


def test_A9_the_worker_that_is_a_step_behind():
    ranks, why = train_hang.suspects(HOSTS, {0: WAITS, 1: Stalled(6, WAITS.place), 2: WAITS, 3: WAITS})
    assert (ranks, why) == ([1], "has not completed step 7")


def test_A9_the_worker_that_stands_elsewhere():
    ranks, why = train_hang.suspects(HOSTS, {0: WAITS, 1: WAITS, 2: WAITS, 3: Stalled(7, "reader.py:3 in read")})
    assert ranks == [3]
    assert why == "is in reader.py:3 in read, the others wait in collectives.py:10 in wait"


def test_A9_of_two_workers_the_one_that_does_not_wait_for_a_computation():
    two = {rank: HOSTS[rank] for rank in (0, 1)}
    ranks, why = train_hang.suspects(two, {0: WAITS, 1: Stalled(7, "threading.py:320 in wait", False)})
    assert (ranks, why) == ([1], "is in threading.py:320 in wait, the others wait for it")


def test_nobody_stands_out_when_all_wait_alike_or_no_two_agree():
    assert train_hang.suspects(HOSTS, {rank: WAITS for rank in HOSTS}) == ([], "")
    assert train_hang.suspects(HOSTS, {rank: Stalled(7, f"a.py:{rank}") for rank in HOSTS}) == ([], "")
    assert train_hang.suspects(HOSTS, {}) == ([], "")
    assert train_hang.places(HOSTS, {}) == "no host stands out"
    assert train_hang.places(HOSTS, {0: Stalled(7, "a.py:1 in f"), 1: Stalled(7, "b.py:2 in g"), 2: Stalled(7, "a.py:1 in f")}) == (
        "no host stands out: rank 0 (slice slice-0, worker 0, 10.0.0.0) is in a.py:1 in f, "
        "rank 1 (slice slice-0, worker 1, 10.0.0.1) is in b.py:2 in g"
    )


def test_many_suspects_are_not_all_named():
    hosts = {rank: Host(rank, "h", "s", str(rank), None, None) for rank in range(20)}
    assert train_hang.describe(hosts, list(range(10)), "does not answer").endswith("worker 3, h) and 6 more does not answer")
