#!/usr/bin/env bash
# Rehearses a synthesized run: rehearsal/rehearse.sh DIR [RUN] [options], see --help. Makes its Python environment on first use.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# TorchTPU runs need Torch (6 GB more), others do without.
manifests=("${1:-}"/dist/[a-z]*.k8s.yaml)
case "${2:-}" in
  '' | -*) ;;
  *) manifests=("$1/dist/$2.k8s.yaml") ;;
esac
if grep -qs 'tpu_trainers\.torchtpu_' "${manifests[@]}"; then
  environment="$("$root/rehearsal/environment.sh" "$root/rehearsal/requirements-torch.txt" torch)"
else
  environment="$("$root/rehearsal/environment.sh")"
fi
PYTHONPATH="$root" PYTHONDONTWRITEBYTECODE=1 exec "$environment/bin/python" -m rehearsal "$@"
