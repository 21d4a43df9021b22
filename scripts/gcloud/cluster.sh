#!/usr/bin/env bash
# Makes the GKE cluster, or waits for one that an earlier run began, or checks one that is adopted.
#
#   scripts/gcloud/cluster.sh [DIR]
#
# A cluster that differs is reported and left alone. DRY_RUN=1 prints the commands and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/cluster.sh
. "$GCLOUD_SCRIPTS/lib/cluster.sh"

if [ "${1:-}" = --help ]; then show_help "$0" && exit 0; fi
begin_step cluster "${1:-}"

ROW=$(rows cluster)
WHAT="cluster $CLUSTER"

create_cluster() {
  cluster_arguments "$ROW"
  if ! change "${ARGUMENTS[@]}"; then
    perhaps_made || return 1
    local text=$FAILURE_TEXT
    refresh_inventory cluster || return 1
    if ! found cluster "$CLUSTER"; then
      # shellcheck disable=SC2034 # read by outcome_of_failure
      FAILURE=other FAILURE_TEXT=$text
      return 1
    fi
  fi
  if dry; then return 0; fi
  refresh_inventory cluster || return 1
  await_cluster PROVISIONING || return 1
  if found cluster "$CLUSTER" && [ "$(cluster_status "$FOUND")" != ERROR ]; then return 0; fi
  # What GKE says of it decides whether it is quota, capacity or something else.
  if [ -n "$FOUND" ]; then
    printf 'ERROR: its status is ERROR%s\n' "$(message_of "$(part "$FOUND" 12)")" >"$WORK/cluster-error"
  else
    printf 'ERROR: GKE took the request, but has no such cluster\n' >"$WORK/cluster-error"
  fi
  explain_failure "$WORK/cluster-error"
  return 1
}

inventory cluster || stop_listing "$WHAT"
if found cluster "$CLUSTER" && [ "$(cluster_status "$FOUND")" = STOPPING ]; then
  say "  an earlier deletion is still going on: waiting"
  await_cluster STOPPING || stop_listing "$WHAT"
fi
status=unchanged
detail=''
if found cluster "$CLUSTER" && [ "$(cluster_status "$FOUND")" = PROVISIONING ]; then
  say "  an earlier run began it: waiting"
  await_cluster PROVISIONING || stop_listing "$WHAT"
  status=created detail="begun by an earlier run"
fi
if ! found cluster "$CLUSTER"; then
  if [ "$(field "$ROW" create)" = false ]; then
    if ! dry; then outcome failed "$WHAT" 0 "it is to be adopted, but there is none in $PROJECT; next: set cluster.create: true in platform.yaml, or correct its name"; fi
    end_step
  fi
  if ! create_cluster; then
    outcome_of_failure "$WHAT" "$LOCATION" "$SECONDS" "run scripts/gcloud/cluster.sh again"
    end_step
  fi
  if dry; then end_step; fi
  # New: node-pools.sh need not look for pools.
  : >"$WORK/inventory.pools"
  status=created
fi
if [ "$(field "$ROW" create)" = false ]; then status=adopted; fi
cluster_difference "$ROW" "$FOUND"
if [ -n "$DIFFERENCE" ]; then
  outcome differs "$WHAT" "$SECONDS" "$DIFFERENCE; next: $(cluster_remedy "$ROW"); nothing was changed"
else
  outcome "$status" "$WHAT" "$SECONDS" "$detail"
fi
end_step
