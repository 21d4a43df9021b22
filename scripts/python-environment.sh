#!/usr/bin/env bash
# Prints the path of a virtual environment with the pinned packages of a lock file:
#
#   scripts/python-environment.sh NAME LOCK MINOR…      for example: ray rehearsal/requirements.txt 3.11 3.12
#
# The environment is made on first use, outside the checkout, in a folder keyed by the lock and the Python; later calls only print it.
# The lock is complete: nothing is resolved. The first Python of these minor versions is used; PYTHON (for 3.12 alone also PYTHON312)
# names another one. Progress goes to standard error. Exit code 4: no such Python, or the packages cannot be had.
set -euo pipefail

name="$1" lock="$2"
shift 2
uv_version=0.13.9

say() { printf '%s environment: %s\n' "$name" "$*" >&2; }

# A shim of pyenv may be on PATH without a selected version behind it, so each candidate is run.
find_python() {
  local minor candidate
  local candidates=(${PYTHON:+"$PYTHON"})
  if [ "$*" = 3.12 ] && [ -n "${PYTHON312:-}" ]; then candidates=("$PYTHON312" ${candidates[@]+"${candidates[@]}"}); fi
  for minor in "$@"; do candidates+=("python$minor" "$HOME/.pyenv/versions/$minor".*/bin/"python$minor"); done
  candidates+=(python3)
  if command -v uv >/dev/null 2>&1; then
    for minor in "$@"; do candidates+=("$(uv python find --no-python-downloads "$minor" 2>/dev/null || true)"); done
  fi
  for candidate in "${candidates[@]}"; do
    "$candidate" -c 'import sys, venv, ensurepip; print(sys.executable); sys.exit("%d.%d" % sys.version_info[:2] not in sys.argv[1:])' "$@" 2>/dev/null && return
  done
  say "no Python ${*// /, } with venv found: install one, or name it with PYTHON=/path/to/python"
  return 4
}

python="$(find_python "$@" | tail -n 1)" || exit 4
key="$({ cat "$lock"; echo "uv $uv_version"; "$python" -c 'import sys, platform; print(sys.version, platform.machine(), sys.executable)'; } |
  "$python" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:12])')"
environment="${XDG_CACHE_HOME:-$HOME/.cache}/cdk8s-tpu-ray/$name-$key"
if [ -e "$environment/.ready" ]; then
  echo "$environment"
  exit 0
fi

# Made aside and renamed: an interrupted maker leaves nothing under the name, and of two at once the first wins.
making="$environment.$$"
trap 'rm -rf "$making"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
say "making $environment with $("$python" --version) (once; a minute or more)"
mkdir -p "$(dirname "$environment")"
"$python" -m venv "$making/tools" >&2 || exit 4
"$making/tools/bin/python" -m pip install --quiet --disable-pip-version-check "uv==$uv_version" >&2 || exit 4
# Relocatable, since it is renamed; copies, since a hard link is refused across file systems; byte code now, since each of many short
# processes would make it.
"$making/tools/bin/uv" venv --quiet --relocatable --python "$python" "$making/environment" >&2 || exit 4
UV_LINK_MODE=copy "$making/tools/bin/uv" pip install --quiet --no-deps --compile-bytecode --python "$making/environment/bin/python" \
  --requirement "$lock" >&2 || exit 4
touch "$making/environment/.ready"
[ -e "$environment/.ready" ] || mv "$making/environment" "$environment" 2>/dev/null || [ -e "$environment/.ready" ]
say 'done'
echo "$environment"
