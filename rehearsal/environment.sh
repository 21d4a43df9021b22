#!/usr/bin/env bash
# Prints the path of a Python virtual environment with the pinned packages of a lock: environment.sh [LOCK NAME]. Without
# arguments that of this folder, with Ray, JAX and pytest.
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
exec "$here/../scripts/python-environment.sh" "${2:-ray}" "${1:-$here/requirements.txt}" 3.11 3.12 3.13
