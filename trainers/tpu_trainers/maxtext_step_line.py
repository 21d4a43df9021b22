"""MaxText's own line about a completed step, the only thing it says about its progress.

Known from 0.1.0 to 0.2.5:
``completed step: 7, seconds: 1.104, TFLOP/s/device: 179.700, Tokens/s/device: 3709.100, total_weights: 65536, loss: 9.123``.
Parts are left out by some settings (batch-size ramp-up hides the rates, a profiler's first and last step hide the seconds too).
Source: MetricLogger in MaxText's common/metric_logger.py.
"""

import re

from tpu_trainers.train_progress import Step

_STEP = re.compile(r"\bcompleted (?:profiler activation/deactivation )?step: (\d+)\b")
_NUMBER = r": ([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf))"
_SECONDS = re.compile(r"\bseconds" + _NUMBER)
_TFLOPS = re.compile(r"\bTFLOP/s/device" + _NUMBER)
_TOKENS = re.compile(r"\bTokens/s/device" + _NUMBER)
_LOSS = re.compile(r"(?<![\w])loss" + _NUMBER)


def parse(line: str) -> Step | None:
    """The step a line tells of, or None when it tells of none."""
    found = _STEP.search(line)
    if found is None:
        return None
    return Step(int(found[1]), _number(_SECONDS, line), _number(_TFLOPS, line), _number(_TOKENS, line), _number(_LOSS, line))


def _number(pattern: re.Pattern[str], line: str) -> float | None:
    found = pattern.search(line)
    return float(found[1]) if found else None
