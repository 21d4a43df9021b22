#!/usr/bin/env bash
# Makes everything that infrastructure.tsv names: networks, cluster, bucket, identity, image repository, images, node
# pools. Run it again at any time, after a failure or an interrupt too: what is there is left alone, and it says so.
#
#   scripts/gcloud/up.sh [DIR]
#
# DIR holds infrastructure.tsv (default: the root of the repository).
# DRY_RUN=1 prints the commands of a first run and does nothing; it needs no gcloud.
# HF_TOKEN_FILE, IMAGE_BUILDER, POOLS_AT_ONCE: see hf-secret.sh, images.sh, node-pools.sh.
# Each step can be run alone: preflight, networks, cluster, credentials, bucket, identity, repository, images,
# hf-secret, node-pools. Exit codes: lib/outcome.sh and docs/operations.md.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"

case ${1:-} in
  --help) show_help "$0" && exit 0 ;;
  -*) wrong_usage "$1: unknown option: use scripts/gcloud/up.sh [DIR]" ;;
esac
begin_step up "${1:-}"
export STEPS_WORK=$WORK

# Each step runs in a process group of its own, so that an interrupt ends it with all it started, and at once.
set -m
STEP_PROCESS=''
# shellcheck disable=SC2329 # called by the traps
stop_up() {
  if [ -n "$STEP_PROCESS" ]; then
    kill -TERM "-$STEP_PROCESS" 2>/dev/null || true
    wait "$STEP_PROCESS" 2>/dev/null || true
  fi
  summary "$OUTCOMES" "$SECONDS"
  say "interrupted: run the same command again to go on"
  exit "$1"
}
trap 'stop_up 130' INT
trap 'stop_up 143' TERM

# step NAME [OPTION…]: sets CODE.
step() {
  local script=$1
  shift
  "$GCLOUD_SCRIPTS/$script.sh" "$DIRECTORY" "$@" </dev/null &
  STEP_PROCESS=$!
  CODE=0
  wait "$STEP_PROCESS" || CODE=$?
  STEP_PROCESS=''
  # A step that fails leaves an outcome; one that broke off has left none.
  case $CODE in
    0 | [1345679]) ;;
    *) outcome failed "step $script" 0 "it ended with exit code $CODE; next: scripts/gcloud/$script.sh $DIRECTORY" ;;
  esac
}

finish() {
  local code
  code=$(exit_code_of "$OUTCOMES" 1)
  if ! dry; then
    say "== summary"
    summary "$OUTCOMES" "$SECONDS"
    if [ "$code" = 0 ]; then
      say "next: kubectl apply -f $DIRECTORY/dist/"
    else
      say "exit code $code (docs/operations.md): see the lines above, then run the same command again"
    fi
  fi
  exit "$code"
}

step preflight
if [ "$CODE" != 0 ]; then finish; fi
step networks
networks=$CODE
step cluster
cluster=$CODE
if [ "$cluster" = 0 ]; then step credentials; fi
step bucket
step identity
step repository
step images
if [ "$cluster" = 0 ]; then
  if [ -n "${HF_TOKEN_FILE:-}" ] || dry; then step hf-secret; else step hf-secret --check; fi
  # Last, since TPUs cost from the minute they are there.
  if [ "$networks" = 0 ]; then
    step node-pools
  else
    outcome skipped "node pools" 0 "the networks are not right yet"
  fi
else
  outcome skipped "credentials, secret, node pools" 0 "the cluster is not right yet"
fi
finish
