#!/usr/bin/env bash
# Prints the path of a Python 3.12 virtual environment with the pinned MaxText, JAX and Ray of maxtext-requirements.txt (2.5 GB).
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
exec "$here/../../../scripts/python-environment.sh" maxtext "$here/maxtext-requirements.txt" 3.12
