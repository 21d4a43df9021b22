"""A12: a run of any size that synth accepts starts."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_A12_four_thousand_workers_wait_on_the_board_for_one_another():
    script = Path(__file__).parent / "board_scale.py"
    # A Ray of its own: not the cluster of the other tests.
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    ended = subprocess.run([sys.executable, script, "--workers", "4000"], capture_output=True, text=True, env=environment, timeout=600)
    assert ended.returncode == 0, ended.stderr[-4000:]
    figures = json.loads(ended.stdout.splitlines()[-1])
    assert figures["workers"] == 4000 and figures["megabytes"] > 0
