import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# A run on a real Ray takes seconds on a quiet machine.
PATIENCE_SECONDS = 400.0
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent.parent
for folder in (HERE, HERE.parent, REPOSITORY / "trainers", REPOSITORY / "trainers" / "tests"):
    sys.path.insert(0, str(folder))

from posed_cluster import PosedCluster  # noqa: E402
from submitter_process import SubmitterProcess  # noqa: E402


@pytest.fixture(scope="session")
def cluster() -> Iterator[PosedCluster]:
    """A head and one complete slice of one host (v6e 2x2)."""
    posed = PosedCluster()
    try:
        posed.start_head()
        posed.add_host("ready", 0, pod_type="v6e-4", topology="2x2")
        yield posed
    finally:
        posed.close()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    shutil.copy(HERE / "program.py", folder)
    return folder


@pytest.fixture
def start(sources: Path) -> Iterator[Callable[..., SubmitterProcess]]:
    """Starts a submitter of a run of ``program.py`` with the given arguments; keyword arguments become options."""
    started: list[SubmitterProcess] = []

    def start(address: str, submission_id: str, *program: str, **options: object) -> SubmitterProcess:
        given: dict[str, object] = {
            "address": address,
            "run": submission_id,
            "submission_id": submission_id,
            "sources": sources,
            "slices": 1,
            "hosts_per_slice": 1,
            "pod_type": "v6e-4",
            "tpu_per_host": 4,
            "start_deadline": 400,
            "reconnect_deadline": 400,
            "poll_interval": 0.2,
            "stop_deadline": 60,
            **options,
        }
        arguments = [part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", str(value))]
        process = SubmitterProcess([*arguments, "--", sys.executable, "program.py", *program], real=True, patience=PATIENCE_SECONDS)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
