"""A9: a worker that comes to no further step says where it stands."""

import threading
from types import SimpleNamespace

from tpu_trainers.train_stall import Watch


class Board:
    def __init__(self):
        self.told = []
        self.heard = threading.Event()
        self.stall = SimpleNamespace(remote=self._stall)

    def _stall(self, attempt, rank, stalled):
        self.told.append((attempt, rank, stalled))
        self.heard.set()


def test_a_late_step_is_told_with_the_place_of_the_training_thread():
    board = Board()
    watch = Watch(board, "a", 3, 0.01)
    watch.step(7)
    assert board.heard.wait(30)
    watch.stop()
    attempt, rank, stalled = board.told[0]
    assert (attempt, rank, stalled.last_step) == ("a", 3, 7)
    # This thread is in the wait of the event, in the standard library or in this file.
    assert " in " in stalled.place and ".py:" in stalled.place


def test_one_late_step_is_told_once():
    board = Board()
    watch = Watch(board, "a", 0, 0.01)
    watch.step(0)
    assert board.heard.wait(30)
    board.heard.clear()
    watch.step(1)
    assert board.heard.wait(30)
    watch.stop()
    assert [stalled.last_step for _, _, stalled in board.told] == [0, 1]


def test_nothing_is_late_after_the_end():
    board = Board()
    watch = Watch(board, "a", 0, 3600)
    watch.step(0)
    watch.stop()
    wait = [thread for thread in threading.enumerate() if thread.name == "stall"]
    for thread in wait:
        thread.join(30)
        assert not thread.is_alive()
    assert board.told == []
