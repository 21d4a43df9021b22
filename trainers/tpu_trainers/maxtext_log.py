"""MaxText's log functions, tapped: its step lines are the only news of its progress, its stop line the only news of a preemption."""

import functools
from collections.abc import Callable
from types import ModuleType

# The functions of MaxText's log module that carry a message first, in any of its versions.
FUNCTIONS = ("log", "info", "warning", "error")


def tap(module: ModuleType, on_line: Callable[[str], None]) -> None:
    """Calls ``on_line`` with each message before MaxText logs it. MaxText calls these functions through their module, so replacing them there is enough."""
    for name in FUNCTIONS:
        original = getattr(module, name, None)
        if original is not None:
            setattr(module, name, _tapped(original, on_line))


def _tapped(original: Callable[..., object], on_line: Callable[[str], None]) -> Callable[..., object]:
    @functools.wraps(original)
    def logged(message: object, *args: object, **kwargs: object) -> object:
        on_line(str(message))
        return original(message, *args, **kwargs)

    return logged
