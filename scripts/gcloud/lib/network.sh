# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# The VPC networks of explicit mode, their subnets and firewall rules.

list_networks() {
  read_into "$1" gcloud compute networks list --project="$PROJECT" \
    --format='value[separator="|"](name,mtu,autoCreateSubnetworks)'
}

list_subnets() {
  read_into "$1" gcloud compute networks subnets list --project="$PROJECT" \
    --format='value[separator="|"](name,network.basename(),region.basename(),ipCidrRange)'
}

list_firewalls() {
  read_into "$1" gcloud compute firewall-rules list --project="$PROJECT" \
    --format='value[separator="|"](name,network.basename(),sourceRanges.list(),allowed[].map().firewall_rule().list())'
}

network_difference() { # ROW FOUND
  DIFFERENCE=''
  local mode=custom
  if [ "$(part "$2" 3)" = True ]; then mode=auto; fi
  compare mtu "$(field "$1" mtu)" "$(part "$2" 2)"
  compare subnetMode custom "$mode"
}

subnet_difference() { # ROW FOUND
  DIFFERENCE=''
  compare network "$(field "$1" network)" "$(part "$2" 2)"
  compare region "$(field "$1" region)" "$(part "$2" 3)"
  compare range "$(field "$1" range)" "$(part "$2" 4)"
}

firewall_difference() { # ROW FOUND
  DIFFERENCE=''
  compare network "$(field "$1" network)" "$(part "$2" 2)"
  compare sourceRanges "$(sorted "$(field "$1" sourceRanges)")" "$(sorted "$(part "$2" 3)")"
  compare allow "$(sorted "$(field "$1" allow)")" "$(sorted "$(part "$2" 4)")"
}

network_arguments() { # ROW
  ARGUMENTS=(gcloud compute networks create "$(field "$1" name)" --project="$PROJECT"
    --subnet-mode=custom --mtu="$(field "$1" mtu)")
}

subnet_arguments() { # ROW
  ARGUMENTS=(gcloud compute networks subnets create "$(field "$1" name)" --project="$PROJECT"
    --network="$(field "$1" network)" --region="$(field "$1" region)" --range="$(field "$1" range)")
}

firewall_arguments() { # ROW
  ARGUMENTS=(gcloud compute firewall-rules create "$(field "$1" name)" --project="$PROJECT"
    --network="$(field "$1" network)" --direction=INGRESS
    --source-ranges="$(field "$1" sourceRanges)" --allow="$(field "$1" allow)")
}
