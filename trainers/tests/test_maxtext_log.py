from types import SimpleNamespace

from tpu_trainers import maxtext_log


def tapped(mute):
    logged, seen = [], []
    module = SimpleNamespace(log=logged.append, error=lambda text, stacklevel=2: logged.append((text, stacklevel)))
    maxtext_log.tap(module, seen.append, mute)
    module.log("completed step: 1, seconds: 1.0")
    module.error("bad", stacklevel=3)
    assert seen == ["completed step: 1, seconds: 1.0", "bad"]
    return logged


def test_each_message_is_seen_once_and_still_logged():
    assert tapped(mute=False) == ["completed step: 1, seconds: 1.0", ("bad", 3)]


def test_a_muted_worker_still_tells_of_trouble():
    assert tapped(mute=True) == [("bad", 3)]
