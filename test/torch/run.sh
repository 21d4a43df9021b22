#!/usr/bin/env bash
# Tests of the TorchTPU trainers with a real Torch on CPUs, alone and on a real Ray; ends with "N passed, N failed". The package torch_tpu
# is stood in for (rehearsal/stand_in/torch_tpu), so this proves what is around it and not torch_tpu itself. The environment (6 GB, most of
# it libraries that the Torch of the package index cannot be installed without) is made on first use, outside the checkout.
# Arguments are pytest files of this folder; without any, all. Leaves no process and no file behind, also on Ctrl-C.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() {
  echo "test/torch: $1"
  case ",${REQUIRE_TOOLCHAINS:-}," in
    *,python,* | *,torch,*)
      echo '0 passed, 1 failed'
      exit 1
      ;;
  esac
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
}

[ "$(uname -s)" = Linux ] || skip "posed TPU hosts need Linux, and this is $(uname -s)"
environment="$(test/ray/environment.sh "$PWD/test/torch/requirements.txt" torch)" || skip 'the Torch environment cannot be made here (see above)'
python="$environment/bin/python"
# Short, since Ray puts sockets below it whose paths may have 107 bytes.
work="$(mktemp -d /tmp/trXXXX)"

# Everything that runs for this suite carries its mark, pytest included.
finish() {
  trap - EXIT INT TERM
  "$python" test/ray/posed_cluster.py reap "$work"
  rm -rf "$work"
}
export CDK8S_TPU_RAY_SUITE="$work" CDK8S_TPU_RAY_FOLDER="$work"
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

files=("$@")
if [ ${#files[@]} -eq 0 ]; then files=(test/torch/test_*.py); fi
# One thread a process: several ranks share this machine's cores, and OpenMP's threads would wait for each other in busy loops.
# The hub is never asked, so that a test cannot pass by what is cached there.
OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 TPU_TRAINERS_CACHE="$work/once" PYTHONPATH="$PWD/trainers:$PWD" PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -p no:cacheprovider -v --color=no -W ignore --basetemp="$work/tmp" --junitxml="$work/report.xml" "${files[@]}" &
# In the background, so that a signal is heard at once.
wait $! || true

# A suite that could not even start has no report and counts as a failure.
"$python" - "$work/report.xml" <<'PYTHON'
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

passed = failed = skipped = 0
if Path(sys.argv[1]).exists():
    for suite in xml.parse(sys.argv[1]).getroot().iter("testsuite"):
        bad = int(suite.get("failures")) + int(suite.get("errors"))
        omitted = int(suite.get("skipped"))
        failed += bad
        skipped += omitted
        passed += int(suite.get("tests")) - bad - omitted
if passed + failed == 0:
    failed = 1
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed else 0)
PYTHON
