#!/usr/bin/env bash
# Checks what must be right before anything is created, all at once: the tools, the flags the installed gcloud knows,
# the project, billing, your permissions. Then enables the APIs that are not.
#
#   scripts/gcloud/preflight.sh [DIR]
#
# DIR holds infrastructure.tsv (default: the root of the repository). DRY_RUN=1 prints the commands and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/cluster.sh
. "$GCLOUD_SCRIPTS/lib/cluster.sh"
# shellcheck source=lib/node-pool.sh
. "$GCLOUD_SCRIPTS/lib/node-pool.sh"
# shellcheck source=lib/placement-policy.sh
. "$GCLOUD_SCRIPTS/lib/placement-policy.sh"
# shellcheck source=lib/bucket.sh
. "$GCLOUD_SCRIPTS/lib/bucket.sh"

if [ "${1:-}" = --help ]; then show_help "$0" && exit 0; fi
begin_step preflight "${1:-}"

# shellcheck disable=SC2329 # called by inventory
list_services() {
  read_into "$1" gcloud services list --enabled --project="$PROJECT" --format="value(config.name)"
}

check_tools() {
  local tool missing=''
  for tool in gcloud kubectl gke-gcloud-auth-plugin; do
    command -v "$tool" >/dev/null 2>&1 || missing="$missing${missing:+, }$tool"
  done
  if [ -n "$missing" ]; then
    outcome preflight tools 0 "not found on PATH: $missing; next: install the Google Cloud CLI with its components kubectl and gke-gcloud-auth-plugin"
    return 1
  fi
}

# check_flags RESOURCE FLAG… : asks gcloud itself, with a flag that no version has beside those in question. It then
# names every unknown one, and can create nothing.
check_flags() {
  local resource=$1 log unknown flag known=''
  shift
  if [ -n "$SDK_VERSION" ]; then
    known=${XDG_CACHE_HOME:-$HOME/.cache}/cdk8s-tpu-ray/gcloud-flags/$SDK_VERSION-$(printf '%s' "$*" | cksum | tr ' ' '-')
    if [ -f "$known" ]; then return 0; fi
  fi
  log=$(mktemp "$WORK/log.XXXXXX")
  announce "$@" --flag-that-does-not-exist
  if "$@" --flag-that-does-not-exist >"$log" 2>&1 </dev/null; then
    outcome preflight "$resource" 0 "gcloud took a flag that does not exist; next: report this with the output of gcloud version"
    return 0
  fi
  unknown=$(sed 's/(did you mean.*//' "$log" | grep -oE -- '(^|[[:space:]])--[a-z0-9-]+' | tr -d ' ' | sort -u)
  case $unknown in
    *--flag-that-does-not-exist*) ;;
    *)
      outcome preflight "$resource" 0 "gcloud refuses the command: $(cause_of "$log"); next: correct infrastructure.tsv"
      return 0
      ;;
  esac
  if [ "$unknown" = --flag-that-does-not-exist ] && [ -n "$known" ] && mkdir -p "$(dirname "$known")" 2>/dev/null; then
    : >"$known"
  fi
  for flag in $unknown; do
    if [ "$flag" != --flag-that-does-not-exist ]; then
      outcome preflight "$resource" 0 "the installed gcloud $(gcloud_version) does not know $flag; next: $(remedy_for_flag "$flag")"
    fi
  done
  rm -f "$log"
}

