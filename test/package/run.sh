#!/usr/bin/env bash
# The packed package on a clean directory: its contents, its types in a strict TypeScript program, the constructs at run time,
# and its command as a project's `app:`. Packs a copy of the checkout, so that nothing is built into it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root="$PWD"

if ! command -v npm >/dev/null 2>&1; then
  echo 'npm was not found'
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
fi

# shellcheck source=../support/checks.sh
. test/support/checks.sh
temporary="$(mktemp -d)"
trap 'rm -rf "$temporary"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Tracked files and those a commit would add, without links into the checkout but for node_modules, which only tsc reads.
copy_checkout() {
  mkdir -p "$temporary/checkout"
  git ls-files --cached --others --exclude-standard -z | while IFS= read -r -d '' file; do
    [ ! -f "$file" ] || printf '%s\0' "$file"
  done | tar --create --null --files-from=- | tar --extract --directory "$temporary/checkout"
  ln -s "$root/node_modules" "$temporary/checkout/node_modules"
}

pack() {
  cd "$temporary/checkout"
  npm pack --pack-destination "$temporary" >"$temporary/pack.log" 2>&1 || { cat "$temporary/pack.log"; return 1; }
  mv "$temporary"/cdk8s-tpu-ray-*.tgz "$temporary/package.tgz"
}

list_contents() { tar --list --gzip --file "$temporary/package.tgz" | sed 's|^package/||' | sort >"$temporary/contents"; }

has_what_it_needs() {
  local missing=0 file
  for file in package.json README.md LICENSE NOTICE CHANGELOG.md bin/cdk8s-tpu-ray.cjs build/main.js build/lib/index.js \
    build/lib/index.d.ts build/lib/node.js build/lib/node.d.ts build/lib/config/schema.json \
    build/imports/ray.io.d.ts build/trainers/tpu_trainers/exit-codes.json imports/NOTICE lib/config/schema.json \
    trainers/tpu_trainers/maxtext.py trainers/tpu_trainers/submit.py trainers/tpu_trainers/__init__.py \
    scripts/gcloud/up.sh scripts/gcloud/down.sh scripts/gcloud/status.sh scripts/python-environment.sh rehearsal/rehearse.sh rehearsal/__main__.py \
    rehearsal/environment.sh rehearsal/requirements.txt rehearsal/requirements-torch.txt compile_check/environment.sh \
    compile_check/compile_step.py compile_check/requirements.txt docs/exit-codes.md images/maxtext/Dockerfile images/maxtext/requirements.txt docs/operations.md; do
    grep -qxF "$file" "$temporary/contents" || { echo "missing: $file"; missing=1; }
  done
  return "$missing"
}

# Sources, tests and caches stay at home; the generated classes are types only, so their code does too.
has_nothing_else() {
  ! grep -E '^(main\.ts|lib/.*\.ts|test/|trainers/tests/|rehearsal/tests/|examples/|dist/|runs/|compile_check/cases/|node_modules/|\.)|__pycache__|\.pyc$|^build/imports/.*\.js$|^build/(test|scripts)/' \
    "$temporary/contents"
}

# The generated types may be named by the aliases of lib/kuberay alone: no other declaration is made of them.
keeps_generated_types_inside() {
  local files
  mkdir -p "$temporary/unpacked"
  tar --extract --gzip --file "$temporary/package.tgz" --directory "$temporary/unpacked"
  files="$(cd "$temporary/unpacked/package/build/lib" && grep -rl --include='*.d.ts' 'imports/ray' . | sort)"
  [ "$files" = './kuberay/ray-cluster-types.d.ts' ] || { echo "generated types are imported by: $files"; return 1; }
}

install_it() {
  mkdir -p "$temporary/user"
  cp -R "$temporary/checkout/test/package/project/." "$temporary/user/"
  # A text here, for the checkout's own type check must not look for the package it is about to build.
  mv "$temporary/user/training.ts.txt" "$temporary/user/training.ts"
  cp -R "$temporary/checkout/examples/gitops/platform.yaml" "$temporary/checkout/examples/gitops/runs" "$temporary/user/"
  cd "$temporary/user"
  # The compiler and the cdk8s CLI are the checkout's versions; peers are what npm chooses.
  npm install --no-audit --no-fund --no-save --loglevel=error --prefer-offline "$temporary/package.tgz" \
    "typescript@$(node -p "require('$root/node_modules/typescript/package.json').version")" \
    "@types/node@$(node -p "require('$root/node_modules/@types/node/package.json').version")" \
    "cdk8s-cli@$(node -p "require('$root/node_modules/cdk8s-cli/package.json').version")"
}

compiles() { cd "$temporary/user" && npx --no-install tsc -p tsconfig.json; }

runs() {
  cd "$temporary/user"
  node build/training.js >training.log
  cat training.log
  grep -q '^RayCluster llama3-8b: 4 hosts, 2 volumes$' training.log
}

