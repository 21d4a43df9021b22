from pathlib import Path

import pytest

from tpu_trainers import submit_arguments


def minimal(sources: Path) -> list[str]:
    given = {
        "address": "http://head:8265",
        "run": "llama3-8b",
        "submission-id": "llama3-8b-1a2b3c4d",
        "sources": str(sources),
        "slices": "2",
        "hosts-per-slice": "4",
        "pod-type": "v6e-16",
        "tpu-per-host": "4",
    }
    return [part for name, value in given.items() for part in (f"--{name}", value)]


def test_defaults(tmp_path: Path) -> None:
    arguments = submit_arguments.parse([*minimal(tmp_path), "--", "python3", "-m", "tpu_trainers.maxtext", "a b"])
    assert arguments.entrypoint == "python3 -m tpu_trainers.maxtext 'a b'"
    assert (arguments.slices, arguments.hosts_per_slice, arguments.tpu_per_host) == (2, 4, 4.0)
    assert (arguments.on_active_run, arguments.on_finish, arguments.on_sigterm) == ("fail", "keep", "detach")
    assert arguments.start_deadline == 1800
    assert arguments.run_deadline is None


def test_everything_after_the_first_separator_is_the_command(tmp_path: Path) -> None:
    arguments = submit_arguments.parse([*minimal(tmp_path), "--", "run", "--slices", "--", "x"])
    assert arguments.entrypoint == "run --slices -- x"


def test_fails_with_all_problems_at_once(tmp_path: Path) -> None:
    given = [*minimal(tmp_path / "nowhere"), "--start-deadline", "soon", "--run-deadline", "-1", "--on-finish", "delete-cluster"]
    given += ["--on-active-run", "kill", "--address", "head:8265", "--slices", "1.5", "--run", "Llama_3", "--extra"]
    with pytest.raises(submit_arguments.ArgumentsRefused) as refused:
        submit_arguments.parse(given)
    assert refused.value.problems == (
        "unknown argument '--extra': see --help",
        "--address: got 'head:8265', expected http://host:port or https://host:port",
        f"--sources: '{tmp_path / 'nowhere'}' is no folder: mount the trainer's sources there",
        "the run's command is missing: give it after --",
        "--cluster: missing",
        "--namespace: missing",
        "--run: got 'Llama_3', expected at most 63 lower-case letters, digits and inner hyphens",
        "--slices: got '1.5', expected a whole number above 0",
        "--start-deadline: got 'soon', expected a number above 0",
        "--run-deadline: got '-1', expected a number above 0",
        "--on-active-run: got 'kill', expected one of fail, wait, replace",
    )


def test_problems_end_with_refused(submit) -> None:
    process = submit(slices=0, on_sigterm="ignore")
    assert process.finish() == 23
    assert process.own_lines == [
        "arguments: --slices: got '0', expected a whole number above 0",
        "arguments: --on-sigterm: got 'ignore', expected one of detach, stop",
        "verdict=refused run=- submission=- duration=0s exit=23 reason=2 problems in the arguments",
    ]


def test_an_option_without_a_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(submit_arguments.ArgumentsRefused) as refused:
        submit_arguments.parse([*minimal(tmp_path), "--run-deadline", "--", "x"])
    assert refused.value.problems == ("argument --run-deadline: expected one argument",)
