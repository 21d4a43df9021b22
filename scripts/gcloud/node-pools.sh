#!/usr/bin/env bash
# Makes the node pools, all at the same time as far as GKE lets it, and the placement policies they need.
#
#   scripts/gcloud/node-pools.sh [DIR]
#
# A pool that differs, or that a stock-out left in ERROR, is reported with its remedy and left alone; the others are
# still made. A CPU pool with fewer nodes than planned grows; one with more is left as it is. POOLS_AT_ONCE (4) requests are under way at the same time. DRY_RUN=1 prints the commands and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/placement-policy.sh
. "$GCLOUD_SCRIPTS/lib/placement-policy.sh"
# shellcheck source=lib/node-pool.sh
. "$GCLOUD_SCRIPTS/lib/node-pool.sh"
# shellcheck source=lib/kubernetes.sh
. "$GCLOUD_SCRIPTS/lib/kubernetes.sh"

if [ "${1:-}" = --help ]; then show_help "$0" && exit 0; fi
POOLS_AT_ONCE=${POOLS_AT_ONCE:-4}
begin_step node-pools "${1:-}"

ensure_policy() { # ROW
  local name began=$SECONDS
  name=$(field "$1" name)
  if ! found policies "$name"; then
    policy_arguments "$1"
    if change "${ARGUMENTS[@]}"; then
      outcome created "placement policy $name" $((SECONDS - began))
      return 0
    fi
    if ! perhaps_made || ! refresh_inventory policies || ! found policies "$name"; then
      outcome_of_failure "placement policy $name" "$REGION" $((SECONDS - began)) "run scripts/gcloud/node-pools.sh again"
      return 0
    fi
  fi
  policy_difference "$1" "$FOUND"
  if [ -n "$DIFFERENCE" ]; then
    outcome differs "placement policy $name" $((SECONDS - began)) "$DIFFERENCE; next: $(command_line gcloud compute resource-policies delete "$name" --project="$PROJECT" --region="$REGION" --quiet); nothing was changed"
  else
    outcome unchanged "placement policy $name" $((SECONDS - began))
  fi
}

# request_pool ROW: asks for the pool and leaves a mark of what came of it: requested, perhaps requested, or an outcome.
request_pool() {
  local name
  name=$(field "$1" name)
  pool_arguments "$1"
  if change "${ARGUMENTS[@]}"; then
    printf '%s\n' "$SECONDS" >"$WORK/requested.$name"
  elif perhaps_made; then
    printf '%s\n' "$SECONDS" >"$WORK/requested.$name"
    printf '%s' "$FAILURE_TEXT" >"$WORK/doubtful.$name"
  else
    outcome_of_failure "node pool $name" "$(field "$1" zone)" $((SECONDS - BEGAN)) "run scripts/gcloud/node-pools.sh again"
  fi
}

# lane NUMBER: every POOLS_AT_ONCE-th of the missing pools, one after the other.
lane() {
  local row index=0
  while IFS= read -r row <&3; do
    if [ $((index % POOLS_AT_ONCE)) = "$1" ]; then request_pool "$row"; fi
    index=$((index + 1))
  done 3<"$WORK/missing-pools"
}

# grow_pool ROW: gives a CPU pool the nodes it lacks, and leaves a mark of it, or an outcome.
grow_pool() {
  local name code=0
  name=$(field "$1" name)
  found pools "$name"
  lacks_nodes "$1" "$FOUND" || code=$?
  case $code in
    1) return 0 ;;
    2)
      FAILURE_TEXT="its nodes cannot be counted: $FAILURE_TEXT"
      outcome_of_failure "node pool $name" "$(field "$1" zone)" $((SECONDS - BEGAN)) "run scripts/gcloud/credentials.sh, then scripts/gcloud/node-pools.sh again"
      ;;
    *)
      pool_resize_arguments "$1"
      if change "${ARGUMENTS[@]}"; then
        printf '%s from %s to %s nodes\n' "$SECONDS" "$NODES" "$(field "$1" nodes)" >"$WORK/grown.$name"
        return 0
      fi
      outcome_of_failure "node pool $name" "$(field "$1" zone)" $((SECONDS - BEGAN)) "run scripts/gcloud/node-pools.sh again"
      ;;
  esac
  : >"$WORK/not-grown.$name"
}

grow_pools() {
  local row
  while IFS= read -r row <&3; do grow_pool "$row"; done 3<"$WORK/small-pools"
}

# end_of_heads ROW: what else the deletion of a pool ends.
end_of_heads() {
  if [ "$(field "$1" role)" = cpu ]; then printf ' (the Ray heads on it end, and their runs with them)'; fi
}

