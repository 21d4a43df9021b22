"""What MaxText knows and its log does not say: the steps it was asked for, and the newest checkpoint.

Taken from its own objects as it calls ``pyconfig.initialize`` and ``checkpointing.maybe_save_checkpoint``, both through their modules in
every version from 0.1.0 to 0.2.5.
"""

import functools
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any


class Inside:
    """Watches the modules that an entry module of MaxText uses; ``on_asked`` is called with the number of steps as soon as it is known."""

    def __init__(self, entry: ModuleType, on_asked: Callable[[int], None]) -> None:
        self._on_asked = on_asked
        self._config: Any = None
        self._manager: Any = None
        self._asked_to_save = False
        self._checkpointing = getattr(entry, "checkpointing", None)
        self._after(getattr(entry, "pyconfig", None), "initialize", self._initialized)
        self._after(self._checkpointing, "maybe_save_checkpoint", self._saved)

    @staticmethod
    def _after(module: ModuleType | None, name: str, then: Callable[..., None]) -> None:
        original = getattr(module, name, None)
        if module is None or original is None:
            return

        @functools.wraps(original)
        def called(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            then(result, *args, **kwargs)
            return result

        setattr(module, name, called)

    def _initialized(self, config: Any, *_: Any, **__: Any) -> None:
        self._config = config
        if self.asked is not None:
            self._on_asked(self.asked)

    def _saved(self, _: Any, checkpoint_manager: Any = None, *__: Any, **___: Any) -> None:
        self._asked_to_save = True
        self._manager = checkpoint_manager

    @property
    def asked(self) -> int | None:
        """The parameter ``steps`` as MaxText has read it."""
        steps = getattr(self._config, "steps", None)
        return int(steps) if steps is not None else None

    @property
    def folder(self) -> str | None:
        """Where the checkpoints are."""
        return getattr(self._config, "checkpoint_dir", None) or None

    @property
    def saves(self) -> bool | None:
        """Whether the last step is to be saved; None when MaxText has never come to where it saves."""
        if not self._asked_to_save:
            return None
        return self._manager is not None and bool(getattr(self._config, "save_checkpoint_on_completion", True))

    def newest(self, seconds: float) -> int | None:
        """The step of the newest checkpoint, after a save that is under way has ended or ``seconds`` have passed.

        Where MaxText stops early it does not wait for such a save, and this process ends soon after.
        """
        if self._manager is None:
            return None
        waiting = threading.Thread(target=self._wait, daemon=True)
        waiting.start()
        waiting.join(seconds)
        latest = getattr(self._checkpointing, "latest_step", None)
        step = latest(self._manager) if latest is not None else self._manager.latest_step()
        return int(step) if step is not None else None

    def _wait(self) -> None:
        wait = getattr(self._checkpointing, "wait_until_finished", None)
        if wait is not None:
            wait(self._manager)
        else:
            self._manager.wait_until_finished()
