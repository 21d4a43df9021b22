# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# The workload policies that multi-host tpu7x node pools are placed by.

list_policies() {
  read_into "$1" gcloud compute resource-policies list --project="$PROJECT" --filter="region~/$REGION\$" \
    --format='value[separator="|"](name,region.basename(),workloadPolicy.type,workloadPolicy.acceleratorTopology)'
}

policy_difference() { # ROW FOUND
  DIFFERENCE=''
  compare region "$(field "$1" region)" "$(part "$2" 2)"
  compare type "$(field "$1" type)" "$(part "$2" 3)"
  compare topology "$(field "$1" topology)" "$(part "$2" 4)"
}

policy_arguments() { # ROW
  ARGUMENTS=(gcloud compute resource-policies create workload-policy "$(field "$1" name)" --project="$PROJECT"
    --region="$(field "$1" region)" --type="$(field "$1" type)" --accelerator-topology="$(field "$1" topology)")
}
