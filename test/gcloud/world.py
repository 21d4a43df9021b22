"""One project directory, one fake cloud and one user's machine, for a test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from fakecloud import FakeCloud

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts" / "gcloud"
FIXTURES = Path(__file__).resolve().parent / "fixtures"

# Sessions of scripts that run now; the runner ends them when it is interrupted.
RUNNING: set[int] = set()
_RUNNING_LOCK = threading.Lock()

# A hang is a failure; no test comes near this even on a loaded machine.
LIMIT_SECONDS = 900


@dataclass
class Result:
    """What a script left behind."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def text(self) -> str:
        return self.out + self.err

    def commands(self) -> list[str]:
        """The commands it printed."""
        return [line[2:] for line in self.err.splitlines() if line.startswith("+ ")]

    def outcomes(self, status: str) -> list[str]:
        """Resources with that status in the summary."""
        lines = self.err[self.err.rfind("== summary") :].splitlines()
        return [line.split(" s  ", 1)[1] for line in lines if line.strip().startswith(status + " ")]


def end_group(group: int, number: int) -> None:
    """Signals a process group; one that is gone already is fine."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


def groups_of_session(session: int) -> set[int]:
    """Process groups of the living processes of a session; of the leader alone where there is no /proc."""
    if not os.path.isdir("/proc"):
        return set()
    groups = set()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="latin1") as file:
                # After the name in brackets: state, parent, group, session.
                state, _parent, group, owner = file.read().rsplit(")", 1)[1].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(owner) == session and state != "Z":
            groups.add(int(group))
    return groups


def end_session(session: int) -> None:
    """Ends by force all that a script started. The script first, or it would begin its next step; steps have process
    groups of their own."""
    end_group(session, signal.SIGKILL)
    for group in groups_of_session(session):
        end_group(group, signal.SIGKILL)


class World:
    """`with World(certificate, "quick-start") as world: world.run("up.sh")`."""

    def __init__(self, certificate: Path, fixture: str | Path):
        source = FIXTURES / fixture if isinstance(fixture, str) else fixture
        self.folder = Path(tempfile.mkdtemp(prefix="gcloud-test."))
        self.directory = self.folder / "project"
        self.directory.mkdir()
        self.take(source)
        self.cloud = FakeCloud(certificate, self.rows("project")[0]["id"])
        for name in ("home", "gcloud", "tmp", "bin"):
            (self.folder / name).mkdir()
        (self.folder / "token").write_text("test-access-token")
        self.kubeconfig = self.folder / "kubeconfig"
        self._certificate = certificate

    def __enter__(self) -> World:
        self.cloud.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.cloud.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def take(self, source: Path) -> None:
        """Makes the project the one that lies in `source`."""
        shutil.copyfile(source / "infrastructure.tsv", self.directory / "infrastructure.tsv")
        for row in self.rows("image"):
            # The images themselves are not under test: what is sent to Cloud Build is.
            image = self.directory / "images" / row["dockerfile"]
            image.mkdir(parents=True, exist_ok=True)
            (image / "Dockerfile").write_text("FROM scratch\n")

    def rows(self, kind: str) -> list[dict[str, str]]:
        """The lines of a kind in infrastructure.tsv."""
        table = (self.directory / "infrastructure.tsv").read_text().splitlines()
        cells = [line.split("\t") for line in table if line and not line.startswith("#")]
        return [dict(cell.split("=", 1) for cell in row[1:]) for row in cells if row[0] == kind]

    def edit(self, old: str, new: str) -> None:
        """Changes infrastructure.tsv; the old text must be there."""
        table = self.directory / "infrastructure.tsv"
        text = table.read_text()
        assert old in text, f"{old!r} is not in {table}"
        table.write_text(text.replace(old, new))

    def stub(self, name: str, script: str) -> None:
        """Puts a command before the real one on PATH."""
        path = self.folder / "bin" / name
        path.write_text("#!/usr/bin/env bash\n" + script)
        path.chmod(0o755)

    def environment(self) -> dict[str, str]:
        proxy = f"http://127.0.0.1:{self.cloud.proxy_port}"
        certificate = str(self._certificate)
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "PYENV_ROOT") if name in os.environ}
        return {
            **kept,
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder / "home"),
            # Shared by the tests of a run: gcloud's flags are asked for once.
            "XDG_CACHE_HOME": str(self._certificate.parent / "cache"),
            "TMPDIR": str(self.folder / "tmp"),
            "KUBECONFIG": str(self.kubeconfig),
            "HTTPS_PROXY": proxy,
            "https_proxy": proxy,
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
            "REQUESTS_CA_BUNDLE": certificate,
            "CURL_CA_BUNDLE": certificate,
            "CLOUDSDK_CONFIG": str(self.folder / "gcloud"),
            "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE": certificate,
            "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
            "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true",
            "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "true",
            "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(self.folder / "token"),
            # Waits are the scripts' own; tests shorten them.
            "POLL_SECONDS": "1",
            "BUSY_PAUSE_SECONDS": "1",
        }

    def start(self, script: str, *arguments: str, stdin: str = "", **changes: str) -> subprocess.Popen[str]:
        """Starts a script in a process group of its own; `finish` must follow."""
        given = subprocess.PIPE if stdin else subprocess.DEVNULL
        process = subprocess.Popen(
            [str(SCRIPTS / script), str(self.directory), *arguments],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self.environment(), **changes},
            start_new_session=True,
        )
        with _RUNNING_LOCK:
            RUNNING.add(process.pid)
        return process

    def finish(self, process: subprocess.Popen[str], stdin: str = "") -> Result:
        began = time.monotonic()
        try:
            out, err = process.communicate(stdin or None, timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            end_session(process.pid)
            out, err = process.communicate()
            err += f"\n(ended by the test after {LIMIT_SECONDS} s)"
        finally:
            with _RUNNING_LOCK:
                RUNNING.discard(process.pid)
        return Result(process.returncode, out, err, time.monotonic() - began)

    def run(self, script: str, *arguments: str, stdin: str = "", **changes: str) -> Result:
        return self.finish(self.start(script, *arguments, stdin=stdin, **changes), stdin)
