"""The axes of MaxText's mesh: do they multiply out to the devices and slices that are there?"""

import math
import re
from typing import Any


def check(parameters: dict[str, Any], devices_per_slice: int, slices: int) -> None:
    """Raises ValueError, as MaxText does once it has its devices, when the axes do not multiply out."""
    _fill("DCN", _axes(parameters, "dcn"), slices, "slices")
    _fill("ICI", _axes(parameters, "ici"), devices_per_slice, "devices of a slice")


def _axes(parameters: dict[str, Any], family: str) -> dict[str, int]:
    return {name: size for name, size in parameters.items() if re.fullmatch(rf"{family}_\w+_parallelism", name)}


def _fill(family: str, axes: dict[str, int], target: int, what: str) -> None:
    automatic = [name for name, size in axes.items() if size == -1]
    fixed = math.prod(size for size in axes.values() if size != -1)
    if len(automatic) > 1:
        raise ValueError(f"found unspecified values (-1) for more than one {family} axis: {', '.join(automatic)}; at most one can be unspecified")
    if automatic and target % fixed:
        raise ValueError(f"unspecified value of {automatic[0]} cannot be an integer: {target} {what} / {fixed}")
    if not automatic and fixed != target:
        raise ValueError(f"product of the {family} axes is {fixed}, must be {target}, the number of {what}")
