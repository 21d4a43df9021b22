#!/usr/bin/env bash
# Forwards the Ray dashboard of a run to this machine, and starts the forwarding again when it drops, until Ctrl-C.
#
#   scripts/gcloud/dashboard.sh [DIR] --run NAME [--port 8265]
#
# NAME is the RayCluster's name, which is the run's. DRY_RUN=1 prints the command and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"

RUN=''
PORT=8265
NAMESPACE=''
directory=''
while [ $# -gt 0 ]; do
  case $1 in
    --help) show_help "$0" && exit 0 ;;
    --run | --port | --namespace)
      if [ -z "${2:-}" ]; then wrong_usage "$1 needs a value"; fi
      case $1 in
        --run) RUN=$2 ;;
        --port) PORT=$2 ;;
        *) NAMESPACE=$2 ;;
      esac
      shift
      ;;
    -*) wrong_usage "$1: unknown option: use --run NAME, --port PORT, --namespace NAME or --help" ;;
    *) directory=$1 ;;
  esac
  shift
done
begin_step dashboard "$directory"
if [ -z "$RUN" ]; then
  wrong_usage "--run is missing: name one of: $(rows node-pool | while IFS= read -r row; do field "$row" runs && echo; done | tr ',' '\n' | awk 'NF && !seen[$0]++' | tr '\n' ' ')"
fi
if [ -z "$NAMESPACE" ]; then NAMESPACE=$(field "$(rows namespace | head -n 1)" name); fi

FORWARD=(kubectl --context="$CONTEXT" --namespace="${NAMESPACE:-default}" port-forward "service/$RUN-head-svc" "$PORT:8265")
announce "${FORWARD[@]}"
if dry; then exit 0; fi
say "dashboard: http://127.0.0.1:$PORT (Ctrl-C ends it)"
pause=1
while :; do
  began=$SECONDS
  "${FORWARD[@]}" >&2 || true
  # A forwarding that held for a while has dropped; one that ends at once waits for its service.
  if [ $((SECONDS - began)) -ge 30 ]; then pause=1; fi
  say "  the forwarding ended; again in $pause s"
  sleep "$pause"
  pause=$((pause * 2))
  if [ "$pause" -gt 30 ]; then pause=30; fi
done
