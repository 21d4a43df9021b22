#!/usr/bin/env bash
# Makes the Cloud Storage bucket, or checks one that is adopted.
#
#   scripts/gcloud/bucket.sh [DIR]
#
# DRY_RUN=1 prints the commands and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/bucket.sh
. "$GCLOUD_SCRIPTS/lib/bucket.sh"

if [ "${1:-}" = --help ]; then show_help "$0" && exit 0; fi
begin_step bucket "${1:-}"

report_bucket() { # ROW SECONDS
  local name status=$3
  name=$(field "$1" name)
  if [ "$(field "$1" create)" = false ]; then status=adopted; fi
  bucket_difference "$1" "$FOUND"
  if [ -n "$DIFFERENCE" ]; then
    outcome differs "bucket $name" "$2" "$DIFFERENCE; next: name another bucket in platform.yaml, or adopt this one as it is with bucket.create: false; nothing was changed"
  else
    outcome "$status" "bucket $name" "$2"
  fi
}

ensure_bucket() { # ROW
  local name began=$SECONDS
  name=$(field "$1" name)
  if ! dry; then
    if find_bucket "$name"; then
      report_bucket "$1" 0 unchanged
      return 0
    fi
    if [ "$FAILURE" != absent ]; then
      outcome_of_failure "bucket $name" "$PROJECT" 0 "bucket names are shared by all of Google Cloud: if it is not yours, name another in platform.yaml"
      return 0
    fi
  fi
  if [ "$(field "$1" create)" = false ]; then
    if ! dry; then outcome failed "bucket $name" 0 "it is to be adopted, but it does not exist; next: set bucket.create: true in platform.yaml, or correct its name"; fi
    return 0
  fi
  bucket_arguments "$1"
  if change "${ARGUMENTS[@]}"; then
    # identity.sh need not look for bindings on a bucket that is new.
    : >"$WORK/bindings.$name"
    outcome created "bucket $name" $((SECONDS - began))
  elif perhaps_made && find_bucket "$name"; then
    report_bucket "$1" $((SECONDS - began)) created
  else
    outcome_of_failure "bucket $name" "$(field "$1" location)" $((SECONDS - began)) "bucket names are shared by all of Google Cloud: name another in platform.yaml, or run scripts/gcloud/bucket.sh again"
  fi
}

while IFS= read -r row <&3; do ensure_bucket "$row"; done 3< <(rows bucket)
end_step
