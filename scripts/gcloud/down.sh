#!/usr/bin/env bash
# Deletes what up.sh made, the workloads in the cluster first, then in reverse order. What was adopted
# (create: false) stays.
#
#   scripts/gcloud/down.sh [DIR] [--yes] [--delete-data]
#
# It lists all that it would delete and asks you to type the cluster's name; --yes answers for you, and nothing is
# deleted without either. The bucket stays, with all data and checkpoints, unless --delete-data is given; then its name
# is asked for too. A Secret in an adopted cluster goes only if hf-secret.sh has made it. Run it again after a failure or
# an interrupt: what is gone is gone, what is left is listed, with exit code 9.
# DRY_RUN=1 prints the commands and does nothing; it needs no gcloud.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/network.sh
. "$GCLOUD_SCRIPTS/lib/network.sh"
# shellcheck source=lib/cluster.sh
. "$GCLOUD_SCRIPTS/lib/cluster.sh"
# shellcheck source=lib/placement-policy.sh
. "$GCLOUD_SCRIPTS/lib/placement-policy.sh"
# shellcheck source=lib/node-pool.sh
. "$GCLOUD_SCRIPTS/lib/node-pool.sh"
# shellcheck source=lib/bucket.sh
. "$GCLOUD_SCRIPTS/lib/bucket.sh"
# shellcheck source=lib/repository.sh
. "$GCLOUD_SCRIPTS/lib/repository.sh"
# shellcheck source=lib/kubernetes.sh
. "$GCLOUD_SCRIPTS/lib/kubernetes.sh"
# shellcheck source=lib/secret.sh
. "$GCLOUD_SCRIPTS/lib/secret.sh"

YES=false
DELETE_DATA=false
directory=''
for argument in "$@"; do
  case $argument in
    --help) show_help "$0" && exit 0 ;;
    --yes) YES=true ;;
    --delete-data) DELETE_DATA=true ;;
    -*) wrong_usage "$argument: unknown option: use --yes, --delete-data or --help" ;;
    *) directory=$argument ;;
  esac
done
begin_step down "$directory"
CLUSTER_ROW=$(rows cluster)

# here KIND NAME: whether that resource exists. A dry run takes all for existing.
here() { dry || found "$1" "$2"; }

ours() { [ "$(field "$1" create)" = true ]; }

cluster_here() { here cluster "$CLUSTER" && { dry || [ "$(part "$FOUND" 2)" = "$LOCATION" ]; }; }

# in_cluster WORD…: with a kubeconfig of its own: yours may lack the entry, and is not to be switched by a tear-down.
in_cluster() { KUBECONFIG=$WORK/kubeconfig "$@"; }

# open_cluster: makes that kubeconfig, once.
open_cluster() {
  if [ -f "$WORK/kubeconfig" ]; then return 0; fi
  in_cluster change gcloud container clusters get-credentials "$CLUSTER" --project="$PROJECT" --location="$LOCATION" || return 1
  if dry; then : >"$WORK/kubeconfig"; fi
}

# What is looked up before anything is deleted goes into files of $WORK; only what stands in them is listed and deleted.
take_stock() {
  local row
  inventory cluster || stop_listing "cluster $CLUSTER"
  if ! dry && ! ours "$CLUSTER_ROW" && cluster_here && [ -n "$(rows node-pool)" ]; then
    inventory pools || stop_listing "node pools"
  fi
  if [ -n "$(rows placement-policy)" ]; then inventory policies || stop_listing "placement policies"; fi
  for row in network subnet firewall; do
    if [ -n "$(rows "$row")" ]; then inventory "${row}s" || stop_listing "${row}s"; fi
  done
  if [ -n "$(rows repository)" ]; then inventory repositories || stop_listing "repository"; fi
  : >"$WORK/doomed-workloads"
  : >"$WORK/doomed-secrets"
  : >"$WORK/doomed-roles"
  : >"$WORK/doomed-entries"
  if cluster_here; then
    find_workloads
    find_secrets
  fi
  find_roles
  find_kubeconfig_entries
}

