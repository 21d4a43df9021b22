from types import SimpleNamespace

from tpu_trainers import maxtext_log


def test_each_message_is_seen_once_and_still_logged():
    logged, seen = [], []
    module = SimpleNamespace(log=logged.append, error=lambda text, stacklevel=2: logged.append((text, stacklevel)))
    maxtext_log.tap(module, seen.append)
    module.log("completed step: 1, seconds: 1.0")
    module.error("bad", stacklevel=3)
    assert seen == ["completed step: 1, seconds: 1.0", "bad"]
    assert logged == ["completed step: 1, seconds: 1.0", ("bad", 3)]
