"""MaxText's layouts as folders with fake modules."""

import sys

import pytest

from tpu_trainers import maxtext_exit_codes, maxtext_package
from tpu_trainers.train_outcome import Ended


# As absl's: nothing is parsed until somebody calls FLAGS with a command line.
ABSL_FLAGS = """
class Values:
    parsed = None
    def is_parsed(self):
        return self.parsed is not None
    def __call__(self, words):
        self.parsed = words
FLAGS = Values()
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv(maxtext_package.CONFIGS_DIR, raising=False)

    def forget():
        for name in [name for name in sys.modules if name.split(".")[0] in ("maxtext", "MaxText", "absl")]:
            del sys.modules[name]

    forget()
    module(tmp_path, "absl.flags", ABSL_FLAGS)
    yield tmp_path
    forget()


def module(site, name, text=""):
    path = site.joinpath(*name.split("."))
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in path.relative_to(site).parents:
        if str(folder) != ".":
            (site / folder / "__init__.py").touch()
    path.with_suffix(".py").write_text(text)


def config(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "base.yml").write_text("steps: 1\n")
    return folder / "base.yml"


MAIN = "def main(argv):\n    return list(argv)\n"


def test_0_2_5(site):
    module(site, "maxtext.trainers.pre_train.train", MAIN)
    module(site, "maxtext.utils.max_logging", "def log(text): pass\n")
    base = config(site / "maxtext" / "configs")
    found = maxtext_package.find()
    assert (found.entry, found.base_config) == ("maxtext.trainers.pre_train.train", base)
    assert found.program().main(["a", "b"]) == ["a", "b"]
    assert found.log().log("x") is None


def test_A0_main_finds_absls_flags_parsed(site):
    module(site, "maxtext.trainers.pre_train.train", "from absl import flags\ndef main(argv):\n    return flags.FLAGS.is_parsed()\n")
    config(site / "maxtext" / "configs")
    found = maxtext_package.find()
    assert found.program().main([found.entry]) is True
    from absl import flags

    assert flags.FLAGS.parsed == [found.entry]


def test_A0_flags_that_are_parsed_already_are_left_alone(site):
    module(site, "maxtext.trainers.pre_train.train", MAIN)
    config(site / "maxtext" / "configs")
    from absl import flags

    flags.FLAGS(["another", "--flag"])
    maxtext_package.find().program()
    assert flags.FLAGS.parsed == ["another", "--flag"]


def test_0_2_0_with_the_old_module_as_a_shim_takes_the_new_one(site):
    module(site, "maxtext.trainers.pre_train.train", MAIN)
    module(site, "MaxText.train", MAIN)
    base = config(site / "maxtext" / "configs")
    config(site / "MaxText" / "configs")
    found = maxtext_package.find()
    assert (found.entry, found.base_config) == ("maxtext.trainers.pre_train.train", base)


def test_0_1_0(site):
    module(site, "MaxText.train", MAIN)
    base = config(site / "MaxText" / "configs")
    found = maxtext_package.find()
    assert (found.entry, found.base_config, found.log_module) == ("MaxText.train", base, "MaxText.max_logging")


def test_0_1_0_in_a_checkout_with_the_configs_in_src(site):
    module(site, "MaxText.train", MAIN)
    base = config(site / "src" / "MaxText" / "configs")
    assert maxtext_package.find().base_config == base


def test_named_configs_folder(site, monkeypatch):
    module(site, "maxtext.trainers.pre_train.train", MAIN)
    base = config(site / "elsewhere")
    monkeypatch.setenv(maxtext_package.CONFIGS_DIR, str(site / "elsewhere"))
    assert maxtext_package.find().base_config == base


def test_no_maxtext(site):
    with pytest.raises(Ended) as ended:
        maxtext_package.find()
    assert ended.value.outcome is maxtext_exit_codes.MAXTEXT_NOT_FOUND
    assert "no module maxtext.trainers.pre_train.train; no module MaxText.train" in str(ended.value)


def test_maxtext_without_base_config(site):
    module(site, "maxtext.trainers.pre_train.train", MAIN)
    with pytest.raises(Ended, match=r"module maxtext\.trainers\.pre_train\.train but no base\.yml in .*maxtext/configs"):
        maxtext_package.find()
