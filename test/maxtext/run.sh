#!/usr/bin/env bash
# MaxText's own configuration code and synth agree on what is refused: every model MaxText knows with the defaults of a run, and generated
# runs. On a pull request a sample (every sixth model and 40 runs), with NIGHTLY=1 all models and 300 runs.
# Needs Python 3.12 and, on first use, the package index (about 2.5 GB). The last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! environment="$(bash test/ray/trainer/maxtext-environment.sh)"; then
  echo 'the environment of MaxText cannot be made here: see above'
  case ",${REQUIRE_TOOLCHAINS:-}," in
    *,python,* | *,maxtext,*) echo '0 passed, 1 failed'; exit 1 ;;
    *) echo '0 passed, 0 failed, 1 skipped'; exit 0 ;;
  esac
fi
cases="$(mktemp)"
trap 'rm -f "$cases"' EXIT
if [ "${NIGHTLY:-0}" = 1 ]; then sample=(300 "${SEED:-1}" 1); else sample=(40 "${SEED:-1}" 6); fi
echo "cases: ${sample[0]} generated runs of seed ${sample[1]}, every ${sample[2]}. model"
node --import tsx test/maxtext/cases.ts "${sample[@]}" >"$cases"
"$environment/bin/python" test/maxtext/agree.py <"$cases"
