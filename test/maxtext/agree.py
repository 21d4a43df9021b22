"""Asks MaxText's own configuration code about each case of cases.ts (JSON lines on standard input) and compares its verdict with synth's.

    python agree.py < cases.jsonl

One process, on CPUs: the configuration is made as on the pods, with the number of devices given by MaxText's own switch for compiling without
them (internal_compile). Nothing is built or trained, so what MaxText says only when it builds the model is not seen here.
The last line is ``N passed, N failed``.
"""

import json
import logging
import os
import sys

os.environ |= {"JAX_PLATFORMS": "cpu", "HF_HUB_OFFLINE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
logging.disable(logging.WARNING)

from maxtext.configs import pyconfig
from maxtext.utils import max_utils

BASE = os.path.join(os.path.dirname(pyconfig.__file__), "base.yml")
# MaxText takes the name of a model without a file and trains its default model; synth refuses it.
NO_FILE = "has the name and no file for it"


def refusal(case: dict) -> str | None:
    """Why MaxText refuses the arguments, None where it takes them."""
    added = ["log_config=false", "internal_compile=true", f"internal_compile_num_devices={case['devices']}", f"compile_topology_num_slices={case['slices']}"]
    own = {argument.split("=")[0] for argument in case["arguments"]}
    try:
        pyconfig._initialize_pydantic(["train", BASE, *case["arguments"], *(a for a in added if a.split("=")[0] not in own)])
    except Exception as error:
        return str(error)[:500].replace("\n", " ")
    return None


def main() -> int:
    # The configuration alone needs no other process.
    max_utils.maybe_initialize_jax_distributed_system = lambda *_: None
    counts = {"accepted by both": 0, "refused by both": 0, "stricter": 0}
    failed = 0
    for line in sys.stdin:
        case = json.loads(line)
        problems, reason = case["problems"], refusal(case)
        if any(NO_FILE in problem for problem in problems) and reason is None:
            counts["stricter"] += 1
        elif bool(problems) == (reason is not None):
            counts["refused by both" if problems else "accepted by both"] += 1
        else:
            failed += 1
            print(f"DIFFERS {case['name']}\n  synth:   {problems or 'accepted'}\n  MaxText: {reason or 'accepted'}", flush=True)
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    print(f"{sum(counts.values())} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
