"""Rows of a dataset: read from JSON lines, made into text by a template. Without Torch; every problem names the row."""

import json
import string
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tpu_trainers import torchtpu_exit_codes
from tpu_trainers.train_outcome import Ended


def refuse(reason: str) -> Ended:
    return Ended(torchtpu_exit_codes.INPUT_REFUSED, reason)


def files(path: Path, dataset: str) -> list[Path]:
    """The JSON-lines files of a path, in the order of their names. ``dataset`` is how the user named it."""
    if path.is_dir():
        found = sorted(path.glob("*.jsonl"))
        if not found:
            raise refuse(f"dataset {dataset}: the folder has no *.jsonl file")
        return found
    if not path.is_file():
        raise refuse(f"dataset {dataset}: there is no such file or folder; is its bucket or claim mounted at that path?")
    return [path]


def read(paths: Iterable[Path], dataset: str, limit: int) -> list[dict[str, Any]]:
    """The first ``limit`` rows (0: all) of JSON-lines files; empty lines are left out."""
    rows: list[dict[str, Any]] = []
    for where, line in _lines(paths):
        if limit and len(rows) == limit:
            break
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise refuse(f"dataset {dataset}: {where} is not JSON ({error.msg} at column {error.colno})") from None
        if not isinstance(row, dict):
            raise refuse(f"dataset {dataset}: {where} is not an object with fields")
        rows.append(row)
    if not rows:
        raise refuse(f"dataset {dataset}: it has no rows")
    return rows


def _lines(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for path in paths:
        try:
            with path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        yield f"{path.name} line {number}", line
        except (OSError, UnicodeDecodeError) as error:
            raise refuse(f"dataset: {path} cannot be read: {error}") from None


def texts(rows: list[dict[str, Any]], template: str, dataset: str) -> list[str]:
    """The text of each row: the template with its fields."""
    try:
        fields = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise refuse(f"--template: {error}") from None
    if not fields or any(not name.isidentifier() for name in fields):
        raise refuse(f"--template {template!r}: needs fields of a row in braces, as in {{instruction}}")
    found = []
    for number, row in enumerate(rows, 1):
        for name in fields:
            if not isinstance(row.get(name), str):
                what = "has no field" if name not in row else f"has {type(row[name]).__name__}, not text, in field"
                raise refuse(f"dataset {dataset}: row {number} {what} {name!r} of --template; its fields are {', '.join(map(str, row))}")
        found.append(template.format(**{name: row[name] for name in fields}))
    return found
