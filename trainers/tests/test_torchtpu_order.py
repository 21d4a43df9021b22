import pytest

from tpu_trainers.torchtpu_order import Position, batches, steps_per_epoch


def everything(rows=10, batch=4, epochs=2, start=Position()):
    return list(batches(rows, batch, epochs, 7, start))


def test_every_row_once_in_each_epoch():
    found = everything()
    assert [len(batch.rows) for batch in found] == [4, 4, 2, 4, 4, 2]
    for epoch in (found[:3], found[3:]):
        assert sorted(row for batch in epoch for row in batch.rows) == list(range(10))
    assert found[0].rows + found[1].rows != found[3].rows + found[4].rows
    assert len(found) == 2 * steps_per_epoch(10, 4)


def test_positions():
    found = everything()
    assert [batch.after for batch in found] == [
        Position(1, 0, 4), Position(2, 0, 8), Position(3, 1, 0), Position(4, 1, 4), Position(5, 1, 8), Position(6, 2, 0),
    ]  # fmt: skip
    assert [batch.last_of_epoch for batch in found] == [False, False, True] * 2


@pytest.mark.parametrize("done", range(6))
def test_a_restart_goes_on_as_if_there_was_none(done):
    found = everything()
    assert everything(start=found[done].after) == found[done + 1 :]


def test_a_restart_with_other_batches_repeats_no_row_and_leaves_none_out():
    before = everything()[:1]
    after = everything(batch=3, epochs=1, start=before[-1].after)
    assert sorted(row for batch in before + after for row in batch.rows) == list(range(10))


def test_shares_are_disjoint_and_the_last_may_be_small():
    batch = everything()[2]
    assert [batch.share(rank, 1) for rank in range(4)] == [[batch.rows[0]], [batch.rows[1]], [], []]


def test_the_order_is_that_of_the_seed():
    assert [batch.rows for batch in batches(10, 4, 1, 7, Position())] != [batch.rows for batch in batches(10, 4, 1, 8, Position())]
