import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[3])]

from posed_runs import ROOT, Slices  # noqa: E402

from rehearsal.sandbox import Sandbox  # noqa: E402


@pytest.fixture(scope="session")
def slices() -> Iterator[Slices]:
    """One cluster for all tests, since starting it takes longer than most runs; it trains the stand-in for MaxText."""
    with Sandbox() as sandbox:
        yield Slices(sandbox, ROOT / "rehearsal" / "stand_in")
