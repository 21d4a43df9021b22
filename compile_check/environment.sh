#!/usr/bin/env bash
# Prints the path of a Python 3.12 virtual environment with the pinned MaxText, JAX and libtpu of requirements.txt (2.5 GB).
# Exit code 4: something is missing.
set -euo pipefail

machine="$(uname -s) $(uname -m)"
if [ "$machine" != 'Linux x86_64' ]; then
  printf '%s\n' "libtpu exists for Linux x86_64 only, and this is $machine: run the check there, for instance in CI" >&2
  exit 4
fi
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
exec "$here/../scripts/python-environment.sh" compile "$here/requirements.txt" 3.12
