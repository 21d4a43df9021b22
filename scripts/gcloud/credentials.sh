#!/usr/bin/env bash
# Writes the cluster's entry into your kubeconfig (KUBECONFIG, or ~/.kube/config) and makes it the current context.
#
#   scripts/gcloud/credentials.sh [DIR]
#
# An entry that already leads to this cluster is left alone. DRY_RUN=1 prints the command and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/cluster.sh
. "$GCLOUD_SCRIPTS/lib/cluster.sh"

if [ "${1:-}" = --help ]; then show_help "$0" && exit 0; fi
begin_step credentials "${1:-}"

WHAT="kubeconfig entry $CONTEXT"

# The entry may be left from a deleted cluster of the same name: its server tells.
entry_is_current() {
  local server
  server=$(kubectl config view --minify --context="$CONTEXT" --output=jsonpath='{.clusters[0].cluster.server}' 2>/dev/null) || return 1
  [ "$server" = "https://$(part "$FOUND" 11)" ] && [ "$(kubectl config current-context 2>/dev/null)" = "$CONTEXT" ]
}

if ! dry; then
  inventory cluster || stop_listing "$WHAT"
  if ! found cluster "$CLUSTER"; then
    outcome failed "$WHAT" 0 "there is no cluster $CLUSTER; next: scripts/gcloud/cluster.sh"
    end_step
  fi
  if entry_is_current; then
    outcome unchanged "$WHAT" 0
    end_step
  fi
fi
if change gcloud container clusters get-credentials "$CLUSTER" --project="$PROJECT" --location="$LOCATION"; then
  outcome created "$WHAT" "$SECONDS" "it is the current context now"
else
  outcome_of_failure "$WHAT" "$LOCATION" "$SECONDS" "run scripts/gcloud/credentials.sh again"
fi
end_step