# find_sdk_version: sets SDK_VERSION from the installation, since asking gcloud costs seconds; empty when it is not found.
# What a version knows does not change: answers of check_flags are kept by it.
find_sdk_version() {
  local path link
  SDK_VERSION=''
  path=$(command -v gcloud)
  while link=$(readlink "$path"); do
    case $link in
      /*) path=$link ;;
      *) path=$(dirname "$path")/$link ;;
    esac
  done
  path=$(dirname "$(dirname "$path")")/VERSION
  if [ -f "$path" ]; then SDK_VERSION=$(tr -cd '0-9.' <"$path"); fi
}

gcloud_version() {
  if [ -n "$SDK_VERSION" ]; then
    printf '%s' "$SDK_VERSION"
  else
    gcloud version --format='value("Google Cloud SDK")' 2>/dev/null </dev/null || printf unknown
  fi
}

remedy_for_flag() {
  case $1 in
    --accelerator-network-profile)
      # General availability was announced on 2026-04-20; the Google Cloud CLI of that week was 566.
      printf '%s' "update gcloud to 567 or newer (general availability: 2026-04-20), or set network.profile: explicit in platform.yaml: that makes the two networks by --additional-node-network, which this gcloud can do" ;;
    *)
      if is_capacity_flag "$1"; then
        printf '%s' "update gcloud (528 has it), or choose another capacity in the run"
      else
        printf '%s' "update gcloud (528 has it): gcloud components update, or your package manager"
      fi
      ;;
  esac
}

# is_capacity_flag FLAG: whether a pool needs the flag for the way it is bought.
is_capacity_flag() {
  rows node-pool | tr '\t' '\n' | sed -n 's/^capacityFlags=//p' | tr ',' '\n' | grep -q -x -e "$1\(=.*\)\{0,1\}"
}

check_all_flags() {
  local row
  row=$(rows cluster)
  if [ "$(field "$row" create)" = true ]; then
    cluster_arguments "$row"
    check_flags "cluster $CLUSTER" "${ARGUMENTS[@]}"
  fi
  # All pools in one question: gcloud reads every flag before it looks at their values.
  FLAGS=()
  while IFS= read -r row <&3; do
    pool_arguments "$row"
    FLAGS+=("${ARGUMENTS[@]:5}")
  done 3< <(rows node-pool)
  if [ -n "$(rows node-pool)" ]; then
    check_flags "node pools" gcloud container node-pools create all "${FLAGS[@]}"
  fi
  if [ -n "$(rows placement-policy)" ]; then
    policy_arguments "$(rows placement-policy | head -n 1)"
    check_flags "placement policies" "${ARGUMENTS[@]}"
  fi
}

check_project() {
  if ! inventory project; then
    case $FAILURE in
      login) outcome preflight "project $PROJECT" 0 "$FAILURE_TEXT; next: gcloud auth login" ;;
      *) outcome preflight "project $PROJECT" 0 "$FAILURE_TEXT; next: correct project in platform.yaml, or ask for roles/browser on it" ;;
    esac
    return 1
  fi
  local state
  state=$(part "$(cat "$WORK/inventory.project")" 3)
  if [ "$state" != ACTIVE ]; then
    outcome preflight "project $PROJECT" 0 "its state is $state; next: gcloud projects undelete $PROJECT, or another project in platform.yaml"
    return 1
  fi
}

check_billing() {
  if ! read_into "$WORK/billing" gcloud billing projects describe "$PROJECT" --format="value(billingEnabled)"; then
    say "  billing could not be checked ($FAILURE_TEXT); that alone is no reason to stop"
    return 0
  fi
  if [ "$(cat "$WORK/billing")" != True ]; then
    outcome preflight "project $PROJECT" 0 "billing is off; next: link a billing account (gcloud billing projects link $PROJECT --billing-account=ACCOUNT)"
  fi
}

# needed_permissions: permission, role that holds it and what for, for what infrastructure.tsv creates.
needed_permissions() {
  if [ "$(field "$(rows cluster)" create)" = true ]; then echo 'container.clusters.create roles/container.admin the cluster'; fi
  if [ -n "$(rows node-pool)" ]; then echo 'container.clusters.update roles/container.admin the node pools'; fi
  if rows network | grep -q "create=true"; then
    echo 'compute.networks.create roles/compute.networkAdmin the networks'
    echo 'compute.firewalls.create roles/compute.securityAdmin the firewall rules'
  fi
  if [ -n "$(rows placement-policy)" ]; then echo 'compute.resourcePolicies.create roles/compute.instanceAdmin.v1 the placement policies'; fi
  if rows bucket | grep -q "create=true"; then echo 'storage.buckets.create roles/storage.admin the bucket'; fi
  if rows repository | grep -q "create=true"; then echo 'artifactregistry.repositories.create roles/artifactregistry.admin the image repository'; fi
  if [ -n "$(rows image)" ]; then echo 'cloudbuild.builds.create roles/cloudbuild.builds.editor the images'; fi
  echo 'serviceusage.services.enable roles/serviceusage.serviceUsageAdmin the APIs'
}

# gcloud has no command for this question, so it goes to the API itself; the token reaches curl by a pipe, not as an argument.
check_permissions() {
  local permission role what body='' answer=$WORK/permissions token
  if ! command -v curl >/dev/null 2>&1; then
    say "  permissions are not checked: curl is not on PATH"
    return 0
  fi
  announce gcloud auth print-access-token
  token=$(gcloud auth print-access-token 2>/dev/null </dev/null) || token=''
  if [ -z "$token" ]; then
    outcome preflight account 0 "there is no access token; next: gcloud auth login"
    return 0
  fi
  while read -r permission role what; do
    body=$body${body:+,}\"$permission\"
  done < <(needed_permissions)
  if ! printf 'header = "Authorization: Bearer %s"\n' "$token" |
    curl --silent --show-error --fail --max-time 60 --config - --header 'Content-Type: application/json' \
      --data "{\"permissions\":[$body]}" --output "$answer" \
      "https://cloudresourcemanager.googleapis.com/v1/projects/$PROJECT:testIamPermissions" 2>"$WORK/permissions.log"; then
    say "  permissions could not be checked ($(tail -n 1 "$WORK/permissions.log")); that alone is no reason to stop"
    return 0
  fi
  while read -r permission role what; do
    if ! grep -qF "\"$permission\"" "$answer"; then
      outcome preflight account 0 "you lack $permission for $what; next: ask an owner of $PROJECT for $role"
    fi
  done < <(needed_permissions)
}

enable_apis() {
  local row api began=$SECONDS
  MISSING=()
  if ! dry && ! inventory services; then stop_listing "APIs"; fi
  while IFS= read -r row <&3; do
    api=$(field "$row" name)
    if dry || ! grep -qxF "$api" "$WORK/inventory.services"; then MISSING+=("$api"); fi
  done 3< <(rows api)
  if [ "${#MISSING[@]}" = 0 ]; then
    outcome unchanged "APIs" 0
  elif change gcloud services enable "${MISSING[@]}" --project="$PROJECT"; then
    outcome created "APIs" $((SECONDS - began)) "enabled: ${MISSING[*]}"
  else
    outcome_of_failure "APIs" "$PROJECT" $((SECONDS - began)) "run this again"
  fi
}

if ! dry; then
  check_tools || end_step
  find_sdk_version
  # What gcloud knows takes only this machine's time, the rest mostly the network's.
  check_all_flags &
  flags=$!
  if check_project; then
    check_billing
    check_permissions
  fi
  wait "$flags" || outcome failed "gcloud's flags" 0 "the check ended early; next: run this again"
  # What a flag or a permission lacks is known now: nothing has been created.
  if [ "$(exit_code_of "$OUTCOMES" "$FIRST_OUTCOME")" != 0 ]; then end_step; fi
fi
enable_apis
end_step
