# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# kubectl, always with the cluster's own context: whatever the current context is, nothing else is touched.

kube() { kubectl --context="$CONTEXT" "$@"; }

# kube_into FILE WORD…: a look with kubectl.
kube_into() {
  local file=$1
  shift
  read_into "$file" kubectl --context="$CONTEXT" "$@"
}

kube_change() { change kubectl --context="$CONTEXT" "$@"; }

# list_objects FILE DIRECTORY: which objects of a folder of manifests are in the cluster: kind, namespace and name.
list_objects() {
  kube_into "$1" get --filename="$2" --ignore-not-found --request-timeout=60s --no-headers \
    --output='custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name'
}
