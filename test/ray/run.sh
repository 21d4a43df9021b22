#!/usr/bin/env bash
# Runs every pytest folder below test/ray in the pinned Ray environment, one process a folder, and ends with "N passed, N failed".
# Arguments are folder names (submit …); without any, all, and with NIGHTLY=1 test/ray/nightly.sh as well. The folder trainer has a part with
# the real MaxText in an environment of its own, which needs Python 3.12.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=suite.sh
. test/ray/suite.sh
begin ray

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
  run_pytest "$folder" "test/ray/$folder"
  if [ "$folder" = trainer ] && [ "${NIGHTLY:-}" != 1 ]; then
    echo 'test/ray/trainer: the real MaxText on real data (kind hf; nightly.sh has the other kinds)'
    if maxtext="$(test/ray/trainer/maxtext-environment.sh)"; then
      python="$maxtext/bin/python" run_pytest real-data test/ray/trainer/real_data.py -k hf
    else
      left_out maxtext 'the environment of the real MaxText cannot be made here (see above)'
    fi
  fi
done
verdict "$nightly"
