#!/usr/bin/env bash
# Makes the VPC networks between slices (explicit mode), their subnets and firewall rules.
#
#   scripts/gcloud/networks.sh [DIR]
#
# What exists and fits is left alone, what differs is reported and left alone. DRY_RUN=1 prints the commands and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/network.sh
. "$GCLOUD_SCRIPTS/lib/network.sh"

if [ "${1:-}" = --help ]; then show_help "$0" && exit 0; fi
begin_step networks "${1:-}"

# ensure KIND INVENTORY ROW
ensure() {
  local name began=$SECONDS
  name=$(field "$3" name)
  if found "$2" "$name"; then
    report_existing "$1" "$3" 0
    return 0
  fi
  if [ "$(field "$3" create)" = false ] && ! dry; then
    outcome failed "$1 $name" 0 "it is to be adopted, but there is none in $PROJECT; next: set network.create: true in platform.yaml, or make it"
    return 0
  fi
  if [ "$(field "$3" create)" = false ]; then return 0; fi
  "$1_arguments" "$3"
  if change "${ARGUMENTS[@]}"; then
    outcome created "$1 $name" $((SECONDS - began))
  elif perhaps_made && refresh_inventory "$2" && found "$2" "$name"; then
    report_existing "$1" "$3" $((SECONDS - began))
  else
    outcome_of_failure "$1 $name" "$(place_of "$3")" $((SECONDS - began)) "run scripts/gcloud/networks.sh again"
  fi
}

report_existing() { # KIND ROW SECONDS
  local name status=unchanged
  name=$(field "$2" name)
  "$1_difference" "$2" "$FOUND"
  if [ "$(field "$2" create)" = false ]; then status=adopted; fi
  if [ -n "$DIFFERENCE" ]; then
    outcome differs "$1 $name" "$3" "$DIFFERENCE; next: delete it or change platform.yaml; nothing was changed"
  else
    outcome "$status" "$1 $name" "$3"
  fi
}

place_of() { # ROW
  local region
  region=$(field "$1" region)
  printf '%s' "${region:-$PROJECT}"
}

for kind in network subnet firewall; do
  if [ -z "$(rows "$kind")" ]; then continue; fi
  inventory "${kind}s" || stop_listing "${kind}s"
  while IFS= read -r row <&3; do
    ensure "$kind" "${kind}s" "$row"
  done 3< <(rows "$kind")
done
end_step
