# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# The GKE cluster.

# By name in all locations, so that a cluster of this name elsewhere is seen.
list_cluster() {
  read_into "$1" gcloud container clusters list --project="$PROJECT" --filter="name=$CLUSTER" \
    --format='value[separator="|"](name,location,status,currentMasterVersion,autopilot.enabled,networkConfig.datapathProvider,networkConfig.enableMultiNetworking,workloadIdentityConfig.workloadPool,addonsConfig.rayOperatorConfig.enabled,addonsConfig.gcsFuseCsiDriverConfig.enabled,endpoint,statusMessage)'
}

cluster_status() { part "$1" 3; }

# await_cluster STATUS: looks until the cluster is no longer in that status; sets FOUND, empty when it is gone.
await_cluster() {
  local began=$SECONDS
  while found cluster "$CLUSTER" && [ "$(cluster_status "$FOUND")" = "$1" ]; do
    if [ $((SECONDS - began)) -ge "$WAIT_LIMIT_SECONDS" ]; then
      FAILURE=busy FAILURE_TEXT="still $1 after $((SECONDS - began)) s"
      return 1
    fi
    sleep "$POLL_SECONDS"
    refresh_inventory cluster || return 1
  done
}

cluster_difference() { # ROW FOUND
  local mode=standard dataplane=false version
  DIFFERENCE=''
  if [ "$(part "$2" 5)" = True ]; then mode=autopilot; fi
  if [ "$(part "$2" 6)" = ADVANCED_DATAPATH ]; then dataplane=true; fi
  case $(cluster_status "$2") in
    RUNNING | RECONCILING) ;;
    *) compare status RUNNING "$(cluster_status "$2")$(message_of "$(part "$2" 12)")" ;;
  esac
  compare location "$(field "$1" location)" "$(part "$2" 2)"
  compare mode "$(field "$1" mode)" "$mode"
  # Autopilot has Dataplane V2, Workload Identity and the GCS FUSE driver in any case.
  if [ "$mode" = standard ]; then
    if [ "$(field "$1" dataplaneV2)" = true ]; then compare dataplaneV2 true "$dataplane"; fi
    if [ "$(field "$1" multiNetworking)" = true ]; then compare multiNetworking true "$(part "$2" 7)"; fi
    if [ -n "$(field "$1" workloadPool)" ]; then compare workloadPool "$(field "$1" workloadPool)" "$(part "$2" 8)"; fi
    case ,$(field "$1" addons), in
      *,GcsFuseCsiDriver,*) compare 'add-on GcsFuseCsiDriver' true "$(part "$2" 10)" ;;
    esac
  fi
  case ,$(field "$1" addons), in
    *,RayOperator,*) compare 'add-on RayOperator' true "$(part "$2" 9)" ;;
  esac
  # Upgrades are GKE's business; only a version older than the runs need is a difference.
  version=$(field "$1" version)
  if [ -n "$version" ] && older_version "$(part "$2" 4)" "$version"; then
    compare version "$version or newer" "$(part "$2" 4)"
  fi
}

# older_version A B: whether GKE version A (1.35.2-gke.1842000) is older than B.
older_version() {
  awk -v a="$1" -v b="$2" 'BEGIN {
    gsub(/[^0-9]+/, ".", a); gsub(/[^0-9]+/, ".", b)
    n = split(a, x, "."); m = split(b, y, ".")
    for (i = 1; i <= (n > m ? n : m); i++) if (x[i] + 0 != y[i] + 0) exit !(x[i] + 0 < y[i] + 0)
    exit 1
  }'
}

# cluster_remedy ROW: what makes an existing cluster fit.
cluster_remedy() {
  case $DIFFERENCE in
    *dataplaneV2* | *mode* | *location*)
      printf '%s' "this cannot be changed in place: give the cluster another name in platform.yaml, or delete it with scripts/gcloud/down.sh" ;;
    *version*)
      printf '%s' "$(command_line gcloud container clusters upgrade "$CLUSTER" --project="$PROJECT" --location="$LOCATION" --master --cluster-version="$(field "$1" version)")" ;;
    *RayOperator*)
      printf '%s' "$(command_line gcloud container clusters update "$CLUSTER" --project="$PROJECT" --location="$LOCATION" --update-addons=RayOperator=ENABLED)" ;;
    *GcsFuseCsiDriver*)
      printf '%s' "$(command_line gcloud container clusters update "$CLUSTER" --project="$PROJECT" --location="$LOCATION" --update-addons=GcsFuseCsiDriver=ENABLED)" ;;
    *workloadPool*)
      printf '%s' "$(command_line gcloud container clusters update "$CLUSTER" --project="$PROJECT" --location="$LOCATION" --workload-pool="$(field "$1" workloadPool)")" ;;
    *status*)
      printf '%s' "$(command_line gcloud container operations list --project="$PROJECT" --location="$LOCATION")" ;;
    *) printf '%s' "change platform.yaml or the cluster" ;;
  esac
}

cluster_arguments() { # ROW
  if [ "$(field "$1" mode)" = autopilot ]; then
    ARGUMENTS=(gcloud container clusters create-auto "$CLUSTER" --project="$PROJECT" --location="$LOCATION")
    case ,$(field "$1" addons), in
      *,RayOperator,*) ARGUMENTS+=(--enable-ray-operator) ;;
    esac
    if [ "$(field "$1" multiNetworking)" = true ]; then ARGUMENTS+=(--enable-multi-networking); fi
  else
    # The default pool carries what GKE itself runs in the cluster; Ray's heads and submitters have their own pool.
    ARGUMENTS=(gcloud container clusters create "$CLUSTER" --project="$PROJECT" --location="$LOCATION"
      --machine-type="$(field "$1" defaultMachineType)" --num-nodes="$(field "$1" defaultNodes)" --enable-ip-alias)
    # One list: a second --addons would replace the first, and what it leaves out is switched off.
    if [ -n "$(field "$1" addons)" ]; then ARGUMENTS+=(--addons="$(field "$1" addons)"); fi
    if [ "$(field "$1" dataplaneV2)" = true ]; then ARGUMENTS+=(--enable-dataplane-v2); fi
    if [ "$(field "$1" multiNetworking)" = true ]; then ARGUMENTS+=(--enable-multi-networking); fi
    if [ "$(field "$1" imageStreaming)" = true ]; then ARGUMENTS+=(--enable-image-streaming); fi
    if [ -n "$(field "$1" workloadPool)" ]; then
      ARGUMENTS+=(--workload-pool="$(field "$1" workloadPool)" --workload-metadata=GKE_METADATA)
    fi
    # A regional control plane would put the default pool into three zones.
    if [ "$LOCATION" = "$REGION" ]; then ARGUMENTS+=(--node-locations="$ZONE"); fi
  fi
  if [ -n "$(field "$1" version)" ]; then ARGUMENTS+=(--cluster-version="$(field "$1" version)"); fi
  ARGUMENTS+=(--async --quiet)
}
