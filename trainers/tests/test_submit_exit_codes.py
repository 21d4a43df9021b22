import re
from pathlib import Path

from tpu_trainers import submit_exit_codes

PACKAGE = Path(submit_exit_codes.__file__).parent
DOCUMENT = PACKAGE.parent.parent / "docs" / "submitter.md"


def test_the_json_file_is_the_table() -> None:
    assert (PACKAGE / "exit-codes.json").read_text() == submit_exit_codes.as_json()


def test_codes_and_names_are_distinct() -> None:
    outcomes = submit_exit_codes.OUTCOMES
    assert len({outcome.code for outcome in outcomes}) == len({outcome.name for outcome in outcomes}) == len(outcomes)


def test_codes_avoid_those_of_shells_and_container_runtimes() -> None:
    for outcome in submit_exit_codes.OUTCOMES:
        assert outcome.code == 0 or 2 < outcome.code < 125, outcome


def test_every_code_is_documented_with_its_name_and_whether_it_is_retried() -> None:
    rows = re.findall(r"^\| (\d+) \| `([a-z-]+)` \| (yes|no) \|", DOCUMENT.read_text(), re.MULTILINE)
    assert rows == [
        (str(outcome.code), outcome.name, "yes" if outcome.retry else "no") for outcome in submit_exit_codes.OUTCOMES
    ]


def test_every_option_is_documented() -> None:
    from tpu_trainers import submit_arguments

    text = DOCUMENT.read_text()
    options = [option for action in submit_arguments.parser()._actions for option in action.option_strings if option.startswith("--")]
    assert [option for option in options if f"`{option}" not in text] == ["--help"]