find_workloads() {
  if [ ! -d "$DIRECTORY/dist" ]; then
    say "  there is no $DIRECTORY/dist: workloads in the cluster are not looked for"
    return 0
  fi
  if dry; then
    echo "the objects of dist/" >"$WORK/doomed-workloads"
  elif open_cluster && in_cluster list_objects "$WORK/workloads" "$DIRECTORY/dist"; then
    awk 'NF == 3 {
      if ($1 == "Namespace") print $1 " " $3 ", with all that is in it"
      else print $1 " " ($2 == "<none>" ? "" : $2 "/") $3
    }' "$WORK/workloads" >"$WORK/doomed-workloads"
  else
    echo "the objects of dist/, which could not be looked at ($FAILURE_TEXT)" >"$WORK/doomed-workloads"
  fi
}

# The Secrets of a cluster or namespace that is deleted go with it.
find_secrets() {
  local namespace name what
  if ours "$CLUSTER_ROW"; then return 0; fi
  while read -r namespace name <&5; do
    what="secret $namespace/$name"
    if dry; then
      echo "$namespace $name" >>"$WORK/doomed-secrets"
    elif grep -qxF "Namespace $namespace, with all that is in it" "$WORK/doomed-workloads"; then
      continue
    elif ! open_cluster || ! in_cluster list_secret_maker "$WORK/secret-maker" "$namespace" "$name"; then
      outcome_of_failure "$what" "$CLUSTER" 0 "see the cause, then run scripts/gcloud/down.sh again"
    elif [ "$(cat "$WORK/secret-maker")" = "$name|$OWN_SECRET_MAKER" ]; then
      echo "$namespace $name" >>"$WORK/doomed-secrets"
    elif [ -s "$WORK/secret-maker" ]; then
      outcome kept "$what" 0 "hf-secret.sh has not made it"
    fi
  done 5< <(secret_names)
}

# bucket_here NAME: whether the bucket exists; a bucket we may not see is left alone and said so, once.
bucket_here() {
  dry && return 0
  find_bucket "$1" && return 0
  if [ "$FAILURE" != absent ] && [ ! -f "$WORK/unseen.$1" ]; then
    : >"$WORK/unseen.$1"
    outcome_of_failure "bucket $1" "$PROJECT" 0 "look at it in the console"
  fi
  return 1
}

find_roles() {
  local row bucket
  if [ -z "$(rows bucket-role)" ]; then return 0; fi
  if ! project_number; then
    outcome_of_failure "bucket roles" "$PROJECT" 0 "see the cause, then run scripts/gcloud/down.sh again"
    return 0
  fi
  while IFS= read -r row <&5; do
    bucket=$(field "$row" bucket)
    if ! bucket_here "$bucket"; then continue; fi
    if ! list_bindings "$bucket"; then
      left "roles on $bucket" 0
    elif dry || grep -qxF "$(field "$row" role)|$(member_of "$row")" "$WORK/bindings.$bucket"; then
      printf '%s\n' "$row" >>"$WORK/doomed-roles"
    fi
  done 5< <(rows bucket-role)
}

# role_of ROW: how the grant of a bucket-role line is called.
role_of() {
  printf '%s for %s/%s on %s' "$(field "$1" role)" "$(field "$1" namespace)" "$(field "$1" serviceAccount)" "$(field "$1" bucket)"
}

find_kubeconfig_entries() {
  local kind
  if ! ours "$CLUSTER_ROW"; then return 0; fi
  for kind in context cluster user; do
    if dry || kubectl config "get-${kind}s" 2>/dev/null | tr -s ' *' '\n' | grep -qxF "$CONTEXT"; then
      echo "$kind" >>"$WORK/doomed-entries"
    fi
  done
}

# doomed: what will be deleted, one a line.
doomed() {
  local row kind namespace name
  cat "$WORK/doomed-workloads"
  while read -r namespace name <&3; do echo "secret $namespace/$name, with all its keys"; done 3<"$WORK/doomed-secrets"
  if ours "$CLUSTER_ROW"; then
    if cluster_here; then echo "cluster $CLUSTER in $LOCATION, with all its node pools and all that runs in it"; fi
  elif cluster_here; then
    while IFS= read -r row <&3; do
      if here pools "$(field "$row" name)"; then echo "node pool $(field "$row" name)"; fi
    done 3< <(rows node-pool)
  fi
  while IFS= read -r row <&3; do
    if here policies "$(field "$row" name)"; then echo "placement policy $(field "$row" name)"; fi
  done 3< <(rows placement-policy)
  for kind in firewall subnet network; do
    while IFS= read -r row <&3; do
      if ours "$row" && here "${kind}s" "$(field "$row" name)"; then echo "$kind $(field "$row" name)"; fi
    done 3< <(rows "$kind")
  done
  while IFS= read -r row <&3; do echo "the grant of $(role_of "$row")"; done 3<"$WORK/doomed-roles"
  while IFS= read -r row <&3; do
    if ours "$row" && here repositories "$(field "$row" name)"; then echo "repository $(field "$row" name), with all its images"; fi
  done 3< <(rows repository)
  while IFS= read -r row <&3; do
    if [ "$DELETE_DATA" = true ] && ours "$row" && bucket_here "$(field "$row" name)"; then echo "bucket $(field "$row" name), with ALL DATA in it"; fi
  done 3< <(rows bucket)
  while read -r kind <&3; do echo "kubeconfig $kind $CONTEXT"; done 3<"$WORK/doomed-entries"
}

