"""Runs the test functions of test_*.py, several at a time, the longest first.

    runner.py [--jobs N] [--nightly] [WORD…]     only tests whose name holds one of the words

A test is a function test_NAME(lab), or comes from a function cases() that yields (name, function, cost). A function's
attribute `cost` says how long it takes in units of one up.sh; only the order depends on it. A module's NIGHTLY names
the tests that are left out without --nightly, since all of them together take longer than a pull request should wait.
"""

from __future__ import annotations

import argparse
import importlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import Callable

import world
from certificate import make_certificate
from lab import Lab

Test = Callable[[Lab], None]


def collect(words: list[str], nightly: bool) -> list[tuple[float, str, Test]]:
    tests: list[tuple[float, str, Test]] = []
    nightly_only: set[str] = set()
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        for name, value in sorted(vars(module).items()):
            if name.startswith("test_") and callable(value) and value.__module__ == module.__name__:
                tests.append((getattr(value, "cost", 0.3), f"{path.stem}.{name}", value))
        nightly_only |= {f"{path.stem}.{name}" for name in getattr(module, "NIGHTLY", ())}
        if hasattr(module, "cases"):
            tests.extend((cost, f"{path.stem}.{name}", value) for name, value, cost in module.cases())
    unknown = nightly_only - {name for _cost, name, _test in tests}
    assert not unknown, f"NIGHTLY names no test: {unknown}"
    chosen = [test for test in tests if not words or any(word in test[1] for word in words)]
    if not nightly:
        for name in sorted(nightly_only & {name for _cost, name, _test in chosen}):
            print(f"left to test/gcloud/run.sh --nightly: {name}")
        chosen = [test for test in chosen if test[1] not in nightly_only]
    return sorted(chosen, key=lambda test: (-test[0], test[1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=max(1, min(4, os.cpu_count() or 1)))
    parser.add_argument("--folder", type=Path, help="an existing folder for all files of the run")
    parser.add_argument("--nightly", action="store_true", help="also the tests that take minutes each")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    tests = collect(options.words, options.nightly)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="gcloud-test-run."))
    # Every world of this run lies below, so that nothing stays whatever happens.
    tempfile.tempdir = str(folder)

    def stop(number: int, frame: FrameType | None) -> None:
        for session in list(world.RUNNING):
            world.end_session(session)
        shutil.rmtree(folder, ignore_errors=True)
        print("interrupted", flush=True)
        os._exit(128 + number)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)

    waiting: queue.Queue[tuple[str, Test]] = queue.Queue()
    for _cost, name, test in tests:
        waiting.put((name, test))
    lab = Lab(make_certificate(folder))
    failed: list[str] = []
    printing = threading.Lock()
    began = time.monotonic()

    def work() -> None:
        while True:
            try:
                name, test = waiting.get_nowait()
            except queue.Empty:
                return
            start = time.monotonic()
            try:
                test(lab)
                verdict = "ok    "
                detail = ""
            except Exception:
                verdict = "FAILED"
                detail = traceback.format_exc()
            with printing:
                print(f"{verdict} {time.monotonic() - start:6.1f} s  {name}", flush=True)
                if detail:
                    failed.append(name)
                    print("    " + detail.replace("\n", "\n    "), flush=True)

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        # With a limit, so that the main thread wakes up for signals.
        while thread.is_alive():
            thread.join(0.2)
    shutil.rmtree(folder, ignore_errors=True)
    for line in sorted(lab.figures):
        print(line)
    print(f"{len(tests)} tests in {time.monotonic() - began:.0f} s, {options.jobs} at a time", flush=True)
    for name in failed:
        print(f"failed: {name}")
    print(f"{len(tests) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    subprocess.run(["openssl", "version"], check=True, capture_output=True)
    sys.exit(main())
