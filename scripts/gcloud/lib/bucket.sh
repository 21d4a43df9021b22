# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# The Cloud Storage bucket and who may use it.

# find_bucket NAME: sets FOUND to name|location|uniform|hierarchical; fails with FAILURE absent when there is none.
# --raw: gcloud's own form of a bucket lacks the hierarchical namespace.
find_bucket() {
  FOUND=''
  if [ ! -f "$WORK/bucket.$1" ]; then
    read_into "$WORK/bucket.$1" gcloud storage buckets describe "gs://$1" --project="$PROJECT" --raw \
      --format='value[separator="|"](name,location,iamConfiguration.uniformBucketLevelAccess.enabled,hierarchicalNamespace.enabled)' || return 1
  fi
  FOUND=$(cat "$WORK/bucket.$1")
}

bucket_difference() { # ROW FOUND
  DIFFERENCE=''
  # A bucket that was there before may lie anywhere; what the mount and the bindings rely on must hold.
  if [ "$(field "$1" create)" = true ]; then
    compare location "$(field "$1" location)" "$(part "$2" 2)"
    compare hierarchicalNamespace "$(field "$1" hierarchicalNamespace)" "$(part "$2" 4)"
  fi
  if [ "$(field "$1" uniformAccess)" = true ]; then compare uniformAccess true "$(part "$2" 3)"; fi
}

bucket_arguments() { # ROW
  ARGUMENTS=(gcloud storage buckets create "gs://$(field "$1" name)" --project="$PROJECT"
    --location="$(field "$1" location)" --public-access-prevention)
  if [ "$(field "$1" uniformAccess)" = true ]; then ARGUMENTS+=(--uniform-bucket-level-access); fi
  if [ "$(field "$1" hierarchicalNamespace)" = true ]; then ARGUMENTS+=(--enable-hierarchical-namespace); fi
}

# member_of ROW: the Workload Identity principal of a bucket-role line; PROJECT_NUMBER must be set.
member_of() {
  printf 'principal://iam.googleapis.com/projects/%s/locations/global/workloadIdentityPools/%s.svc.id.goog/subject/ns/%s/sa/%s' \
    "$PROJECT_NUMBER" "$PROJECT" "$(field "$1" namespace)" "$(field "$1" serviceAccount)"
}

# list_bindings BUCKET: makes $WORK/bindings.BUCKET, one role|member a line.
list_bindings() {
  if [ -f "$WORK/bindings.$1" ]; then return 0; fi
  if dry; then
    : >"$WORK/bindings.$1"
    return 0
  fi
  read_into "$WORK/bindings.$1" gcloud storage buckets get-iam-policy "gs://$1" --project="$PROJECT" \
    --flatten='bindings[].members[]' --format='value[separator="|"](bindings.role,bindings.members)'
}
