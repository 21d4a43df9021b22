#!/usr/bin/env bash
# Gives the Kubernetes service accounts their roles on the bucket (Workload Identity Federation: no keys, no Google
# service account), and checks the namespaces and accounts that are adopted. Those of the project come with
# `kubectl apply -f dist/`; a binding may precede them.
#
#   scripts/gcloud/identity.sh [DIR]
#
# DRY_RUN=1 prints the commands and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/bucket.sh
. "$GCLOUD_SCRIPTS/lib/bucket.sh"
# shellcheck source=lib/kubernetes.sh
. "$GCLOUD_SCRIPTS/lib/kubernetes.sh"

if [ "${1:-}" = --help ]; then show_help "$0" && exit 0; fi
begin_step identity "${1:-}"

# adopted KIND NAME [NAMESPACE]: an object that is not the project's own must be in the cluster.
adopted() {
  if dry; then return 0; fi
  if kube_into "$WORK/adopted" get "$1" "$2" ${3:+"--namespace=$3"} --output=name; then
    outcome adopted "$1 ${3:+$3/}$2" 0
  elif [ "$FAILURE" = absent ]; then
    outcome failed "$1 ${3:+$3/}$2" 0 "it is to be adopted, but cluster $CLUSTER has none; next: make it, or let the project own it (platform.yaml)"
  else
    outcome_of_failure "$1 ${3:+$3/}$2" "$CLUSTER" 0 "run scripts/gcloud/credentials.sh, then this again"
  fi
}

# bucket_remedy BUCKET: bucket.sh makes the project's own; another one is somebody else's.
bucket_remedy() {
  if rows bucket | grep -qF "name=$1$TAB"; then
    printf 'run scripts/gcloud/bucket.sh, then this again'
  else
    printf 'only a volume of a run names this bucket: correct the name there, or have it made by whoever owns it'
  fi
}

ensure_role() { # ROW
  local bucket role what began=$SECONDS
  bucket=$(field "$1" bucket)
  role=$(field "$1" role)
  what="$role for $(field "$1" namespace)/$(field "$1" serviceAccount) on $bucket"
  if ! list_bindings "$bucket"; then
    outcome_of_failure "$what" "$bucket" 0 "$(bucket_remedy "$bucket")"
  elif grep -qxF "$role|$(member_of "$1")" "$WORK/bindings.$bucket"; then
    outcome unchanged "$what" 0
  elif change gcloud storage buckets add-iam-policy-binding "gs://$bucket" --project="$PROJECT" \
    --role="$role" --member="$(member_of "$1")"; then
    outcome created "$what" $((SECONDS - began)) "$(field "$1" use)"
  else
    outcome_of_failure "$what" "$bucket" $((SECONDS - began)) "run scripts/gcloud/identity.sh again"
  fi
}

while IFS= read -r row <&5; do
  # Every cluster has the namespace default.
  if [ "$(field "$row" create)" = false ] && [ "$(field "$row" name)" != default ]; then adopted namespace "$(field "$row" name)"; fi
done 5< <(rows namespace)
while IFS= read -r row <&5; do
  if [ "$(field "$row" create)" = false ]; then adopted serviceaccount "$(field "$row" name)" "$(field "$row" namespace)"; fi
done 5< <(rows service-account)

if [ -n "$(rows bucket-role)" ]; then
  project_number || stop_listing "bucket roles"
  while IFS= read -r row <&5; do ensure_role "$row"; done 5< <(rows bucket-role)
fi
end_step
