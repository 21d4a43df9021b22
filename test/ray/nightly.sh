#!/usr/bin/env bash
# The runs that do not fit into test/ray/run.sh: the real MaxText on CPUs, and rehearsals of the projects named (default: the quick start) with
# and without a lost slice. Ends with "N passed, N failed". Needs Python 3.12 and about 2.5 GB for its environment.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
passed=0
failed=0

count() { # NAME COMMAND…
  local name="$1"
  shift
  echo "test/ray/nightly: $name"
  if "$@"; then
    passed=$((passed + 1))
  else
    echo "test/ray/nightly: $name failed"
    failed=$((failed + 1))
  fi
}

# One process a file, since each has a cluster of its own.
real_maxtext() { # FILE
  local environment
  environment="$(test/ray/trainer/maxtext-environment.sh)" || return 1
  PYTHONPATH="$PWD/trainers:$PWD" PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -m pytest -p no:cacheprovider -v --color=no \
    "test/ray/trainer/$1"
}

count 'the real MaxText' real_maxtext real_maxtext.py
count 'the real MaxText on real data' real_maxtext real_data.py
projects=("$@")
if [ ${#projects[@]} -eq 0 ]; then projects=(.); fi
for project in "${projects[@]}"; do
  count "rehearsal of $project" rehearsal/rehearse.sh "$project"
  count "rehearsal of $project, losing a slice" rehearsal/rehearse.sh "$project" --lose-slice 0 --at-step 20
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
