"""MaxText's log functions, tapped: its step lines are the only news of its progress, its stop line the only news of a preemption."""

import functools
from collections.abc import Callable
from types import ModuleType

# The functions of MaxText's log module that carry a message first, in any of its versions.
NEWS = ("log", "info")
TROUBLE = ("warning", "error")


def tap(module: ModuleType, on_line: Callable[[str], None], mute: bool) -> None:
    """Calls ``on_line`` with each message before MaxText logs it.

    ``mute`` keeps its news (not its warnings and errors) out of the log: every worker has the same, and one of them is enough to read.
    MaxText calls these functions through their module, so replacing them there is all it takes.
    """
    for name in (*NEWS, *TROUBLE):
        original = getattr(module, name, None)
        if original is not None:
            setattr(module, name, _tapped(original, on_line, mute and name in NEWS))


def _tapped(original: Callable[..., object], on_line: Callable[[str], None], mute: bool) -> Callable[..., object]:
    @functools.wraps(original)
    def logged(message: object, *args: object, **kwargs: object) -> object:
        on_line(str(message))
        return None if mute else original(message, *args, **kwargs)

    return logged
