"""Where an installed MaxText keeps its training entry point, its base configuration and its log functions.

| MaxText | entry | base configuration |
|---|---|---|
| 0.1.0, tutorial-v1.5.0 | ``MaxText.train`` | ``configs/base.yml`` beside the package ``MaxText``, or in ``src/MaxText/configs`` of a checkout |
| 0.2.0 and newer | ``maxtext.trainers.pre_train.train`` | ``configs/base.yml`` beside the package ``maxtext`` |

0.2.0 and 0.2.1 have both; the newer one is taken. ``MAXTEXT_CONFIGS_DIR`` overrides the folder, as in MaxText itself.
"""

import importlib
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tpu_trainers import maxtext_exit_codes, train_outcome

# Entry module, its top-level package, its log module: newest layout first.
LAYOUTS = (
    ("maxtext.trainers.pre_train.train", "maxtext", "maxtext.utils.max_logging"),
    ("MaxText.train", "MaxText", "MaxText.max_logging"),
)
CONFIGS_DIR = "MAXTEXT_CONFIGS_DIR"


@dataclass(frozen=True)
class Package:
    """An installed MaxText: the name of its entry module, its base configuration, and the name of its log module."""

    entry: str
    base_config: Path
    log_module: str

    def program(self) -> ModuleType:
        """Imports the entry module (JAX with it: in a worker only), so that its ``main`` is ready to be called.

        Run as a program, MaxText is started by absl's ``app.run``, which parses absl's flags first. Whatever reads one before that fails, as
        the worker processes of grain's data loader do. MaxText's own arguments are no flags, so all of them keep their defaults.
        """
        entry = importlib.import_module(self.entry)
        flags = importlib.import_module("absl.flags").FLAGS
        if not flags.is_parsed():
            flags([self.entry])
        return entry

    def log(self) -> ModuleType:
        """Imports the log module."""
        return importlib.import_module(self.log_module)


def find() -> Package:
    """The MaxText of this Python.

    Raises Ended with MAXTEXT_NOT_FOUND, naming every place that was looked at.
    """
    looked: list[str] = []
    for entry, top, log_module in LAYOUTS:
        if not _exists(entry):
            looked.append(f"no module {entry}")
            continue
        folders = _config_folders(top)
        for folder in folders:
            if (folder / "base.yml").is_file():
                return Package(entry, folder / "base.yml", log_module)
        looked.append(f"module {entry} but no base.yml in " + ", ".join(str(folder) for folder in folders))
    raise train_outcome.Ended(
        maxtext_exit_codes.MAXTEXT_NOT_FOUND,
        f"no usable MaxText in this image: {'; '.join(looked)}; install maxtext 0.1.0 to 0.2.5 (Python 3.12 or newer), "
        f"or name the folder of base.yml in {CONFIGS_DIR}",
    )


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _config_folders(top: str) -> list[Path]:
    named = os.environ.get(CONFIGS_DIR)
    if named:
        return [Path(named)]
    spec = importlib.util.find_spec(top)
    places = list(spec.submodule_search_locations or []) if spec else []
    folders: list[Path] = []
    for place in places:
        # 0.1.0 installed from its repository keeps the files in src/MaxText, the package beside or in it.
        folders += [Path(place) / "configs", Path(place).parent / "configs", Path(place).parent / "src" / top / "configs"]
    return folders
