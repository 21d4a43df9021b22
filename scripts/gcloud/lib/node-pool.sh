# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# Node pools: the CPU pool of heads and submitters, and one pool for each TPU slice.

# What gcloud is asked of every pool, before the fields of its capacity; the messages come last, since they hold any text.
POOL_FIELDS='name,status,config.machineType,initialNodeCount,placementPolicy.tpuTopology,placementPolicy.policyName,autoscaling.enabled,autoscaling.minNodeCount,autoscaling.maxNodeCount,config.advancedMachineFeatures.threadsPerCore,locations.list(),networkConfig.additionalNodeNetworkConfigs[].subnetwork.list(),config.workloadMetadataConfig.mode,config.labels.list(),config.taints[].key.list(),config.taints[].value.list(),config.taints[].effect.list()'
POOL_FIELD_COUNT=17

# capacity_fields: the fields of gcloud by which capacities differ, one a line, in the order of infrastructure.tsv; all
# its pools have the same.
capacity_fields() {
  field "$(rows node-pool | head -n 1)" capacityFields | tr ',' '\n' | sed 's/=.*//'
}

list_pools() {
  local asked
  asked=$POOL_FIELDS$(capacity_fields | sed 's/^/,/' | tr -d '\n')
  read_into "$1" gcloud container node-pools list --project="$PROJECT" --location="$LOCATION" --cluster="$CLUSTER" \
    --format="value[separator=\"|\"]($asked,conditions[].message.list(),statusMessage)"
}

pool_status() { part "$1" 2; }

# pool_message FOUND: why a pool is in an error state, as far as GKE says.
pool_message() {
  local message last
  last=$((POOL_FIELD_COUNT + $(capacity_fields | grep -c .)))
  message=$(part "$1" $((last + 1)))
  if [ -z "$message" ]; then message=$(part "$1" $((last + 2))); fi
  printf '%s' "${message:-GKE gives no reason}"
}

# can_be_resized ROW: a CPU pool of a fixed size gets nodes while its pods go on; the nodes of a slice come and go together.
can_be_resized() { [ "$(field "$1" role)" = cpu ] && [ "$(field "$1" autoscaling)" = false ]; }

# recorded_nodes FOUND: what GKE has noted; it notes a resize by hand too.
recorded_nodes() { number "$(part "$1" 4)"; }

# lacks_nodes ROW FOUND: whether a CPU pool has fewer nodes than planned; sets NODES. Code 2 when that cannot be seen.
lacks_nodes() {
  NODES=$(recorded_nodes "$2")
  if ! can_be_resized "$1" || [ "$NODES" -ge "$(field "$1" nodes)" ]; then return 1; fi
  # A resize to fewer nodes than there are would end pods: GKE's note alone is not enough for it.
  kube_into "$WORK/nodes" get nodes --selector="cloud.google.com/gke-nodepool=$(field "$1" name)" --output=name || return 2
  NODES=$(grep -c . "$WORK/nodes" || true)
  [ "$NODES" -lt "$(field "$1" nodes)" ]
}