# typed NAME: whether the answer on standard input is that name.
typed() {
  local answer=''
  printf 'type %s to confirm: ' "$1" >&2
  IFS= read -r answer || true
  [ "$answer" = "$1" ]
}

confirm() {
  local row
  if dry || [ "$YES" = true ]; then return 0; fi
  if ! typed "$CLUSTER"; then
    say ""
    say "not confirmed: nothing was deleted; type the name, or give --yes"
    exit 8
  fi
  if [ "$DELETE_DATA" = false ]; then return 0; fi
  while IFS= read -r row <&5; do
    if ours "$row" && ! typed "$(field "$row" name)"; then
      say ""
      say "not confirmed: nothing was deleted; type the name of the bucket, or leave --delete-data out"
      exit 8
    fi
  done 5< <(rows bucket)
}

# remove WHAT WORD…: deletes; gone already is as good.
remove() {
  local what=$1 began=$SECONDS
  shift
  if change "$@"; then
    outcome deleted "$what" $((SECONDS - began))
  else
    left "$what" $((SECONDS - began))
  fi
}

# left WHAT SECONDS: the outcome of a deletion that failed.
left() {
  case $FAILURE in
    absent) outcome absent "$1" "$2" ;;
    denied | login) outcome_of_failure "$1" "$PROJECT" "$2" "" ;;
    *) outcome left "$1" "$2" "$FAILURE_TEXT; next: remove what still uses it, then run scripts/gcloud/down.sh again" ;;
  esac
}

remove_workloads() {
  local began=$SECONDS
  if [ ! -s "$WORK/doomed-workloads" ]; then return 0; fi
  # Without that kubeconfig kubectl fails, and says so.
  open_cluster || true
  if in_cluster kube_change delete --filename="$DIRECTORY/dist" --ignore-not-found --wait=true --timeout=600s; then
    outcome deleted "workloads of dist/" $((SECONDS - began))
  elif ours "$CLUSTER_ROW"; then
    say "  workloads could not be deleted one by one ($FAILURE_TEXT); they go with the cluster"
  else
    left "workloads of dist/" $((SECONDS - began))
  fi
}

# The label is asked for once more, by the command itself.
remove_secrets() {
  local namespace name
  while read -r namespace name <&5; do
    open_cluster || true
    in_cluster remove "secret $namespace/$name" kubectl --context="$CONTEXT" --namespace="$namespace" delete secret \
      --selector="$OWN_SECRET_LABEL=$OWN_SECRET_MAKER" --field-selector="metadata.name=$name"
  done 5<"$WORK/doomed-secrets"
}

remove_cluster() {
  local began=$SECONDS
  if dry || [ "$(cluster_status "$FOUND")" != STOPPING ]; then
    if ! change gcloud container clusters delete "$CLUSTER" --project="$PROJECT" --location="$LOCATION" --async --quiet; then
      left "cluster $CLUSTER" $((SECONDS - began))
      return 0
    fi
  fi
  if dry; then return 0; fi
  refresh_inventory cluster || stop_listing "cluster $CLUSTER"
  if await_cluster STOPPING && [ -z "$FOUND" ]; then
    outcome deleted "cluster $CLUSTER" $((SECONDS - began)) "with its node pools"
  else
    if [ -n "$FOUND" ]; then FAILURE=other FAILURE_TEXT="its status is $(cluster_status "$FOUND")$(message_of "$(part "$FOUND" 12)")"; fi
    left "cluster $CLUSTER" $((SECONDS - began))
  fi
}

