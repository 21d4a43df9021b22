from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_dashboard import FakeDashboard
from fake_kubernetes import FakeKubernetes
from submitter_process import SubmitterProcess

RUN = "llama3-8b"
SUBMISSION = "llama3-8b-1a2b3c4d"


@pytest.fixture
def dashboard() -> Iterator[FakeDashboard]:
    """A fake head that does not listen yet."""
    fake = FakeDashboard()
    yield fake
    fake.stop()


@pytest.fixture
def kubernetes(tmp_path: Path) -> Iterator[FakeKubernetes]:
    """A fake Kubernetes API that knows the run's RayCluster."""
    fake = FakeKubernetes(tmp_path / "serviceaccount")
    yield fake
    fake.close()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    package = tmp_path / "sources" / "tpu_trainers"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "maxtext.py").write_text("print('hello')\n")
    return package.parent


@pytest.fixture
def submit(dashboard: FakeDashboard, sources: Path) -> Iterator[Callable[..., SubmitterProcess]]:
    """Starts a submitter for one slice of two hosts; keyword arguments become options."""
    started: list[SubmitterProcess] = []

    def start(
        *switches: str, environment: dict[str, str] | None = None, entrypoint: tuple[str, ...] = ("true",), real: bool = False, **options: object
    ) -> SubmitterProcess:
        given: dict[str, object] = {
            "address": dashboard.address,
            "run": RUN,
            "submission_id": SUBMISSION,
            "sources": sources,
            "slices": 1,
            "hosts_per_slice": 2,
            "pod_type": "v6e-16",
            "tpu_per_host": 4,
            "start_deadline": 20,
            "reconnect_deadline": 20,
            "drain_deadline": 20,
            "request_timeout": 5,
            "poll_interval": 0.02,
            "refusal_deadline": 0.2,
            **options,
        }
        arguments = [part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", str(value))]
        process = SubmitterProcess([*arguments, *switches, "--", *entrypoint], environment, real)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