# Everything but the size of a CPU pool.
pool_difference() { # ROW FOUND
  local pair index=$POOL_FIELD_COUNT
  DIFFERENCE=''
  case $(pool_status "$2") in
    RUNNING | RECONCILING | PROVISIONING) ;;
    *) compare status RUNNING "$(pool_status "$2")$(message_of "$(pool_message "$2")")" ;;
  esac
  compare machineType "$(field "$1" machineType)" "$(part "$2" 3)"
  # GKE fills in the topology of a placement policy by itself.
  if [ -n "$(field "$1" placementPolicy)" ]; then
    compare placementPolicy "$(field "$1" placementPolicy)" "$(part "$2" 6 | sed 's#.*/##')"
  else
    compare topology "$(field "$1" topology)" "$(part "$2" 5)"
  fi
  compare autoscaling "$(field "$1" autoscaling)" "$(part "$2" 7)"
  if [ "$(field "$1" autoscaling)" = true ]; then
    compare minNodes "$(field "$1" minNodes)" "$(number "$(part "$2" 8)")"
    compare maxNodes "$(field "$1" maxNodes)" "$(number "$(part "$2" 9)")"
  elif ! can_be_resized "$1"; then
    compare nodes "$(field "$1" nodes)" "$(recorded_nodes "$2")"
  fi
  for pair in $(field "$1" capacityFields | tr ',' ' '); do
    index=$((index + 1))
    compare "$(printf '%s' "${pair%%=*}" | sed -e 's/^config\.//' -e 's/\.list()$//')" "${pair#*=}" "$(part "$2" "$index")"
  done
  if [ -n "$(field "$1" threadsPerCore)" ]; then
    compare threadsPerCore "$(field "$1" threadsPerCore)" "$(part "$2" 10)"
  fi
  compare zone "$(field "$1" zone)" "$(part "$2" 11)"
  compare additionalNetworks "$(sorted "$(subnets_of "$1")")" "$(sorted "$(part "$2" 12 | sed 's#[^,;]*/##g')")"
  if [ -n "$(field "$1" metadata)" ]; then compare metadata "$(field "$1" metadata)" "$(part "$2" 13)"; fi
  LASTING_DIFFERENCE=$DIFFERENCE
  for pair in $(node_labels "$1" | tr ',' ' '); do
    case ,$(part "$2" 14), in
      *,"$pair",*) ;;
      *) compare "label ${pair%%=*}" "${pair#*=}" '' ;;
    esac
  done
  for pair in $(field "$1" taints | tr ',' ' '); do
    case ,$(pool_taints "$2"), in
      *,"$pair",*) ;;
      *) compare "taint ${pair%%=*}" "${pair#*=}" '' ;;
    esac
  done
}

# pool_taints FOUND: the taints of a pool as gcloud takes them: KEY=VALUE:EFFECT, comma-separated. GKE has three lists.
pool_taints() {
  paste -d '=:' <(part "$1" 15 | tr ',' '\n' | tr ';' '\n') <(part "$1" 16 | tr ',' '\n' | tr ';' '\n') \
    <(part "$1" 17 | tr ',' '\n' | tr ';' '\n' | sed -e 's/^NO_SCHEDULE$/NoSchedule/' -e 's/^NO_EXECUTE$/NoExecute/' -e 's/^PREFER_NO_SCHEDULE$/PreferNoSchedule/') |
    sed -e '/^=:$/d' | tr '\n' ',' | sed 's/,$//'
}

# pool_update_command ROW FOUND: puts labels and taints on the nodes of a pool as they are. gcloud replaces both lists, so
# that those that others have put there are named too.
pool_update_command() {
  local labels taints
  labels=$(union "$(node_labels "$1")" "$(part "$2" 14)")
  taints=$(union "$(field "$1" taints)" "$(pool_taints "$2")")
  ARGUMENTS=(gcloud container node-pools update "$(field "$1" name)" --project="$PROJECT" --location="$LOCATION" --cluster="$CLUSTER")
  if [ -n "$taints" ]; then command_line "${ARGUMENTS[@]}" --node-taints="$taints" --quiet && printf ' and '; fi
  command_line "${ARGUMENTS[@]}" --node-labels="$labels" --quiet
}

