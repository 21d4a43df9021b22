#!/usr/bin/env bash
# Builds and pushes the images that are not in the repository yet.
#
#   scripts/gcloud/images.sh [DIR] [--rebuild]
#
# A tag that is there is left alone; --rebuild builds it again. IMAGE_BUILDER=cloud-build (default) sends images/NAME to
# Cloud Build and sees to it that its account has the role for that; IMAGE_BUILDER=docker builds and pushes here.
# A folder images/NAME in DIR comes before that of this package. DRY_RUN=1 prints the commands and does nothing.
# shellcheck source=lib/step.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/step.sh"
# shellcheck source=lib/repository.sh
. "$GCLOUD_SCRIPTS/lib/repository.sh"

IMAGE_BUILDER=${IMAGE_BUILDER:-cloud-build}
REBUILD=false
directory=''
for argument in "$@"; do
  case $argument in
    --help) show_help "$0" && exit 0 ;;
    --rebuild) REBUILD=true ;;
    -*) wrong_usage "$argument: unknown option: use --rebuild or --help" ;;
    *) directory=$argument ;;
  esac
done
case $IMAGE_BUILDER in
  cloud-build | docker) ;;
  *) wrong_usage "IMAGE_BUILDER is '$IMAGE_BUILDER': use cloud-build or docker" ;;
esac
begin_step images "$directory"
if [ -z "$(rows image)" ]; then end_step; fi

# folder_of NAME: sets FOLDER.
folder_of() {
  FOLDER=$DIRECTORY/images/$1
  if [ ! -d "$FOLDER" ]; then FOLDER=$PACKAGE_ROOT/images/$1; fi
  if [ -f "$FOLDER/Dockerfile" ] || dry; then return 0; fi
  # shellcheck disable=SC2034 # read by outcome_of_failure
  FAILURE=other FAILURE_TEXT="no Dockerfile in $DIRECTORY/images/$1 or $FOLDER"
  return 1
}

# In projects since mid 2024 Cloud Build runs as the Compute Engine account, which may have no role at all.
prepare_cloud_build() {
  local account role
  if dry; then
    announce gcloud projects add-iam-policy-binding "$PROJECT" --member=serviceAccount:BUILD_ACCOUNT --role=roles/cloudbuild.builds.builder --condition=None
    return 0
  fi
  read_into "$WORK/build-account" gcloud builds get-default-service-account --project="$PROJECT" || return 1
  account=serviceAccount:$(cat "$WORK/build-account")
  read_into "$WORK/project-bindings" gcloud projects get-iam-policy "$PROJECT" --flatten='bindings[].members[]' \
    --format='value[separator="|"](bindings.role,bindings.members)' || return 1
  for role in roles/cloudbuild.builds.builder roles/editor roles/owner; do
    if grep -qxF "$role|$account" "$WORK/project-bindings"; then return 0; fi
  done
  change gcloud projects add-iam-policy-binding "$PROJECT" --member="$account" --role=roles/cloudbuild.builds.builder --condition=None || return 1
  outcome created "role of Cloud Build" 0 "roles/cloudbuild.builds.builder for $account"
}

# Images are pushed to the repository's host; the TorchTPU base image is pulled from us-docker.pkg.dev.
prepare_docker() {
  change gcloud auth configure-docker "$(repository_host "$(rows repository)"),us-docker.pkg.dev" --quiet
}

build() { # NAME FOLDER
  if [ "$IMAGE_BUILDER" = docker ]; then
    # The nodes are x86, whatever this machine is.
    watch docker build --platform=linux/amd64 --tag="$1" "$2" && watch docker push "$1"
  else
    watch gcloud builds submit "$2" --project="$PROJECT" --tag="$1" --timeout=2h --quiet
  fi
}

prepared=false
inventory images || stop_listing "images"
while IFS= read -r row <&5; do
  name=$(field "$row" name)
  began=$SECONDS
  if [ "$REBUILD" = false ] && image_exists "$name"; then
    outcome unchanged "image $name" 0
    continue
  fi
  if [ "$prepared" = false ]; then
    case $IMAGE_BUILDER in
      docker) prepare_docker || stop_listing "images" ;;
      *) prepare_cloud_build || stop_listing "images" ;;
    esac
    prepared=true
  fi
  if folder_of "$(field "$row" dockerfile)" && build "$name" "$FOLDER"; then
    outcome created "image $name" $((SECONDS - began))
  else
    outcome_of_failure "image $name" "$IMAGE_BUILDER" $((SECONDS - began)) "read the build's log above, then run scripts/gcloud/images.sh again"
  fi
done 5< <(rows image)
end_step
