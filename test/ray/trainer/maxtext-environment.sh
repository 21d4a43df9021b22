#!/usr/bin/env bash
# Prints the path of a Python 3.12 virtual environment with the pinned MaxText, JAX and Ray of maxtext-requirements.txt (2.5 GB).
# Made on first use, outside the checkout, in a folder keyed by the pins; progress goes to standard error.
# Needs python3.12 (PYTHON312 names another one) and, on first use, the package index.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
uv_version=0.13.9

say() { printf 'maxtext-environment.sh: %s\n' "$*" >&2; }

# A shim of pyenv may be on PATH without a selected version behind it, so each candidate is run.
find_python() {
  local candidate
  for candidate in ${PYTHON312:+"$PYTHON312"} python3.12 "$HOME"/.pyenv/versions/3.12.*/bin/python3.12 "$(command -v uv >/dev/null 2>&1 && uv python find 3.12 2>/dev/null || true)"; do
    if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' >/dev/null 2>&1; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  say 'no Python 3.12 found, which MaxText needs: install one, or name it with PYTHON312=/path/to/python3.12'
  return 1
}

python="$(find_python)"
key="$({ cat "$here/maxtext-requirements.txt"; echo "uv $uv_version"; "$python" -c 'import sys, platform; print(sys.version, platform.machine(), sys.executable)'; } | "$python" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:12])')"
environment="${XDG_CACHE_HOME:-$HOME/.cache}/cdk8s-tpu-ray/maxtext-$key"
if [ -e "$environment/.ready" ]; then
  echo "$environment"
  exit 0
fi

# Made aside and renamed, so that an interrupted or a second maker leaves no half environment under the name.
making="$environment.$$"
trap 'rm -rf "$making"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
say "making $environment with $("$python" --version)"
mkdir -p "$(dirname "$environment")"
"$python" -m venv "$making/tools" >&2
"$making/tools/bin/python" -m pip install --quiet "uv==$uv_version" >&2
# Relocatable, since it is renamed; copies, since a hard link is refused across file systems. The lock is complete: nothing is resolved.
"$making/tools/bin/uv" venv --quiet --relocatable --python "$python" "$making/environment" >&2
UV_LINK_MODE=copy "$making/tools/bin/uv" pip install --quiet --no-deps --compile-bytecode --python "$making/environment/bin/python" \
  --requirement "$here/maxtext-requirements.txt" >&2
touch "$making/environment/.ready"
mv -T "$making/environment" "$environment" 2>/dev/null || [ -e "$environment/.ready" ]
say 'done'
echo "$environment"
