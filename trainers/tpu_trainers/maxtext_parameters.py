"""MaxText's own ``key=value`` parameters: what this trainer adds to them, and the few it has to refuse.

Everything else passes through untouched; MaxText checks it. Names and defaults: MaxText's configs/base.yml.
"""

import math
import re
from collections.abc import Sequence

_PARAMETER = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)=(.*)", re.DOTALL)
_DCN = re.compile(r"dcn_(?:[a-z]+(?:_[a-z]+)*)_parallelism")
# MaxText's default: one automatic axis between slices.
_AUTOMATIC_DCN_AXIS = "dcn_data_parallelism"
AUTOMATIC = -1
# Values that must come from a Secret through the pods' environment.
_CREDENTIALS = frozenset({"hf_access_token"})


def parse(parameters: Sequence[str], problems: list[str]) -> dict[str, str]:
    """The parameters by key; what is not ``key=value``, given twice, or a credential goes to ``problems``."""
    values: dict[str, str] = {}
    for parameter in parameters:
        found = _PARAMETER.fullmatch(parameter)
        if found is None:
            problems.append(f"MaxText parameter {parameter!r}: must be key=value")
            continue
        key, value = found[1], found[2]
        if key in values:
            problems.append(f"MaxText parameter {key}: given twice ({values[key]!r} and {value!r}); keep one")
        if key in _CREDENTIALS and value.lower() not in ("", "none", "null"):
            problems.append(f"MaxText parameter {key}: a credential on a command line can be read by everyone; give the pods HF_TOKEN from a Secret")
        values[key] = value
    return values


def check_elastic(values: dict[str, str], sizes: Sequence[int], problems: list[str]) -> None:
    """Refuses what cannot survive a change of the number of slices (``sizes``: every number the run may have).

    The mesh must multiply out at each size, which takes exactly one automatic axis between slices; and a change of size is a restart,
    which without checkpoints begins again at step 0.
    """
    axes: dict[str, int] = {_AUTOMATIC_DCN_AXIS: AUTOMATIC}
    for key, value in values.items():
        if _DCN.fullmatch(key):
            try:
                axes[key] = int(value)
            except ValueError:
                problems.append(f"MaxText parameter {key}={value}: must be a whole number, {AUTOMATIC} for automatic")
    automatic = sorted(axis for axis, size in axes.items() if size == AUTOMATIC)
    if len(automatic) != 1:
        problems.append(
            f"an elastic run needs exactly one automatic axis between slices, has {len(automatic)} ({', '.join(automatic) or 'none'}): "
            f"set one dcn_*_parallelism to {AUTOMATIC} and leave the others at 1 ({_AUTOMATIC_DCN_AXIS} is {AUTOMATIC} unless given)"
        )
    fixed = math.prod(size for size in axes.values() if size > 0)
    unfit = [size for size in sizes if size % fixed]
    if unfit:
        problems.append(f"the fixed axes between slices multiply to {fixed}, which does not divide {', '.join(map(str, unfit))} slices")
    if values.get("enable_checkpointing", "true").lower() == "false":
        problems.append("an elastic run with enable_checkpointing=false begins again at step 0 at every change of size; leave it on")
    if not values.get("base_output_directory"):
        problems.append("an elastic run needs base_output_directory, shared by all hosts: its checkpoints are what a changed group resumes from")


def complete(
    values: dict[str, str],
    *,
    run: str,
    platform: str,
    profile: tuple[int, int] | None = None,
    checkpoint_on_preemption: bool = False,
) -> list[str]:
    """MaxText's arguments: the user's, and what this trainer's options stand for.

    ``profile`` is (steps to skip, steps to capture). ``run_name`` is the run's name, so that every restart finds its checkpoints.
    """
    added = {"run_name": run}
    if platform == "cpu":
        added["hardware"] = "cpu"
    if profile is not None:
        added |= {"profiler": "xplane", "skip_first_n_steps_for_profiler": str(profile[0]), "profiler_steps": str(profile[1])}
    if checkpoint_on_preemption:
        added["enable_autocheckpoint"] = "true"
    # The user's own value wins: an option of this trainer and a parameter that contradicts it were refused before (conflicts).
    return [f"{key}={value}" for key, value in (added | values).items()]


def conflicts(values: dict[str, str], keys: Sequence[str], option: str, problems: list[str]) -> None:
    """Refuses parameters that one of this trainer's options already stands for."""
    for key in keys:
        if key in values:
            problems.append(f"MaxText parameter {key}={values[key]}: {option} stands for it; give one of the two")
