#!/usr/bin/env bash
# Runs every pytest folder below test/ray in the pinned Ray environment, one process a folder, and ends with "N passed, N failed".
# Arguments are folder names (submit …); without any, all, and with NIGHTLY=1 test/ray/nightly.sh as well. Leaves no process and no file
# behind, also on Ctrl-C.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() {
  echo "test/ray: $1"
  case ",${REQUIRE_TOOLCHAINS:-}," in
    *,python,* | *,ray,*)
      echo '0 passed, 1 failed'
      exit 1
      ;;
  esac
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
}

environment="$(test/ray/environment.sh)" || skip 'the Ray environment cannot be made here (see above)'
python="$environment/bin/python"
# Short, since Ray puts sockets below it whose paths may have 107 bytes.
work="$(mktemp -d /tmp/rayXXXX)"

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

folders=("$@")
nightly='0 passed, 0 failed'
if [ ${#folders[@]} -eq 0 ]; then
  if [ "${NIGHTLY:-}" = 1 ]; then
    test/ray/nightly.sh >"$work/nightly.log" 2>&1 &
    wait $! || true
    cat "$work/nightly.log"
    nightly="$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$work/nightly.log" | tail -n 1)" || nightly='0 passed, 1 failed'
  fi
  for path in test/ray/*/; do
    if ls "$path"test_*.py >/dev/null 2>&1; then folders+=("$(basename "$path")"); fi
  done
fi

for folder in "${folders[@]}"; do
  echo "test/ray/$folder"
  PYTHONPATH="$PWD/trainers:$PWD" PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -p no:cacheprovider -v --color=no --durations=8 \
    --basetemp="$work/$folder.tmp" --junitxml="$work/$folder.xml" "test/ray/$folder" &
  # In the background, so that a signal is heard at once.
  wait $! || true
done

# A suite that could not even start has no report and counts as a failure.
"$python" - "$work" "$nightly" "${folders[@]}" <<'PYTHON'
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

passed, failed = (int(part.split()[0]) for part in sys.argv[2].split(", "))
skipped = 0
for folder in sys.argv[3:]:
    report = Path(sys.argv[1]) / f"{folder}.xml"
    if not report.exists():
        failed += 1
        continue
    for suite in xml.parse(report).getroot().iter("testsuite"):
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