# union OURS THEIRS: both comma-separated lists, ours first, without those of theirs that have a key of ours or are GKE's own.
union() {
  local pair all=$1
  for pair in $(printf '%s' "$2" | tr ',' ' ' | tr ';' ' '); do
    case ,$1 in *,"${pair%%=*}="*) continue ;; esac
    case $pair in cloud.google.com/* | google.com/* | iam.gke.io/*) continue ;; esac
    all=$all${all:+,}$pair
  done
  printf '%s' "$all"
}

# With it, for a reader; what cannot be counted is as GKE has noted it.
pool_and_size_difference() { # ROW FOUND
  local code=0
  pool_difference "$1" "$2"
  lacks_nodes "$1" "$2" || code=$?
  if [ "$code" != 1 ]; then compare nodes "$(field "$1" nodes)" "$NODES"; fi
}

# number TEXT: the text, or 0; the API leaves zeros out.
number() { printf '%s' "${1:-0}"; }

subnets_of() { # ROW
  field "$1" additionalNetworks | tr ',' '\n' | sed 's/.*://' | tr '\n' ',' | sed 's/,$//'
}

node_labels() { # ROW
  field "$1" labels | tr ',' '\n' | sed 's/:/=/' | tr '\n' ',' | sed 's/,$//'
}

# pools_in STATUS: whether one of our pools is in that status.
pools_in() {
  local row
  while IFS= read -r row <&3; do
    if found pools "$(field "$row" name)" && [ "$(pool_status "$FOUND")" = "$1" ]; then return 0; fi
  done 3< <(rows node-pool)
  return 1
}

# await_pools STATUS: looks until no pool of ours is in that status, or the time is up; notes when each left it. BEGAN
# says since when.
await_pools() {
  local row name
  while pools_in "$1"; do
    if [ $((SECONDS - BEGAN)) -ge "$WAIT_LIMIT_SECONDS" ]; then break; fi
    show_pools "$1"
    sleep "$POLL_SECONDS"
    if ! refresh_inventory pools; then
      progress_end
      return 1
    fi
    while IFS= read -r row <&4; do
      name=$(field "$row" name)
      if [ ! -f "$WORK/settled.$name" ] && { ! found pools "$name" || [ "$(pool_status "$FOUND")" != "$1" ]; }; then
        printf '%s\n' "$SECONDS" >"$WORK/settled.$name"
      fi
    done 4< <(rows node-pool)
  done
  progress_end
}

# show_pools STATUS: how many pools are no longer in that status.
show_pools() {
  local row total=0 settled=0
  while IFS= read -r row <&4; do
    total=$((total + 1))
    if ! found pools "$(field "$row" name)" || [ "$(pool_status "$FOUND")" != "$1" ]; then settled=$((settled + 1)); fi
  done 4< <(rows node-pool)
  progress "$settled" "$total" $((SECONDS - BEGAN)) "node pools are no longer $1"
}

pool_delete_command() { # NAME
  command_line gcloud container node-pools delete "$1" --project="$PROJECT" --location="$LOCATION" --cluster="$CLUSTER" --quiet
}

pool_resize_arguments() { # ROW
  ARGUMENTS=(gcloud container clusters resize "$CLUSTER" --project="$PROJECT" --location="$LOCATION"
    --node-pool="$(field "$1" name)" --num-nodes="$(field "$1" nodes)" --quiet)
}

pool_arguments() { # ROW
  local pair labels flag
  ARGUMENTS=(gcloud container node-pools create "$(field "$1" name)" --project="$PROJECT" --location="$LOCATION"
    --cluster="$CLUSTER" --node-locations="$(field "$1" zone)" --machine-type="$(field "$1" machineType)"
    --num-nodes="$(field "$1" nodes)")
  if [ -n "$(field "$1" topology)" ]; then ARGUMENTS+=(--tpu-topology="$(field "$1" topology)"); fi
  if [ -n "$(field "$1" placementPolicy)" ]; then ARGUMENTS+=(--placement-policy="$(field "$1" placementPolicy)"); fi
  if [ -n "$(field "$1" threadsPerCore)" ]; then ARGUMENTS+=(--threads-per-core="$(field "$1" threadsPerCore)"); fi
  if [ "$(field "$1" autoscaling)" = true ]; then
    # Per-zone bounds, not totals: GKE refuses a multi-host pool sized by totals. ANY takes capacity where it is.
    ARGUMENTS+=(--enable-autoscaling --min-nodes="$(field "$1" minNodes)" --max-nodes="$(field "$1" maxNodes)")
    if [ "$(field "$1" role)" = tpu ]; then ARGUMENTS+=(--location-policy=ANY); fi
  fi
  for flag in $(field "$1" capacityFlags | tr ',' ' '); do ARGUMENTS+=("$flag"); done
  if [ "$(field "$1" role)" = tpu ]; then ARGUMENTS+=(--enable-gvnic); fi
  if [ -n "$(field "$1" networkProfile)" ]; then
    ARGUMENTS+=(--accelerator-network-profile="$(field "$1" networkProfile)")
  fi
  for pair in $(field "$1" additionalNetworks | tr ',' ' '); do
    ARGUMENTS+=(--additional-node-network="network=${pair%%:*},subnetwork=${pair#*:}")
  done
  labels=$(node_labels "$1")
  if [ -n "$labels" ]; then ARGUMENTS+=(--node-labels="$labels"); fi
  if [ -n "$(field "$1" taints)" ]; then ARGUMENTS+=(--node-taints="$(field "$1" taints)"); fi
  if [ -n "$(field "$1" metadata)" ]; then ARGUMENTS+=(--workload-metadata="$(field "$1" metadata)"); fi
  ARGUMENTS+=(--async --quiet)
}
