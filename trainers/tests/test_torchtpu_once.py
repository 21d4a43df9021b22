import multiprocessing
from pathlib import Path

import pytest

from tpu_trainers.torchtpu_once import once_per_host


def fetch(root: Path, log: Path) -> None:
    def make(folder: Path) -> None:
        with log.open("a") as file:
            file.write("made\n")
        (folder / "weights").write_text("w")

    assert (once_per_host("model a", make, root) / "weights").read_text() == "w"


def test_of_many_processes_one_makes_it(tmp_path):
    processes = [multiprocessing.Process(target=fetch, args=(tmp_path / "cache", tmp_path / "log")) for _ in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 6
    assert (tmp_path / "log").read_text() == "made\n"


def test_one_that_fails_leaves_nothing_and_the_next_tries_again(tmp_path):
    def fail(folder: Path) -> None:
        (folder / "half").write_text("h")
        raise OSError("connection reset")

    with pytest.raises(OSError, match="connection reset"):
        once_per_host("model a", fail, tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []
    fetch(tmp_path, tmp_path / "log")


def test_another_content_has_another_folder(tmp_path):
    assert once_per_host("a", lambda folder: None, tmp_path) != once_per_host("b", lambda folder: None, tmp_path)
