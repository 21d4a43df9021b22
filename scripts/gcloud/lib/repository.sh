# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# The Artifact Registry repository.

list_repositories() {
  read_into "$1" gcloud artifacts repositories list --project="$PROJECT" --location="$(field "$(rows repository)" location)" \
    --format='value[separator="|"](name.basename(),format)'
}

repository_difference() { # ROW FOUND
  DIFFERENCE=''
  compare format "$(field "$1" format)" "$(part "$2" 2)"
}

repository_arguments() { # ROW
  ARGUMENTS=(gcloud artifacts repositories create "$(field "$1" name)" --project="$PROJECT"
    --location="$(field "$1" location)" --repository-format="$(field "$1" format)")
}

# repository_host ROW
repository_host() { printf '%s-docker.pkg.dev' "$(field "$1" location)"; }

# list_images: one package|tags a line. A repository without images is an empty list.
list_images() {
  local row
  row=$(rows repository)
  if read_into "$1" gcloud artifacts docker images list \
    "$(repository_host "$row")/$PROJECT/$(field "$row" name)" --include-tags \
    --format='value[separator="|"](package,tags.list())'; then
    return 0
  fi
  if [ "$FAILURE" != absent ]; then return 1; fi
  : >"$1"
}

# image_exists NAME:TAG
image_exists() {
  awk -v package="${1%:*}" -v tag="${1##*:}" 'BEGIN { FS = "|" }
    $1 == package && index("," $2 ",", "," tag ",") { hit = 1 }
    END { exit !hit }' "$WORK/inventory.images"
}
