#!/usr/bin/env bash
# Puts a Hugging Face token into the cluster as a Secret, for runs that read gated models or data sets.
#
#   scripts/gcloud/hf-secret.sh [DIR] < token-file
#   HF_TOKEN_FILE=token-file scripts/gcloud/hf-secret.sh [DIR]
#   scripts/gcloud/hf-secret.sh [DIR] --check
#
# The token comes from standard input or a file, never as an argument, and is printed nowhere. It goes where a run reads
# HF_TOKEN or HUGGING_FACE_HUB_TOKEN from; other keys of that Secret stay as they are. Whatever else runs read from
# Secrets is only looked for: what is missing is listed with the command that makes it. --check only looks.
# First accept the model's licence on its page with the token's account and make a token of kind Read
# (docs/operations.md). DRY_RUN=1 prints the command and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/kubernetes.sh
. "$GCLOUD_SCRIPTS/lib/kubernetes.sh"
# shellcheck source=lib/secret.sh
. "$GCLOUD_SCRIPTS/lib/secret.sh"

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

is_hub_token() { [ "$(field "$1" hubToken)" = true ]; }

what_of() { # ROW
  printf 'secret %s/%s key %s' "$(field "$1" namespace)" "$(field "$1" name)" "$(field "$1" key)"
}

# The namespace may come with dist/ later; kubectl apply then takes it over.
ensure_namespace() { # NAMESPACE
  if [ "$1" = default ] || kube_into "$WORK/namespace" get namespace "$1" --output=name; then return 0; fi
  [ "$FAILURE" = absent ] && kube_change create namespace "$1"
}

encoded_token() { printf '%s' "$TOKEN" | base64 | tr -d '\n'; }

# token_body STATUS ROW: the Secret to be made, or what is to be changed in it. It goes through a pipe, since arguments can
# be read by others; printf is the shell's own.
token_body() {
  local data
  data=$(printf '"data":{"%s":"%s"}' "$(field "$2" key)" "$(encoded_token)")
  if [ "$1" = changed ]; then
    printf '{%s}' "$data"
  else
    printf '{"apiVersion":"v1","kind":"Secret","type":"Opaque","metadata":{"name":"%s","labels":{"%s":"%s"}},%s}' \
      "$(field "$2" name)" "$OWN_SECRET_LABEL" "$OWN_SECRET_MAKER" "$data"
  fi
}

ensure_token() { # ROW
  local name key namespace what status=created began=$SECONDS
  name=$(field "$1" name)
  key=$(field "$1" key)
  namespace=$(field "$1" namespace)
  what=$(what_of "$1")
  # Not apply: that would keep a copy of the token in an annotation.
  COMMAND=(kubectl --context="$CONTEXT" --namespace="$namespace" create --validate=false --filename=-)
  if dry; then
    printf '%s < SECRET_WITH_THE_TOKEN\n' "$(command_line "${COMMAND[@]}")"
    return 0
  fi
  if kube_into "$WORK/secret" get secret "$name" --namespace="$namespace" --output=jsonpath="{.data.$(printf '%s' "$key" | sed 's/\./\\./g')}"; then
    if [ -s "$WORK/secret" ] && { [ "$CHECK" = true ] || [ "$(cat "$WORK/secret")" = "$(encoded_token)" ]; }; then
      outcome unchanged "$what" 0
      return 0
    fi
    # A patch, since the Secret may hold what others have put there.
    status=changed
    COMMAND=(kubectl --context="$CONTEXT" --namespace="$namespace" patch secret "$name" --type=merge --patch-file=/dev/stdin)
  elif [ "$FAILURE" != absent ]; then
    outcome_of_failure "$what" "$CLUSTER" 0 "run scripts/gcloud/credentials.sh, then this again"
    return 0
  fi
  if [ "$CHECK" = true ]; then
    outcome todo "$what" 0 "no token there yet; next: scripts/gcloud/hf-secret.sh < token-file"
    return 0
  fi
  if ! ensure_namespace "$namespace"; then
    outcome_of_failure "$what" "$CLUSTER" 0 "run scripts/gcloud/credentials.sh, then this again"
    return 0
  fi
  say "+ $(command_line "${COMMAND[@]}") < (the token)"
  if token_body "$status" "$1" | "${COMMAND[@]}" >"$WORK/secret.log" 2>&1; then
    outcome "$status" "$what" $((SECONDS - began))
  else
    explain_failure "$WORK/secret.log"
    outcome_of_failure "$what" "$CLUSTER" $((SECONDS - began)) "run scripts/gcloud/hf-secret.sh again"
  fi
}

# command_for ROW: puts a key into a Secret from a file, whether the Secret is there or not, and leaves its other keys.
command_for() {
  local name key
  name=$(field "$1" name)
  key=$(field "$1" key)
  OPTIONS=(--context="$CONTEXT" --namespace="$(field "$1" namespace)")
  printf '%s < FILE | %s' \
    "$(command_line kubectl "${OPTIONS[@]}" create secret generic "$name" --from-file="$key=/dev/stdin" --dry-run=client --output=json)" \
    "$(command_line kubectl "${OPTIONS[@]}" apply --server-side --field-manager="$key" --filename=-)"
}

# look_for ROW: a key that is not ours to write.
look_for() {
  if dry; then return 0; fi
  if ! list_secret_keys "$WORK/secret-keys" "$(field "$1" namespace)" "$(field "$1" name)"; then
    if [ "$FAILURE" != absent ]; then
      outcome_of_failure "$(what_of "$1")" "$CLUSTER" 0 "run scripts/gcloud/credentials.sh, then this again"
      return 0
    fi
    : >"$WORK/secret-keys"
  fi
  if grep -qxF -e "$(field "$1" key)" "$WORK/secret-keys"; then
    outcome unchanged "$(what_of "$1")" 0
  else
    outcome todo "$(what_of "$1")" 0 "not there yet; next, with the value in FILE: $(command_for "$1")"
  fi
}

if [ "$CHECK" = false ] && ! dry; then
  if rows secret | grep -q "${TAB}hubToken=true"; then
    read_token
  else
    say "  no run reads a Hugging Face token (HF_TOKEN or HUGGING_FACE_HUB_TOKEN): none is written"
  fi
fi
while IFS= read -r row <&5; do
  if is_hub_token "$row"; then ensure_token "$row"; fi
done 5< <(rows secret)
while IFS= read -r row <&5; do
  if ! is_hub_token "$row"; then look_for "$row"; fi
done 5< <(rows secret)
end_step
