#!/usr/bin/env bash
# Shows what of infrastructure.tsv exists, is missing or differs, and what lives in the cluster: the RayClusters, the
# environment that the TPU webhook gives to workers, and the hosts with TPUs that Ray sees. Changes nothing.
#
#   scripts/gcloud/status.sh [DIR]
#
# Exit code 0: all there. 4: something differs. 1: something is missing or could not be seen.
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

case ${1:-} in
  --help) show_help "$0" && exit 0 ;;
  -*) wrong_usage "$1: unknown option: use scripts/gcloud/status.sh [DIR]" ;;
esac
begin_step status "${1:-}"
if dry; then
  say "status changes nothing: run it without DRY_RUN"
  exit 0
fi

# show KIND INVENTORY: the rows of a kind against what is there.
show() {
  local row name what
  if [ -z "$(rows "$1")" ]; then return 0; fi
  if ! inventory "$2"; then
    outcome failed "$1" 0 "$FAILURE_TEXT"
    return 0
  fi
  while IFS= read -r row <&4; do
    name=$(field "$row" name)
    what="$1 $name"
    if ! found "$2" "$name"; then
      outcome failed "$what" 0 missing
      continue
    fi
    "$3" "$row" "$FOUND"
    if [ -n "$DIFFERENCE" ]; then outcome differs "$what" 0 "$DIFFERENCE"; else outcome present "$what" 0; fi
  done 4< <(rows "$1")
}

show_buckets() {
  local row name
  while IFS= read -r row <&4; do
    name=$(field "$row" name)
    if ! find_bucket "$name"; then
      outcome failed "bucket $name" 0 "$FAILURE_TEXT"
      continue
    fi
    bucket_difference "$row" "$FOUND"
    if [ -n "$DIFFERENCE" ]; then outcome differs "bucket $name" 0 "$DIFFERENCE"; else outcome present "bucket $name" 0; fi
  done 4< <(rows bucket)
}

show_images() {
  local row
  if [ -z "$(rows image)" ] || [ -z "$(rows repository)" ]; then return 0; fi
  if ! inventory images; then
    outcome failed "images" 0 "$FAILURE_TEXT"
    return 0
  fi
  while IFS= read -r row <&4; do
    if image_exists "$(field "$row" name)"; then
      outcome present "image $(field "$row" name)" 0
    else
      outcome failed "image $(field "$row" name)" 0 missing
    fi
  done 4< <(rows image)
}

# show_ray NAMESPACE: one line for each RayCluster, its workers and what its dashboard says.
show_ray() {
  local name state wanted ready nodes
  if ! kube_into "$WORK/rayclusters" get rayclusters.ray.io --namespace="$1" --no-headers \
    --output='custom-columns=NAME:.metadata.name,STATE:.status.state,WANTED:.status.desiredWorkerReplicas,READY:.status.readyWorkerReplicas'; then
    say "  RayClusters in $1 could not be seen: $FAILURE_TEXT"
    return 0
  fi
  if [ ! -s "$WORK/rayclusters" ]; then say "  no RayCluster in $1 yet: kubectl apply -f $DIRECTORY/dist/"; fi
  while read -r name state wanted ready <&4; do
    say "  RayCluster $1/$name: state $state, workers ready $ready of $wanted"
    show_webhook "$1" "$name"
    # Through the API server, so that no port needs to be forwarded.
    if kube_into "$WORK/ray-nodes" get --raw "/api/v1/namespaces/$1/services/$name-head-svc:8265/proxy/api/v0/nodes?detail=1&limit=10000&filter_keys=state&filter_predicates=%3D&filter_values=ALIVE"; then
      nodes=$(tr '{' '\n' <"$WORK/ray-nodes" | grep -oE '"TPU": *[0-9.]+' | grep -oE '[0-9.]+$' || true)
      say "    Ray sees $(printf '%s' "$nodes" | grep -c . || true) hosts with TPUs, $(printf '%s\n' "$nodes" | awk '{ sum += $1 } END { print sum + 0 }') TPU in all"
    else
      say "    the dashboard does not answer: $FAILURE_TEXT"
    fi
  done 4<"$WORK/rayclusters"
}

# show_webhook NAMESPACE NAME: whether the workers carry what GKE's TPU webhook adds for them.
show_webhook() {
  local variable missing='' workers
  if ! kube_into "$WORK/workers" get pods --namespace="$1" --selector="ray.io/cluster=$2,ray.io/node-type=worker" \
    --output='jsonpath={range .items[*]}{.metadata.name}{range .spec.containers[*].env[*]}{" "}{.name}{end}{"\n"}{end}'; then
    say "    workers could not be seen: $FAILURE_TEXT"
    return 0
  fi
  workers=$(grep -c . "$WORK/workers" || true)
  if [ "$workers" = 0 ]; then return 0; fi
  for variable in TPU_WORKER_ID TPU_NAME; do
    if [ "$(grep -cw "$variable" "$WORK/workers" || true)" != "$workers" ]; then missing="$missing $variable"; fi
  done
  if [ -n "$missing" ]; then
    outcome failed "TPU webhook for $1/$2" 0 "not all of $workers workers have$missing; next: delete the workers, the webhook adds it when they are made"
  else
    say "    the TPU webhook has given all $workers workers their identity"
  fi
}

show network networks network_difference
show subnet subnets subnet_difference
show firewall firewalls firewall_difference
show cluster cluster cluster_difference
cluster_running=false
if [ -f "$WORK/inventory.cluster" ] && found cluster "$CLUSTER"; then cluster_running=true; fi
show placement-policy policies policy_difference
if [ "$cluster_running" = true ]; then show node-pool pools pool_and_size_difference; fi
show_buckets
show repository repositories repository_difference
show_images
if [ "$cluster_running" = true ]; then
  for namespace in $(rows service-account | while IFS= read -r row; do field "$row" namespace && echo; done | sort -u); do
    show_ray "$namespace"
  done
fi
end_step
