#!/usr/bin/env bash
# Tests of the Python parts that need neither Ray nor Torch, in a virtual environment of this script's own making.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! environment="$(scripts/python-environment.sh python test/python/requirements.txt 3.11 3.12 3.13)"; then
  case ",${REQUIRE_TOOLCHAINS:-}," in
    *,python,*) echo "0 passed, 1 failed"; exit 1 ;;
    *) echo "0 passed, 0 failed, 1 skipped"; exit 0 ;;
  esac
fi

folders=()
for folder in trainers/tests rehearsal/tests compile_check/tests; do
  [ -d "$folder" ] && folders+=("$folder")
done
report="$(mktemp)"
trap 'rm -f "$report"' EXIT
status=0
PYTHONPATH="trainers:." PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -m pytest -q -p no:cacheprovider "${folders[@]}" 2>&1 | tee "$report" || status=$?
"$environment/bin/python" - "$report" "$status" <<'PY'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
status = int(sys.argv[2])
count = lambda word: sum(int(n) for n in re.findall(rf"(\d+) {word}", text.strip().splitlines()[-1] if text.strip() else ""))
passed, failed, skipped = count("passed"), count("failed") + count("errors?"), count("skipped")
if status and not failed:
    failed = 1
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
PY
exit "$status"
