"""The log arrives byte for byte, once, in bounded memory, whatever happens to the connections."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

from conftest import SUBMISSION
from fake_dashboard import FakeDashboard, FakeJob, stall
from submitter_process import STAMP, TRAINERS
from test_submit_verdicts import SUCCESS

LINE = 1_000_000


class LongLog:
    """``lines`` lines of 1 MB, made when read, in order."""

    def __init__(self, lines: int) -> None:
        self._lines = lines
        self._made = (-1, b"")

    def __len__(self) -> int:
        return self._lines * LINE

    def __getitem__(self, part: slice) -> bytes:
        number, offset = divmod(part.start, LINE)
        if number >= self._lines:
            return b""
        if self._made[0] != number:
            self._made = (number, self.line(number))
        # A slice may be shorter than asked for, but it never crosses a line.
        return self._made[1][offset : offset + part.stop - part.start]

    @staticmethod
    def line(number: int) -> bytes:
        return b"%08d " % number + b"x" * (LINE - 10) + b"\n"


def test_a_log_of_200_mb_in_lines_of_1_mb_passes_in_bounded_memory(dashboard: FakeDashboard, sources: Path, tmp_path: Path) -> None:
    lines = 200
    log = LongLog(lines)
    dashboard.make_job = lambda name: FakeJob(name, ["PENDING", "RUNNING", "SUCCEEDED"], log=log, cuts=[50 * LINE + 17, 120 * LINE])
    dashboard.start()
    command = [sys.executable, "-m", "tpu_trainers.submit", "--address", dashboard.address, "--run", "llama3-8b"]
    command += ["--submission-id", SUBMISSION, "--sources", str(sources), "--slices", "1", "--hosts-per-slice", "2"]
    command += ["--pod-type", "v6e-16", "--tpu-per-host", "4", "--poll-interval", "0.05", "--", "true"]
    written = tmp_path / "output"
    with written.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": str(TRAINERS)})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert dashboard.jobs[SUBMISSION].cuts == [], "a connection was not cut"
    seen = hashlib.sha256()
    with written.open("rb") as file:
        for line in file:
            if not STAMP.match(line[:40].decode(errors="replace")):
                seen.update(line)
    expected = hashlib.sha256()
    for number in range(lines):
        expected.update(log.line(number))
    assert seen.hexdigest() == expected.hexdigest()
    # ru_maxrss is in KiB on Linux and in bytes on macOS.
    megabytes = usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)
    print(f"peak memory {megabytes:.0f} MiB")
    assert megabytes < 100


def test_a_log_cut_at_any_byte_arrives_once(dashboard: FakeDashboard, submit) -> None:
    chosen = random.Random(6)
    log = b"".join(b"step %d \xc3\xa9 \xff %b\n" % (step, b"=" * chosen.randrange(200)) for step in range(300)) + b"no end"
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"])
    dashboard.start()
    process = submit()
    process.wait_for_line("is RUNNING")
    dashboard.wait_until(lambda: dashboard.streams_opened == 1)
    position = 0
    cuts = 0
    while position < len(log):
        piece = log[position : position + chosen.randrange(1, 12_000)]
        dashboard.append_log(SUBMISSION, piece)
        position += len(piece)
        if chosen.random() < 0.5:
            cuts += 1
            opened = dashboard.streams_opened
            chosen.choice([dashboard.cut_streams, dashboard.end_streams])()
            dashboard.wait_until(lambda: dashboard.streams_opened > opened)
    assert cuts > 1
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.last_line == SUCCESS
    assert process.log == log + b"\n"


def test_a_stream_that_ends_while_the_run_goes_on_proves_nothing(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit()
    process.wait_for_line("step 1")
    dashboard.end_streams()
    dashboard.wait_until(lambda: dashboard.streams_opened == 2)
    assert process.running
    dashboard.append_log(SUBMISSION, b"step 2\n")
    process.wait_for_line("step 2")
    dashboard.set_status(SUBMISSION, "FAILED")
    assert process.finish() == 10
    assert process.log == b"step 1\nstep 2\n"


def test_what_was_written_after_the_verdict_was_read_still_arrives(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\n")
    dashboard.start()
    process = submit()
    process.wait_for_line("step 1")
    dashboard.before = lambda request: dashboard.append_log(SUBMISSION, b"the last words\n") if "/logs/file" in request else None
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.log == b"step 1\nthe last words\n"
    assert process.last_line == SUCCESS


def test_own_lines_do_not_break_log_lines(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"one\nhalf a ")
    dashboard.start()
    process = submit(poll_interval=0.02, heartbeat=0.001)
    process.wait_for_line("one")
    polls = dashboard.seen(f"GET /api/jobs/{SUBMISSION}$")
    dashboard.wait_until(lambda: dashboard.seen(f"GET /api/jobs/{SUBMISSION}$") > polls + 3)
    dashboard.append_log(SUBMISSION, b"line\n")
    process.wait_for_line("half a line")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.log == b"one\nhalf a line\n"


def test_a_log_that_was_replaced_is_said(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\nstep 2\n")
    dashboard.start()
    process = submit()
    process.wait_for_line("step 2")
    with dashboard.changed:
        dashboard.jobs[SUBMISSION].log = b"new\n"
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert "log: not read to its end: the log holds 4 bytes, but 14 were read before: it was replaced" in process.own_lines
    assert process.last_line == SUCCESS


def test_a_log_that_stalls_after_the_verdict_is_asked_for_again(dashboard: FakeDashboard, submit) -> None:
    dashboard.make_job = lambda name: FakeJob(name, ["RUNNING"], log=b"step 1\nstep 2\n")
    dashboard.fail("GET /api/v0/logs/stream", stall)
    dashboard.fail("GET /api/v0/logs/file", stall)
    dashboard.start()
    process = submit(request_timeout=0.5)
    process.wait_for_line("step 1")
    dashboard.set_status(SUBMISSION, "SUCCEEDED")
    assert process.finish() == 0
    assert process.log == b"step 1\nstep 2\n"
    assert process.last_line == SUCCESS
    assert dashboard.seen("GET /api/v0/logs/file") == 2
