# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# The frame of every script here: its arguments, the project directory, the work folder, the summary.

set -euo pipefail

GCLOUD_SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PACKAGE_ROOT=$(cd "$GCLOUD_SCRIPTS/../.." && pwd)

# shellcheck source=rows.sh
. "$GCLOUD_SCRIPTS/lib/rows.sh"
# shellcheck source=command.sh
. "$GCLOUD_SCRIPTS/lib/command.sh"
# shellcheck source=failure.sh
. "$GCLOUD_SCRIPTS/lib/failure.sh"
# shellcheck source=outcome.sh
. "$GCLOUD_SCRIPTS/lib/outcome.sh"
# shellcheck source=progress.sh
. "$GCLOUD_SCRIPTS/lib/progress.sh"
# shellcheck source=inventory.sh
. "$GCLOUD_SCRIPTS/lib/inventory.sh"

# show_help SCRIPT: the comment at the head of the script.
show_help() {
  awk 'NR > 1 { if ($0 !~ /^#/ || /^# shellcheck /) exit; sub(/^# ?/, ""); print }' "$1"
}

wrong_usage() {
  say "$1"
  exit 2
}

# begin_step NAME DIRECTORY: reads DIRECTORY/infrastructure.tsv (default: the root of the repository).
begin_step() {
  STEP=$1
  DIRECTORY=${2:-$PACKAGE_ROOT}
  if [ ! -d "$DIRECTORY" ]; then wrong_usage "$DIRECTORY: no such directory: name the one that holds infrastructure.tsv"; fi
  DIRECTORY=$(cd "$DIRECTORY" && pwd)
  TABLE=$DIRECTORY/infrastructure.tsv
  # A step under up.sh shares its folder, so that nothing is checked or listed twice.
  if [ -n "${STEPS_WORK:-}" ]; then
    WORK=$STEPS_WORK
  else
    check_rows "$TABLE" || exit 2
    WORK=$(mktemp -d "${TMPDIR:-/tmp}/gcloud-steps.XXXXXX")
    trap 'rm -rf "$WORK"' EXIT
    trap 'interrupted 130' INT
    trap 'interrupted 143' TERM
  fi
  OUTCOMES=$WORK/outcomes
  touch "$OUTCOMES"
  FIRST_OUTCOME=$(($(wc -l <"$OUTCOMES") + 1))
  local project cluster
  project=$(rows project)
  PROJECT=$(field "$project" id)
  REGION=$(field "$project" region)
  cluster=$(rows cluster)
  CLUSTER=$(field "$cluster" name)
  LOCATION=$(field "$cluster" location)
  CONTEXT=gke_${PROJECT}_${LOCATION}_$CLUSTER
  if dry; then printf '# %s\n' "$STEP"; else say "== $STEP"; fi
}

# interrupted CODE: what was asked of Google Cloud goes on there; a rerun finds and awaits it.
interrupted() {
  local process
  for process in $(jobs -p); do kill "$process" 2>/dev/null || true; done
  say "interrupted: run the same command again to go on"
  exit "$1"
}

# end_step: ends the script with the exit code of its outcomes; prints the summary unless up.sh does.
end_step() {
  local code
  code=$(exit_code_of "$OUTCOMES" "$FIRST_OUTCOME")
  if [ -z "${STEPS_WORK:-}" ] && ! dry; then summary "$OUTCOMES" "$SECONDS"; fi
  exit "$code"
}

# stop_listing RESOURCE: ends a step whose look at what exists failed.
stop_listing() {
  outcome_of_failure "$1" "$PROJECT" 0 "see the cause, then run scripts/gcloud/$STEP.sh again"
  end_step
}

# project_number: sets PROJECT_NUMBER; a dry run prints the word in its place.
project_number() {
  if dry; then
    PROJECT_NUMBER=PROJECT_NUMBER
    return 0
  fi
  inventory project || return 1
  PROJECT_NUMBER=$(part "$(cat "$WORK/inventory.project")" 2)
}

list_project() {
  read_into "$1" gcloud projects describe "$PROJECT" --format='value[separator="|"](projectId,projectNumber,lifecycleState)'
}
