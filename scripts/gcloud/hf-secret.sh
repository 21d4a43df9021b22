#!/usr/bin/env bash
# Puts a Hugging Face token into the cluster as a Secret, for runs that read gated models or data sets.
#
#   scripts/gcloud/hf-secret.sh [DIR] < token-file
#   HF_TOKEN_FILE=token-file scripts/gcloud/hf-secret.sh [DIR]
#   scripts/gcloud/hf-secret.sh [DIR] --check
#
# The token comes from standard input or a file, never as an argument, and is printed nowhere. --check only says
# whether the Secret is there. First accept the model's licence on its page with the token's account and make a token
# of kind Read (docs/operations.md). DRY_RUN=1 prints the command and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/kubernetes.sh
. "$GCLOUD_SCRIPTS/lib/kubernetes.sh"

CHECK=false
directory=''
for argument in "$@"; do
  case $argument in
    --help) show_help "$0" && exit 0 ;;
    --check) CHECK=true ;;
    -*) wrong_usage "$argument: unknown option: use --check or --help; the token is read from standard input" ;;
    *) directory=$argument ;;
  esac
done
begin_step hf-secret "$directory"
if [ -z "$(rows secret)" ]; then end_step; fi

read_token() {
  if [ -n "${HF_TOKEN_FILE:-}" ]; then
    if [ ! -r "$HF_TOKEN_FILE" ]; then wrong_usage "HF_TOKEN_FILE: $HF_TOKEN_FILE cannot be read: name a file that holds the token"; fi
    TOKEN=$(cat "$HF_TOKEN_FILE")
  else
    if [ -t 0 ]; then say "paste the token, then press Enter and Ctrl-D:"; fi
    TOKEN=$(cat)
  fi
  case $TOKEN in
    '') wrong_usage "the token is empty: give it on standard input, or name its file in HF_TOKEN_FILE" ;;
    *[[:space:]]*) wrong_usage "the token holds white space: give the token alone, one line" ;;
  esac
}

# The namespace may come with dist/ later; kubectl apply then takes it over.
ensure_namespace() { # NAMESPACE
  if [ "$1" = default ] || kube_into "$WORK/namespace" get namespace "$1" --output=name; then return 0; fi
  [ "$FAILURE" = absent ] && kube_change create namespace "$1"
}

ensure_secret() { # ROW
  local name key namespace what verb status=created began=$SECONDS
  name=$(field "$1" name)
  key=$(field "$1" key)
  namespace=$(field "$1" namespace)
  what="secret $namespace/$name"
  if dry; then
    printf '%s < token-file\n' "$(command_line kubectl --context="$CONTEXT" --namespace="$namespace" create secret generic "$name" --from-file="$key=/dev/stdin")"
    return 0
  fi
  if kube_into "$WORK/secret" get secret "$name" --namespace="$namespace" --output=jsonpath="{.data.$(printf '%s' "$key" | sed 's/\./\\./g')}"; then
    if [ -s "$WORK/secret" ] && { [ "$CHECK" = true ] || [ "$(cat "$WORK/secret")" = "$(printf '%s' "$TOKEN" | base64 | tr -d '\n')" ]; }; then
      outcome unchanged "$what" 0
      return 0
    fi
    status=changed
  elif [ "$FAILURE" != absent ]; then
    outcome_of_failure "$what" "$CLUSTER" 0 "run scripts/gcloud/credentials.sh, then this again"
    return 0
  fi
  if [ "$CHECK" = true ]; then
    outcome todo "$what" 0 "no key $key yet; next: scripts/gcloud/hf-secret.sh < token-file"
    return 0
  fi
  if ! ensure_namespace "$namespace"; then
    outcome_of_failure "$what" "$CLUSTER" 0 "run scripts/gcloud/credentials.sh, then this again"
    return 0
  fi
  # Not apply: that would keep a copy of the token in an annotation.
  if [ "$status" = created ]; then verb=create; else verb=replace; fi
  say "+ $(command_line kubectl --context="$CONTEXT" --namespace="$namespace" "$verb" --validate=false --filename=-) < (the Secret with the token)"
  if printf '%s' "$TOKEN" | kube --namespace="$namespace" create secret generic "$name" --from-file="$key=/dev/stdin" --dry-run=client --output=yaml |
    kube --namespace="$namespace" "$verb" --validate=false --filename=- >"$WORK/secret.log" 2>&1; then
    outcome "$status" "$what" $((SECONDS - began))
  else
    explain_failure "$WORK/secret.log"
    outcome_of_failure "$what" "$CLUSTER" $((SECONDS - began)) "run scripts/gcloud/hf-secret.sh again"
  fi
}

if [ "$CHECK" = false ] && ! dry; then read_token; fi
while IFS= read -r row <&5; do ensure_secret "$row"; done 5< <(rows secret)
end_step
