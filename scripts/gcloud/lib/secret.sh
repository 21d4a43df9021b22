# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# The Secrets that runs read.

# On a Secret that hf-secret.sh has made: down.sh deletes no other.
OWN_SECRET_LABEL=cdk8s-tpu-ray/made-by
OWN_SECRET_MAKER=hf-secret

# list_secret_keys FILE NAMESPACE NAME: the keys that hold something, one a line; the values stay where they are.
list_secret_keys() {
  # shellcheck disable=SC2016 # the template's own variables
  kube_into "$1" get secret "$3" --namespace="$2" \
    --output='go-template={{range $key, $value := .data}}{{if $value}}{{$key}}{{"\n"}}{{end}}{{end}}'
}

# secret_names: namespace and name of each Secret that runs read; one with several keys stands in several rows.
secret_names() {
  local row
  while IFS= read -r row <&3; do
    printf '%s %s\n' "$(field "$row" namespace)" "$(field "$row" name)"
  done 3< <(rows secret) | sort -u
}

# list_secret_maker FILE NAMESPACE NAME: its name, and who made it if that is known; nothing when there is no such Secret.
list_secret_maker() {
  kube_into "$1" get secret "$3" --namespace="$2" --ignore-not-found \
    --output=jsonpath="{.metadata.name}|{.metadata.labels.$OWN_SECRET_LABEL}"
}
