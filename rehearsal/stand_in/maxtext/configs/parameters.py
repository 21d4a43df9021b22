"""Reads MaxText's ``key=value`` arguments against the names, types and defaults of base.yml."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from maxtext.utils import max_logging


def read(argv: Sequence[str]) -> dict[str, Any]:
    """The parameters of ``[program, base.yml, key=value, …]``.

    Ends with 2, or ValueError where unittest is imported, and MaxText's way of saying so when one is unknown or has the wrong type.
    """
    defaults: dict[str, Any] = yaml.safe_load(Path(argv[1]).read_text())
    values = dict(defaults)
    problems = []
    for argument in argv[2:]:
        key, separator, text = argument.partition("=")
        if not separator or key not in defaults:
            problems.append(f"{key}: extra inputs are not permitted")
            continue
        value = yaml.safe_load(text) if text else text
        if not _fits(value, defaults[key]):
            problems.append(f"{key}: {text!r} is not of the type of its default {defaults[key]!r}")
        values[key] = value
    if not values["run_name"]:
        problems.append("run_name: must be given")
    if problems:
        text = "; ".join(problems)
        max_logging.error(f"MAXTEXT CONFIG ERROR: {text}")
        # As MaxText does where it takes itself to be under test, which a library that imports unittest is enough for.
        if "unittest" in sys.modules:
            raise ValueError(text)
        sys.exit(2)
    return values


def _fits(value: Any, default: Any) -> bool:
    if default is None or value is None or isinstance(default, str):
        return True
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    # MaxText takes a fraction where its default is whole in places (per_device_batch_size), and a word nowhere.
    return isinstance(value, (int, float))
