#!/usr/bin/env bash
# Writes lib/training/maxtext/options.json from the pinned MaxText (test/ray/trainer/maxtext-requirements.txt). Run it after the pin has
# changed; the difference shows what MaxText changed.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
environment="$(bash "$root/test/ray/trainer/maxtext-environment.sh")"
made="$(mktemp)"
trap 'rm -f "$made"' EXIT
"$environment/bin/python" "$root/scripts/maxtext/write_options.py" | tail -n 1 >"$made"
cat "$made" >"$root/lib/training/maxtext/options.json"
"$root/node_modules/.bin/prettier" --write "$root/lib/training/maxtext/options.json"
