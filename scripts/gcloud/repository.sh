#!/usr/bin/env bash
# Makes the Artifact Registry repository for images and lets the nodes' account read it.
#
#   scripts/gcloud/repository.sh [DIR]
#
# DRY_RUN=1 prints the commands and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/repository.sh
. "$GCLOUD_SCRIPTS/lib/repository.sh"

if [ "${1:-}" = --help ]; then show_help "$0" && exit 0; fi
begin_step repository "${1:-}"
ROW=$(rows repository)
if [ -z "$ROW" ]; then end_step; fi
NAME=$(field "$ROW" name)
WHAT="repository $NAME"

# Nodes run as the project's Compute Engine account, which may read the repository only by an explicit grant in
# projects that do not make it an Editor.
ensure_reader() {
  local member began=$SECONDS
  project_number || stop_listing "$WHAT"
  member=serviceAccount:$PROJECT_NUMBER-compute@developer.gserviceaccount.com
  if ! dry; then
    if [ ! -f "$WORK/repository-bindings" ] && ! read_into "$WORK/repository-bindings" gcloud artifacts repositories get-iam-policy "$NAME" --project="$PROJECT" \
      --location="$(field "$ROW" location)" --flatten='bindings[].members[]' \
      --format='value[separator="|"](bindings.role,bindings.members)'; then
      outcome_of_failure "image pull by the nodes" "$NAME" 0 "run scripts/gcloud/repository.sh again"
      return 0
    fi
    if grep -qxF "roles/artifactregistry.reader|$member" "$WORK/repository-bindings"; then
      outcome unchanged "image pull by the nodes" 0
      return 0
    fi
  fi
  if change gcloud artifacts repositories add-iam-policy-binding "$NAME" --project="$PROJECT" \
    --location="$(field "$ROW" location)" --role=roles/artifactregistry.reader --member="$member"; then
    outcome created "image pull by the nodes" $((SECONDS - began)) "roles/artifactregistry.reader for $member"
  else
    outcome_of_failure "image pull by the nodes" "$NAME" $((SECONDS - began)) "run scripts/gcloud/repository.sh again"
  fi
}

report_repository() { # STATUS SECONDS
  repository_difference "$ROW" "$FOUND"
  if [ -n "$DIFFERENCE" ]; then
    outcome differs "$WHAT" "$2" "$DIFFERENCE; next: name another repository in platform.yaml; nothing was changed"
    end_step
  fi
  outcome "$1" "$WHAT" "$2"
}

inventory repositories || stop_listing "$WHAT"
if [ "$(field "$ROW" create)" = false ]; then
  if dry; then end_step; fi
  if found repositories "$NAME"; then
    report_repository adopted 0
  else
    outcome failed "$WHAT" 0 "it is to be adopted, but $(field "$ROW" location) has none; next: set imageRepository.create: true in platform.yaml, or correct its name"
  fi
  end_step
fi
if found repositories "$NAME"; then
  report_repository unchanged 0
else
  repository_arguments "$ROW"
  if change "${ARGUMENTS[@]}"; then
    # New: without bindings and, for images.sh, without images.
    : >"$WORK/repository-bindings"
    : >"$WORK/inventory.images"
    outcome created "$WHAT" "$SECONDS"
  elif perhaps_made && refresh_inventory repositories && found repositories "$NAME"; then
    report_repository created "$SECONDS"
  else
    outcome_of_failure "$WHAT" "$(field "$ROW" location)" "$SECONDS" "run scripts/gcloud/repository.sh again"
    end_step
  fi
fi
ensure_reader
end_step
