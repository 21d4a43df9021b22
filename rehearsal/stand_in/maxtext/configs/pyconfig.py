"""The configuration as MaxText's code has it: an object with one attribute a parameter."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

from maxtext.configs import parameters


def initialize(argv: Sequence[str]) -> SimpleNamespace:
    """The configuration of ``[program, base.yml, key=value, …]``, with the steps and the folder of the checkpoints worked out."""
    config = SimpleNamespace(**parameters.read(argv))
    if config.steps == -1:
        config.steps = config.learning_rate_schedule_steps
    config.checkpoint_dir = str(Path(config.base_output_directory, config.run_name, "checkpoints")) if config.base_output_directory else ""
    return config
