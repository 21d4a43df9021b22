# What the pytest suites on a real Ray share; sourced by their run.sh at the repository's root.
#   begin NAME [LOCK]      sets python (of the environment made from the lock, rehearsal/requirements.txt by default) and work, a folder that goes at the end
#   run_pytest NAME ARG…   one pytest process, whose report is counted by the verdict
#   left_out NAME WHY      a part of the suite that cannot run here: the verdict counts it as skipped, or as failed as below
#   verdict [COUNTS]       prints "N passed, N failed" over all reports (and counts of another suite), and exits with 1 if any failed
# Needs -euo pipefail. Leaves no process and no file behind, also on Ctrl-C. REQUIRE_TOOLCHAINS with python or NAME makes a suite that cannot
# run fail instead of being skipped.
# shellcheck shell=bash

begin() {
  local name="$1" lock="${2:-rehearsal/requirements.txt}" environment
  environment="$(rehearsal/environment.sh "$PWD/$lock" "$name")" || skip "$name" 'the environment cannot be made here (see above)'
  python="$environment/bin/python"
  # Short, since Ray puts sockets below it whose paths may have 107 bytes.
  work="$(mktemp -d /tmp/rayXXXX)"
  reports=()
  missing=0
  omitted=0
  # Everything that runs for this suite carries its mark, pytest included.
  export CDK8S_TPU_RAY_SUITE="$work" CDK8S_TPU_RAY_FOLDER="$work"
  # Otherwise a local ray.init() puts a token into the home folder, which every head that is started later asks for.
  export RAY_AUTH_MODE=disabled
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

skip() {
  echo "test/$1: $2"
  case ",${REQUIRE_TOOLCHAINS:-}," in
    *,python,* | *,"$1",*)
      echo '0 passed, 1 failed'
      exit 1
      ;;
  esac
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
}

left_out() {
  echo "test/$1: $2"
  case ",${REQUIRE_TOOLCHAINS:-}," in
    *,python,* | *,"$1",*) missing=$((missing + 1)) ;;
    *) omitted=$((omitted + 1)) ;;
  esac
}

finish() {
  trap - EXIT INT TERM
  "$python" test/ray/posed_cluster.py reap "$work"
  rm -rf "$work"
}

run_pytest() {
  local name="$1" code=0
  shift
  PYTHONPATH="$PWD/trainers:$PWD" PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -p no:cacheprovider -v --color=no --durations=8 \
    --basetemp="$work/$name.tmp" --junitxml="$work/$name.xml" "$@" &
  # In the background, so that a signal is heard at once.
  wait $! || code=$?
  reports+=("$work/$name.xml")
  # Otherwise a process that was ended from outside would leave half a line and no word.
  if [ ! -e "$work/$name.xml" ]; then printf '\npytest of %s ended with exit code %s before it could report\n' "$name" "$code"; fi
}

verdict() {
  "$python" - "${1:-0 passed, 0 failed}" "$missing" "$omitted" "${reports[@]}" <<'PYTHON'
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

passed, failed = (int(part.split()[0]) for part in sys.argv[1].split(", "))
failed += int(sys.argv[2])
skipped = int(sys.argv[3])
for report in map(Path, sys.argv[4:]):
    # One that could not even start, or died, has no report and counts as a failure.
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
}
