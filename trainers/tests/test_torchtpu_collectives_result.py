from dataclasses import replace

from tpu_trainers.torchtpu_collectives_result import Failure, Result, table, wrong
from tpu_trainers.torchtpu_place import Place

PLACES = {rank: Place(f"10.0.0.{rank // 2}", "tpu-0", str(rank // 2), rank % 2) for rank in range(4)}


def healthy():
    return [Result(rank, 10.0, (1.0, 2.0, 3.0, 4.0), 0.0021, 1.5) for rank in range(4)]


def test_nothing_is_wrong():
    assert wrong(PLACES, healthy(), [], 1e-2) == []


def test_the_table_is_by_rank():
    lines = table(PLACES, list(reversed(healthy())))
    assert lines[0].split() == ["rank", "host", "device", "address", "all_reduce_sum", "max_abs_diff", "seconds"]
    assert lines[4].split() == ["3", "1", "1", "10.0.0.1", "10", "0.002100", "1.50"]
    assert len({len(line) for line in lines}) == 1


def test_a_rank_without_a_result_has_a_line_too():
    assert table(PLACES, healthy()[:3])[4].split() == ["3", "1", "1", "10.0.0.1", "-", "-", "-"]


def test_a_rank_whose_product_is_off_is_named_with_its_host():
    results = healthy()
    results[2] = replace(results[2], difference=0.5)
    assert wrong(PLACES, results, [], 1e-2) == [
        "rank 2 on host 1 of tpu-0 at 10.0.0.1: the tensor-parallel result differs from that of one device by 0.5, allowed is 0.01"
    ]


def test_a_product_that_is_not_a_number():
    results = healthy()
    results[0] = replace(results[0], difference=float("nan"))
    assert len(wrong(PLACES, results, [], 1e-2)) == 1


def test_a_rank_that_sends_wrong_values_is_named_before_the_sums_they_spoil():
    results = [replace(result, all_reduce=16.0, received=(1.0, 8.0, 3.0, 4.0)) for result in healthy()]
    problems = wrong(PLACES, results, [], 1e-2)
    assert problems[0] == "rank 1 on host 0 of tpu-0 at 10.0.0.0: 4 of 4 ranks received 8 from it in the all-gather, expected 2"
    assert problems[1] == "rank 0 on host 0 of tpu-0 at 10.0.0.0: all-reduce sum 16, expected 10"
    assert len(problems) == 5


def test_a_rank_that_receives_wrong_values_is_named_alone():
    results = healthy()
    results[3] = replace(results[3], received=(0.0, 0.0, 0.0, 4.0))
    assert wrong(PLACES, results, [], 1e-2) == [
        "rank 3 on host 1 of tpu-0 at 10.0.0.1: received wrong values from ranks 0, 1, 2 in the all-gather"
    ]


def test_elements_that_differ_within_a_rank():
    results = [replace(result, received=(1.0, 2.0, float("nan"), 4.0)) for result in healthy()]
    assert wrong(PLACES, results, [], 1e-2) == [
        "rank 2 on host 1 of tpu-0 at 10.0.0.1: 4 of 4 ranks received nan from it in the all-gather, expected 3"
    ]


def test_a_lost_rank_explains_the_errors_of_the_others():
    failures = [Failure(rank, "RuntimeError: connection closed") for rank in (0, 1, 2)] + [Failure(3, "its process or host was lost", lost=True)]
    assert wrong(PLACES, [], failures, 1e-2) == ["rank 3 on host 1 of tpu-0 at 10.0.0.1: its process or host was lost"]


def test_errors_without_a_loss_are_all_told():
    failures = [Failure(2, "RuntimeError: b"), Failure(1, "RuntimeError: a")]
    assert wrong(PLACES, [], failures, 1e-2) == [
        "rank 1 on host 0 of tpu-0 at 10.0.0.0: RuntimeError: a",
        "rank 2 on host 1 of tpu-0 at 10.0.0.1: RuntimeError: b",
    ]
