#!/usr/bin/env bash
# Rehearses a synthesized run: rehearsal/rehearse.sh DIR [RUN] [options], see --help. Makes its Python environment on first use.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
environment="$("$root/test/ray/environment.sh")"
PYTHONPATH="$root" PYTHONDONTWRITEBYTECODE=1 exec "$environment/bin/python" -m rehearsal "$@"
