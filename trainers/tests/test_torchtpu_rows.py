import json

import pytest

from tpu_trainers import torchtpu_exit_codes, torchtpu_rows, torchtpu_source
from tpu_trainers.torchtpu_finetune_arguments import TEMPLATE
from tpu_trainers.train_outcome import Ended

ROWS = [{"instruction": "add", "response": "1 + 1"}, {"instruction": "say", "response": "hé"}]


def refusal(call):
    with pytest.raises(Ended) as ended:
        call()
    assert ended.value.outcome is torchtpu_exit_codes.INPUT_REFUSED
    assert "\n" not in ended.value.reason
    return ended.value.reason


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n\n")
    return path


def test_a_file_and_a_folder(file):
    assert torchtpu_source.dataset_rows(str(file), "train", 0) == ROWS
    (file.parent / "a.jsonl").write_text('{"instruction": "x", "response": "y"}\n')
    assert [row["instruction"] for row in torchtpu_source.dataset_rows(str(file.parent), "train", 0)] == ["x", "add", "say"]


def test_the_first_rows_only(file):
    assert torchtpu_source.dataset_rows(str(file), "train", 1) == ROWS[:1]


def test_what_cannot_be_read_is_named(tmp_path, file):
    assert refusal(lambda: torchtpu_source.dataset_rows("/nowhere/rows.jsonl", "train", 0)).startswith("dataset /nowhere/rows.jsonl: there is no such file")
    (tmp_path / "empty").mkdir()
    assert "has no *.jsonl file" in refusal(lambda: torchtpu_rows.files(tmp_path / "empty", "d"))
    file.write_text('{"instruction": "a", "response": "b"}\n{"instruction": \n')
    assert "rows.jsonl line 2 is not JSON (" in refusal(lambda: torchtpu_source.dataset_rows(str(file), "train", 0))
    file.write_text("[1]\n")
    assert "rows.jsonl line 1 is not an object with fields" in refusal(lambda: torchtpu_source.dataset_rows(str(file), "train", 0))
    file.write_text("\n")
    assert refusal(lambda: torchtpu_source.dataset_rows(str(file), "train", 0)).endswith("it has no rows")


def test_texts():
    assert torchtpu_rows.texts(ROWS, TEMPLATE, "d") == ["Instruction: add\nResponse: 1 + 1", "Instruction: say\nResponse: hé"]


def test_braces_in_a_row_are_text():
    assert torchtpu_rows.texts([{"text": "{x}"}], "{text}", "d") == ["{x}"]


def test_rows_that_do_not_fit_the_template():
    assert refusal(lambda: torchtpu_rows.texts([*ROWS, {"text": "t"}], TEMPLATE, "d")) == (
        "dataset d: row 3 has no field 'instruction' of --template; its fields are text"
    )
    assert refusal(lambda: torchtpu_rows.texts([{"text": ["a"]}], "{text}", "d")) == (
        "dataset d: row 1 has list, not text, in field 'text' of --template; its fields are text"
    )
    assert "needs fields of a row in braces" in refusal(lambda: torchtpu_rows.texts(ROWS, "no fields", "d"))
    assert "needs fields of a row in braces" in refusal(lambda: torchtpu_rows.texts(ROWS, "{instruction.x}", "d"))
    assert refusal(lambda: torchtpu_rows.texts(ROWS, "{instruction", "d")).startswith("--template: ")


def test_a_model_folder_that_is_none(tmp_path):
    assert refusal(lambda: torchtpu_source.model_folder(str(tmp_path))).startswith(f"model {tmp_path}: the folder has no config.json")
