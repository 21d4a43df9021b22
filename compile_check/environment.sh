#!/usr/bin/env bash
# Prints the path of a Python 3.12 virtual environment with the pinned MaxText, JAX and libtpu of requirements.txt.
# It is made on first use (about 2.5 GB, outside the checkout, in a folder keyed by the pins); progress goes to standard
# error. Needs Python 3.12 (PYTHON names one) and, on first use, the package index. Exit code 4: something is missing.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
requirements="$here/requirements.txt"
uv_version=0.13.9

say() { printf 'compile_check/environment.sh: %s\n' "$*" >&2; }

# A shim of pyenv may be on PATH without a selected version behind it, so each candidate is run.
find_python() {
  local candidate managed=''
  if command -v uv >/dev/null 2>&1; then managed="$(uv python find --no-python-downloads 3.12 2>/dev/null || true)"; fi
  for candidate in ${PYTHON:+"$PYTHON"} python3.12 ${managed:+"$managed"} "$HOME"/.pyenv/versions/3.12.*/bin/python3.12 python3; do
    if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info[:2] != (3, 12))' >/dev/null 2>&1; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  say 'no Python 3.12 with venv found, which MaxText needs: install one, or name it with PYTHON=/path/to/python3.12'
  return 4
}

machine="$(uname -s) $(uname -m)"
if [ "$machine" != 'Linux x86_64' ]; then
  say "libtpu exists for Linux x86_64 only, and this is $machine: run the check there, for instance in CI"
  exit 4
fi
python="$(find_python)" || exit 4
# The key holds everything that decides what is installed.
key="$({ cat "$requirements"; echo "uv $uv_version"; "$python" -c 'import sys; print(sys.version, sys.executable)'; } | sha256sum | cut -c1-12)"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/cdk8s-tpu-ray"
environment="$cache/compile-$key"
ready="$environment/.ready"
lock="$environment.lock"

if [ -e "$ready" ]; then
  echo "$environment"
  exit 0
fi

mkdir -p "$cache"
# One maker at a time: the lock goes with the process that holds it, however it ends.
exec 9>"$lock"
if ! flock --nonblock 9; then
  say "waiting for another process that is making $environment"
  flock 9
fi
if [ ! -e "$ready" ]; then
  say "making $environment with $("$python" --version) (once, a minute or more)"
  rm -rf "$environment"
  trap '[ -e "$ready" ] || rm -rf "$environment"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  "$python" -m venv "$environment" >&2 || exit 4
  "$environment/bin/python" -m pip install --quiet "uv==$uv_version" >&2 || exit 4
  # Copies, since a hard link is refused across file systems. Byte code comes with use: most of it never is.
  UV_LINK_MODE=copy "$environment/bin/uv" pip install --quiet --python "$environment/bin/python" \
    --requirement "$requirements" >&2 || exit 4
  touch "$ready"
  say 'done'
fi
echo "$environment"
