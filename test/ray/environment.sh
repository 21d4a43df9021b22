#!/usr/bin/env bash
# Prints the path of a Python virtual environment with the pinned packages of a lock: environment.sh [LOCK NAME]. Without
# arguments that of this folder, with Ray, JAX and pytest.
# It is made on first use, outside the checkout, in a folder keyed by the pins; progress goes to standard error.
# Needs python3.11 or newer (PYTHON names another one) and, on first use, the package index.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
requirements="${1:-$here/requirements.txt}"
name="${2:-ray}"
uv_version=0.13.9

say() { printf 'test/ray/environment.sh: %s\n' "$*" >&2; }

# A shim of pyenv may be on PATH without a selected version behind it, so each candidate is run.
find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} python3.11 "$HOME"/.pyenv/versions/3.11.*/bin/python3.11 python3 python3.12 python3.13; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  say 'no Python between 3.11 and 3.13 found: install one, or name it with PYTHON=/path/to/python3'
  return 1
}

python="$(find_python)"
# The key holds everything that decides what is installed.
key="$({ cat "$requirements"; echo "uv $uv_version"; "$python" -c 'import sys, platform; print(sys.version, platform.machine(), sys.executable)'; } | "$python" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:12])')"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/cdk8s-tpu-ray"
environment="$cache/$name-$key"
ready="$environment/.ready"
lock="$environment.lock"

if [ -e "$ready" ]; then
  echo "$environment"
  exit 0
fi

mkdir -p "$cache"
# One maker at a time; a lock whose owner is gone is taken over.
said=''
locked=''
trap '[ -z "$locked" ] || rm -rf "$lock"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
until mkdir "$lock" 2>/dev/null; do
  owner="$(cat "$lock/pid" 2>/dev/null || true)"
  if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
    rm -rf "$lock"
    continue
  fi
  if [ -z "$said" ]; then
    say "waiting for process ${owner:-?}, which is making $environment"
    said=yes
  fi
  sleep 1
done
locked=yes
echo "$$" >"$lock/pid"

if [ ! -e "$ready" ]; then
  say "making $environment with $("$python" --version)"
  rm -rf "$environment"
  "$python" -m venv "$environment" >&2
  "$environment/bin/python" -m pip install --quiet "uv==$uv_version" >&2
  # Copies, since a hard link is refused across file systems; byte code now, since each of many short processes would make it.
  UV_LINK_MODE=copy "$environment/bin/uv" pip install --quiet --compile-bytecode --python "$environment/bin/python" \
    --requirement "$requirements" >&2
  touch "$ready"
  say 'done'
fi
echo "$environment"