# report_pool ROW: the outcome of a pool that exists now.
report_pool() {
  local name status=unchanged seconds=0 detail=''
  name=$(field "$1" name)
  if [ -f "$WORK/settled.$name" ]; then seconds=$(($(cat "$WORK/settled.$name") - BEGAN)); fi
  if [ -f "$WORK/not-grown.$name" ]; then return 0; fi
  if [ -f "$WORK/grown.$name" ]; then
    read -r seconds detail <"$WORK/grown.$name"
    status=changed seconds=$((seconds - BEGAN))
  elif can_be_resized "$1" && [ "$(recorded_nodes "$FOUND")" -gt "$(field "$1" nodes)" ]; then
    pool_resize_arguments "$1"
    detail="it has $(recorded_nodes "$FOUND") nodes, $(field "$1" nodes) are planned, and may keep them; for fewer: $(command_line "${ARGUMENTS[@]}"), which moves pods"
  fi
  if [ -f "$WORK/begun-earlier.$name" ]; then status=created detail="begun by an earlier run"; fi
  if [ -f "$WORK/requested.$name" ]; then
    status=created
    if [ "$seconds" = 0 ]; then seconds=$(($(cat "$WORK/requested.$name") - BEGAN)); fi
  fi
  case $(pool_status "$FOUND") in
    PROVISIONING | STOPPING)
      FAILURE=busy FAILURE_TEXT="still $(pool_status "$FOUND") after $((SECONDS - BEGAN)) s"
      outcome_of_failure "node pool $name" "$(field "$1" zone)" $((SECONDS - BEGAN)) "run scripts/gcloud/node-pools.sh again"
      return 0
      ;;
    ERROR)
      # Fresh from this run it is a failure with a cause; from an earlier one it is a difference to be cleared.
      if [ "$status" = created ]; then
        printf 'ERROR: %s\n' "$(pool_message "$FOUND")" >"$WORK/pool-error"
        explain_failure "$WORK/pool-error"
        FAILURE_TEXT="$FAILURE_TEXT; the pool stays in ERROR: $(pool_delete_command "$name")"
        outcome_of_failure "node pool $name" "$(field "$1" zone)" "$seconds" "delete the pool, then run scripts/gcloud/node-pools.sh again"
        return 0
      fi
      ;;
  esac
  pool_difference "$1" "$FOUND"
  if [ -n "$DIFFERENCE" ] && [ -z "$LASTING_DIFFERENCE" ]; then
    outcome differs "node pool $name" "$seconds" "$(field "$1" zone): $DIFFERENCE; next: $(pool_update_command "$1" "$FOUND"), which no pod feels; nothing was changed"
  elif [ -n "$DIFFERENCE" ]; then
    outcome differs "node pool $name" "$seconds" "$(field "$1" zone): $DIFFERENCE; next: $(pool_delete_command "$name"), then scripts/gcloud/node-pools.sh$(end_of_heads "$1"); nothing was changed"
  else
    outcome "$status" "node pool $name" "$seconds" "$detail"
  fi
}

if [ -n "$(rows placement-policy)" ]; then
  inventory policies || stop_listing "placement policies"
  while IFS= read -r row <&5; do ensure_policy "$row"; done 5< <(rows placement-policy)
fi
if [ -z "$(rows node-pool)" ]; then end_step; fi

BEGAN=$SECONDS
inventory pools || stop_listing "node pools"
if pools_in STOPPING; then
  say "  an earlier deletion is still going on: waiting"
  await_pools STOPPING || stop_listing "node pools"
fi
: >"$WORK/missing-pools"
: >"$WORK/small-pools"
while IFS= read -r row <&5; do
  name=$(field "$row" name)
  if ! found pools "$name"; then
    printf '%s\n' "$row" >>"$WORK/missing-pools"
  elif [ "$(pool_status "$FOUND")" = PROVISIONING ]; then
    : >"$WORK/begun-earlier.$name"
  else
    pool_difference "$row" "$FOUND"
    if [ -z "$DIFFERENCE" ] && can_be_resized "$row" && [ "$(recorded_nodes "$FOUND")" -lt "$(field "$row" nodes)" ]; then
      printf '%s\n' "$row" >>"$WORK/small-pools"
    fi
  fi
done 5< <(rows node-pool)

if [ -s "$WORK/missing-pools" ] || [ -s "$WORK/small-pools" ]; then
  if dry; then POOLS_AT_ONCE=1; fi
  lanes=()
  if [ -s "$WORK/small-pools" ]; then
    grow_pools &
    lanes+=("$!")
  fi
  for ((number = 0; number < POOLS_AT_ONCE; number++)); do
    if dry; then
      lane "$number"
    else
      lane "$number" &
      lanes+=("$!")
    fi
  done
  for process in ${lanes[@]+"${lanes[@]}"}; do
    wait "$process" || outcome failed "node pools" $((SECONDS - BEGAN)) "a request ended early; next: run scripts/gcloud/node-pools.sh again"
  done
  if dry; then end_step; fi
  refresh_inventory pools || stop_listing "node pools"
fi
rm -f "$WORK"/settled.*
await_pools PROVISIONING || stop_listing "node pools"
while IFS= read -r row <&5; do
  name=$(field "$row" name)
  if found pools "$name"; then
    report_pool "$row"
  elif [ -f "$WORK/doubtful.$name" ]; then
    # shellcheck disable=SC2034 # read by outcome_of_failure
    FAILURE=other FAILURE_TEXT=$(cat "$WORK/doubtful.$name")
    outcome_of_failure "node pool $name" "$(field "$row" zone)" $((SECONDS - BEGAN)) "run scripts/gcloud/node-pools.sh again"
  elif [ -f "$WORK/requested.$name" ]; then
    outcome failed "node pool $name" $((SECONDS - BEGAN)) "$(field "$row" zone): GKE took the request, but has no such pool; next: $(command_line gcloud container operations list --project="$PROJECT" --location="$LOCATION")"
  fi
done 5< <(rows node-pool)
end_step
