# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# What a failed command means. Texts are matched by substrings that have been stable over gcloud versions.

FAILURE=''      # exists, absent, busy, capacity, quota, denied, api-off, login, no-context or other
FAILURE_TEXT='' # the cause in one line

# explain_failure LOG
explain_failure() {
  FAILURE_TEXT=$(cause_of "$1")
  FAILURE=other
  # The order matters: "quota" of concurrent operations is a busy cluster, a 403 may be a quota or an API that is off.
  if mentions "$1" 'is running incompatible operation' 'lease wait and try again once it is done' 'hits the concurrent operations quota'; then
    FAILURE=busy
  elif mentions "$1" 'ZONE_RESOURCE_POOL_EXHAUSTED' 'GCE_STOCKOUT' 'does not have enough resources available' 'stockout'; then
    FAILURE=capacity
  elif mentions "$1" 'nsufficient regional quota' 'QUOTA_EXCEEDED' 'Quota exceeded' 'quota limit' 'exceeds quota'; then
    FAILURE=quota
  elif mentions "$1" 'SERVICE_DISABLED' 'has not been used in project' 'API is not enabled'; then
    FAILURE=api-off
  elif mentions "$1" 'currently have an active account' 'eauthentication' 'invalid_grant' 'gcloud auth login'; then
    FAILURE=login
  elif mentions "$1" 'PERMISSION_DENIED' 'code=403' 'does not have permission' 'permission denied' 'Permission denied' 'Required "' "Required '" 'HTTPError 403' 'Forbidden'; then
    FAILURE=denied
  elif mentions "$1" 'error: context'; then
    FAILURE=no-context # kubectl says "does not exist" of it too
  elif mentions "$1" 'Already exists' 'ALREADY_EXISTS' 'already exists' 'already own it' 'AlreadyExists'; then
    FAILURE=exists
  elif mentions "$1" 'Not found' 'NOT_FOUND' 'was not found' 'not found: 404' 'NotFound' 'does not exist'; then
    FAILURE=absent
  fi
}

# mentions LOG TEXT…: whether the log holds one of the texts.
mentions() {
  local log=$1 text
  shift
  for text in "$@"; do
    if grep -qF -- "$text" "$log"; then return 0; fi
  done
  return 1
}

# cause_of LOG: the first error in one line, without gcloud's own frame around it.
cause_of() {
  awk '
    !error && /^ERROR: |^Error from server|^error: |^The connection to the server|^Unable to connect/ { error = 1; text = $0; more = /:[ ]*$/; next }
    error && more && NF { sub(/^[ ]*-?[ ]*/, ""); text = text " " $0; exit }
    NF { last = $0 }
    END {
      if (!error) text = last
      sub(/^ERROR: /, "", text)
      sub(/^\(gcloud[^)]*\) /, "", text)
      sub(/^ResponseError: code=[0-9]+, message=/, "", text)
      sub(/[. ]+$/, "", text)
      print substr(text, 1, 300)
    }
  ' "$1"
}