# E1: the tsconfig of the official cdk8s template resolves as node10; the others are what newer projects have.
resolves_everywhere() {
  cd "$temporary/user"
  mkdir -p resolution
  printf '%s\n' "import { synthesize } from 'cdk8s-tpu-ray/node';" "import { TpuRayCluster } from 'cdk8s-tpu-ray';" \
    'export const both = [synthesize, TpuRayCluster];' >resolution/main.ts
  cp node_modules/cdk8s-cli/templates/typescript-app/tsconfig.json resolution/tsconfig.json
  (cd resolution && npx --no-install tsc -p tsconfig.json --noEmit --skipLibCheck) || return 1
  local options
  for options in '--module commonjs --moduleResolution node10' '--module node16 --moduleResolution node16' '--module esnext --moduleResolution bundler'; do
    # shellcheck disable=SC2086 # several words
    npx --no-install tsc --noEmit --strict --skipLibCheck --target es2022 $options resolution/main.ts || { echo "fails: $options"; return 1; }
  done
}

# E2: what an install of the package alone brings, and that none of it runs a script.
installs_small() {
  mkdir -p "$temporary/small"
  cd "$temporary/small"
  echo '{ "private": true }' >package.json
  npm install --no-audit --no-fund --loglevel=error --prefer-offline "$temporary/package.tgz" >install.log 2>&1 || { cat install.log; return 1; }
  [ ! -e node_modules/esbuild ] && [ ! -e node_modules/ts-node ] || { echo 'a bundler is installed'; return 1; }
  ! grep -q '"hasInstallScript": true' package-lock.json || { echo 'a package runs a script when it is installed'; return 1; }
  local size
  size="$(du --summarize --block-size=1M --apparent-size node_modules | cut -f1)"
  echo "$size MB installed"
  [ "$size" -le 22 ] || return 1
  npx --no-install cdk8s-tpu-ray --version
}

# E2: npm clones, installs what the build needs, and runs prepare.
installs_from_git() {
  mkdir -p "$temporary/repository" "$temporary/from-git/project"
  cp -R "$temporary/checkout/." "$temporary/repository/"
  rm -rf "$temporary/repository/node_modules" "$temporary/repository/build"
  cd "$temporary/repository"
  git init --quiet
  git add --all
  git -c user.name=test -c user.email=test@example.com -c commit.gpgsign=false commit --quiet --message package
  cd "$temporary/from-git"
  echo '{ "private": true }' >package.json
  npm install --no-audit --no-fund --loglevel=error --prefer-offline "git+file://$temporary/repository" >install.log 2>&1 || { cat install.log; return 1; }
  cp -R "$temporary/checkout/examples/gitops/platform.yaml" "$temporary/checkout/examples/gitops/runs" project/
  npx --no-install cdk8s-tpu-ray synth project && diff -r "$temporary/checkout/examples/gitops/dist" project/dist
}

# Without the checkout's environment: as a user's shell would call it.
synthesizes() {
  cd "$temporary/user"
  env -u CDK8S_OUTDIR npx --no-install cdk8s-tpu-ray synth
  diff -r "$temporary/checkout/examples/gitops/dist" dist
  diff "$temporary/checkout/examples/gitops/plan.json" plan.json
  diff "$temporary/checkout/examples/gitops/infrastructure.tsv" infrastructure.tsv
}

synthesizes_as_app() {
  cd "$temporary/user"
  rm -rf dist plan.json infrastructure.tsv
  CDK8S_CHECK_UPGRADE=false npx --no-install cdk8s synth
  diff -r "$temporary/checkout/examples/gitops/dist" dist
}

# Against its own bytes nothing changes; a page is drawn.
plans() {
  cd "$temporary/user"
  npx --no-install cdk8s-tpu-ray plan --against "$temporary/checkout/examples/gitops" | tee plan.log
  grep -qx 'nothing changes' plan.log
  npx --no-install cdk8s-tpu-ray synth --check
  npx --no-install cdk8s-tpu-ray plan --html plan.html
  grep -q '<svg class="drawing"' plan.html
}

refuses() {
  cd "$temporary/user"
  mkdir -p wrong/runs
  sed 's/mode: standard/mode: sandard/' platform.yaml >wrong/platform.yaml
  cp runs/llama3-8b.yaml wrong/runs/
  local status=0
  npx --no-install cdk8s-tpu-ray synth wrong >wrong.log 2>&1 || status=$?
  cat wrong.log
  [ "$status" -eq 1 ] && grep -q '^platform.yaml:' wrong.log && ! grep -q '    at ' wrong.log && [ ! -e wrong/dist ]
}

echo 'packing a copy of the checkout'
copy_checkout
check 'npm pack builds and packs' pack
[ "$failed" -eq 0 ] || finish
list_contents
check 'everything a user needs is in it' has_what_it_needs
check 'nothing else is' has_nothing_else
check 'generated types stay behind lib/kuberay' keeps_generated_types_inside
echo 'installing it on a clean directory'
check 'it installs with its peers' install_it
[ "$failed" -eq 0 ] || finish
check 'a strict TypeScript program compiles against its types' compiles
check 'that program renders a run' runs
check 'E1: both entries resolve under the template of cdk8s, node10, node16 and bundler' resolves_everywhere
check 'E2: it is small, and nothing of it runs at install' installs_small
check 'E2: a git dependency is built and works' installs_from_git
check 'its command makes the bytes of examples/gitops' synthesizes
check 'so does the cdk8s CLI with it as app' synthesizes_as_app
check 'plan draws a page, and finds no difference to the same files' plans
check 'it refuses a wrong project without a stack trace' refuses
finish
