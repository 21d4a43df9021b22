"""The frame of a driver, with a Ray that only says it is there."""

import sys
from types import SimpleNamespace

import pytest

from tpu_trainers import train_driver, train_outcome


@pytest.fixture
def calls(monkeypatch) -> list[str]:
    made: list[str] = []
    ray = SimpleNamespace(init=lambda **_: made.append("init"), shutdown=lambda: made.append("shutdown"))
    monkeypatch.setitem(sys.modules, "ray", ray)
    return made


def test_an_outcome_is_the_last_line_and_the_exit_code(calls, capsys):
    assert train_driver.drive("kind", "one", lambda: (train_outcome.WRONG_HARDWARE, "no devices", None)) == 44
    assert calls == ["init", "shutdown"]
    assert capsys.readouterr().out.splitlines()[-1] == "kind run one failed (wrong-hardware, exit code 44): no devices"


def test_an_error_nobody_expected_has_an_outcome_too(calls, capsys):
    def work():
        raise RuntimeError("the actor died\nbecause of this")

    assert train_driver.drive("kind", "one", work) == 48
    assert calls == ["init", "shutdown"]
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == (
        "kind run one failed (ray-failed, exit code 48): the driver met what it was not made for: RuntimeError: the actor died"
    )
    assert "Traceback" in said.err and "because of this" in said.err
