#!/usr/bin/env bash
# The infrastructure scripts with the real gcloud, kubectl and curl against a fake of the Google APIs on this machine.
#
#   test/gcloud/run.sh [--nightly] [WORD…]     only tests whose name holds one of the words
#
# Two tests that take minutes each are run with --nightly, or NIGHTLY=1, only.
#
# Needs gcloud with kubectl and gke-gcloud-auth-plugin, openssl, curl and a Python from 3.9; installs nothing. Nothing
# of yours is touched: configuration, kubeconfig and home are folders of the test, and no request leaves the machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# python_path: the first Python from 3.9 on.
python_path() {
  local candidate
  for candidate in python3 python3.13 python3.12 python3.11 python3.10 python3.9 \
    "$(uv python find 2>/dev/null || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

missing=''
for tool in gcloud kubectl gke-gcloud-auth-plugin openssl curl; do
  command -v "$tool" >/dev/null 2>&1 || missing="$missing${missing:+, }$tool"
done
PYTHON=$(python_path) || missing="$missing${missing:+, }python 3.9 or newer"

if [ -n "$missing" ]; then
  echo "missing toolchain gcloud: not found: $missing (the Google Cloud CLI with its components kubectl and gke-gcloud-auth-plugin)"
  case ,${REQUIRE_TOOLCHAINS:-}, in
    *,gcloud,*)
      echo "0 passed, 1 failed"
      exit 1
      ;;
  esac
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi

# A signal to this script is passed on; the runner ends what it started, and the folder goes when the runner has gone.
export PYTHONDONTWRITEBYTECODE=1
folder=$(mktemp -d "${TMPDIR:-/tmp}/gcloud-test-run.XXXXXX")
trap 'rm -rf "$folder"' EXIT
if [ "${NIGHTLY:-}" = 1 ]; then set -- --nightly "$@"; fi
"$PYTHON" test/gcloud/runner.py --folder "$folder" "$@" &
runner=$!
trap 'kill -TERM "$runner" 2>/dev/null; wait "$runner" || true; exit 130' INT
trap 'kill -TERM "$runner" 2>/dev/null; wait "$runner" || true; exit 143' TERM
wait "$runner"