# In a cluster that stays, our pools are deleted one by one.
remove_pools() {
  local row name asked=' '
  BEGAN=$SECONDS
  while IFS= read -r row <&5; do
    name=$(field "$row" name)
    if ! here pools "$name"; then continue; fi
    if ! dry && [ "$(pool_status "$FOUND")" = STOPPING ]; then
      asked="$asked$name "
    elif change gcloud container node-pools delete "$name" --project="$PROJECT" --location="$LOCATION" --cluster="$CLUSTER" --async --quiet; then
      asked="$asked$name "
    else
      left "node pool $name" $((SECONDS - BEGAN))
    fi
  done 5< <(rows node-pool)
  if dry || [ "$asked" = ' ' ]; then return 0; fi
  refresh_inventory pools || stop_listing "node pools"
  await_pools STOPPING || stop_listing "node pools"
  for name in $asked; do
    if found pools "$name"; then
      FAILURE=other FAILURE_TEXT="its status is $(pool_status "$FOUND")"
      left "node pool $name" $((SECONDS - BEGAN))
    else
      outcome deleted "node pool $name" $((SECONDS - BEGAN))
    fi
  done
}

remove_networks() {
  local row name
  while IFS= read -r row <&5; do
    name=$(field "$row" name)
    if ! ours "$row"; then outcome kept "firewall $name" 0 adopted && continue; fi
    if here firewalls "$name"; then remove "firewall $name" gcloud compute firewall-rules delete "$name" --project="$PROJECT" --quiet; fi
  done 5< <(rows firewall)
  while IFS= read -r row <&5; do
    name=$(field "$row" name)
    if ! ours "$row"; then outcome kept "subnet $name" 0 adopted && continue; fi
    if here subnets "$name"; then
      remove "subnet $name" gcloud compute networks subnets delete "$name" --project="$PROJECT" --region="$(field "$row" region)" --quiet
    fi
  done 5< <(rows subnet)
  while IFS= read -r row <&5; do
    name=$(field "$row" name)
    if ! ours "$row"; then outcome kept "network $name" 0 adopted && continue; fi
    if here networks "$name"; then remove "network $name" gcloud compute networks delete "$name" --project="$PROJECT" --quiet; fi
  done 5< <(rows network)
}

remove_roles() {
  local row
  while IFS= read -r row <&5; do
    remove "$(role_of "$row")" gcloud storage buckets remove-iam-policy-binding "gs://$(field "$row" bucket)" \
      --project="$PROJECT" --role="$(field "$row" role)" --member="$(member_of "$row")"
  done 5<"$WORK/doomed-roles"
}

remove_buckets() {
  local row name
  while IFS= read -r row <&5; do
    name=$(field "$row" name)
    if ! bucket_here "$name"; then continue; fi
    if ! ours "$row"; then
      outcome kept "bucket $name" 0 adopted
    elif [ "$DELETE_DATA" = false ]; then
      outcome kept "bucket $name" 0 "its data costs money; --delete-data deletes it"
    else
      remove "bucket $name" gcloud storage rm --recursive "gs://$name" --project="$PROJECT" --quiet
    fi
  done 5< <(rows bucket)
}

remove_kubeconfig_entries() {
  local kind
  while read -r kind <&5; do
    remove "kubeconfig $kind $CONTEXT" kubectl config "delete-$kind" "$CONTEXT"
  done 5<"$WORK/doomed-entries"
}

take_stock
if ! dry; then
  doomed >"$WORK/doomed"
  if [ -s "$WORK/doomed" ]; then
    say "to be deleted in project $PROJECT:"
    sed 's/^/  /' "$WORK/doomed" >&2
    confirm
  fi
fi

remove_workloads
remove_secrets
if cluster_here; then
  if ours "$CLUSTER_ROW"; then
    remove_cluster
  else
    remove_pools
    outcome kept "cluster $CLUSTER" 0 adopted
  fi
fi
while IFS= read -r row <&5; do
  name=$(field "$row" name)
  if here policies "$name"; then
    remove "placement policy $name" gcloud compute resource-policies delete "$name" --project="$PROJECT" --region="$(field "$row" region)" --quiet
  fi
done 5< <(rows placement-policy)
remove_networks
remove_roles
while IFS= read -r row <&5; do
  name=$(field "$row" name)
  if ! ours "$row"; then
    outcome kept "repository $name" 0 adopted
  elif here repositories "$name"; then
    remove "repository $name" gcloud artifacts repositories delete "$name" --project="$PROJECT" --location="$(field "$row" location)" --quiet
  fi
done 5< <(rows repository)
remove_buckets
remove_kubeconfig_entries
end_step
