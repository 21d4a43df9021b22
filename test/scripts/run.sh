#!/usr/bin/env bash
# The infrastructure scripts without gcloud: dry runs against golden files, help texts, the lints.
#
#   test/scripts/run.sh
#
# UPDATE_GOLDEN=1 writes test/scripts/golden anew. BASH_3_2=PATH names a bash 3.2, which then runs the dry runs too; macOS
# brings one as /bin/bash, and it is used.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ROOT=$PWD
GOLDEN=test/scripts/golden
passed=0
failed=0
skipped=0
folder=$(mktemp -d "${TMPDIR:-/tmp}/scripts-test.XXXXXX")
trap '[ -z "${checking:-}" ] || kill "$checking" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

ok() {
  passed=$((passed + 1))
  echo "ok      $1"
}

bad() { # NAME FILE: FILE holds why
  failed=$((failed + 1))
  echo "FAILED  $1"
  sed 's/^/        /' "$2"
}

skip() {
  skipped=$((skipped + 1))
  echo "skipped $1"
}

# The findings of shellcheck take as long as all the rest: it works beside.
check_shell() {
  local shellcheck
  shellcheck=$(bash test/scripts/shellcheck.sh 2>"$folder/why") || return 3
  "$shellcheck" --external-sources --source-path=SCRIPTDIR scripts/gcloud/*.sh scripts/gcloud/lib/*.sh \
    test/gcloud/*.sh test/scripts/*.sh >"$folder/findings" 2>&1 || return 1
  # The other suites call functions by name, which the remarks below a warning take for a fault.
  "$shellcheck" --severity=warning --external-sources --source-path=SCRIPTDIR .ci/run compile_check/*.sh rehearsal/*.sh test/*/*.sh \
    test/ray/trainer/*.sh >"$folder/findings" 2>&1
}
check_shell &
checking=$!

# Stand-ins that record every call: a dry run must make none.
mkdir "$folder/bin"
for tool in gcloud kubectl docker curl; do
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n' "$tool" "$folder" >"$folder/bin/$tool"
  chmod +x "$folder/bin/$tool"
done

SHELLS=(bash)
for candidate in ${BASH_3_2:+"$BASH_3_2"} /bin/bash; do
  case $("$candidate" --version 2>/dev/null) in
    *'version 3.2'*)
      SHELLS+=("$candidate")
      break
      ;;
  esac
done
if [ "${#SHELLS[@]}" = 1 ]; then echo "no bash 3.2 here: its lint stands in for it"; fi

# dry_run SHELL DIR: what up.sh and down.sh would do, with the paths of this checkout taken out.
dry_run() {
  local script options
  : >"$folder/calls"
  for script in up.sh 'down.sh --delete-data'; do
    options=${script#* }
    if [ "$options" = "$script" ]; then options=''; fi
    PATH=$folder/bin:$PATH DRY_RUN=1 "$1" "scripts/gcloud/${script%% *}" "$2" ${options:+"$options"} 2>"$folder/stderr" || {
      echo "exit code $?"
      cat "$folder/stderr"
      return 1
    }
  done | sed "s#$ROOT/##g"
  if [ -s "$folder/calls" ]; then
    echo "a dry run called:"
    cat "$folder/calls"
    return 1
  fi
}

# The steps run by their own interpreter line, so that a bash 3.2 has to come first on PATH.
for shell in "${SHELLS[@]}"; do
  rm -f "$folder/bin/bash"
  if [ "$shell" != bash ]; then ln -s "$shell" "$folder/bin/bash"; fi
  for table in test/gcloud/fixtures/*/infrastructure.tsv; do
    name=$(basename "$(dirname "$table")")
    what="dry run of $name ($shell)"
    if ! dry_run "$shell" "$(dirname "$table")" >"$folder/actual"; then
      bad "$what" "$folder/actual"
    elif [ "${UPDATE_GOLDEN:-}" = 1 ]; then
      cp "$folder/actual" "$GOLDEN/$name.txt"
      ok "$what (written)"
    elif diff -u "$GOLDEN/$name.txt" "$folder/actual" >"$folder/diff" 2>&1; then
      ok "$what"
    else
      bad "$what" "$folder/diff"
    fi
  done
  # What the generator writes is held against its own tests; here it must be a file the scripts take.
  for table in infrastructure.tsv examples/*/infrastructure.tsv; do
    if [ ! -f "$table" ]; then continue; fi
    what="dry run of $table ($shell)"
    if dry_run "$shell" "$(dirname "$table")" >"$folder/actual" && grep -q '^gcloud container clusters ' "$folder/actual"; then
      ok "$what"
    else
      bad "$what" "$folder/actual"
    fi
  done
done
rm -f "$folder/bin/bash"

# A Secret may stand in two lines, but not with one key.
mkdir "$folder/twice"
cat test/gcloud/fixtures/adopted-autopilot/infrastructure.tsv >"$folder/twice/infrastructure.tsv"
grep 'key=wandb.api.key' "$folder/twice/infrastructure.tsv" >"$folder/row"
cat "$folder/row" >>"$folder/twice/infrastructure.tsv"
code=0
DRY_RUN=1 bash scripts/gcloud/up.sh "$folder/twice" >"$folder/actual" 2>&1 || code=$?
if [ "$code" = 2 ] && grep -q ':16: secret: "tokens key wandb.api.key" stands in line 14 too$' "$folder/actual"; then
  ok "a row that stands twice is refused"
else
  bad "a row that stands twice is refused" "$folder/actual"
fi

for script in scripts/gcloud/*.sh; do
  if bash "$script" --help >"$folder/help" 2>&1 && grep -q "scripts/gcloud/$(basename "$script") \[DIR\]" "$folder/help"; then
    ok "help of $script"
  else
    bad "help of $script" "$folder/help"
  fi
done

if bash test/scripts/bash-3.2-lint.sh --self >"$folder/lint"; then ok "bash 3.2 lint finds its examples"; else bad "bash 3.2 lint finds its examples" "$folder/lint"; fi
if bash test/scripts/bash-3.2-lint.sh scripts/gcloud/*.sh scripts/gcloud/lib/*.sh >"$folder/lint"; then
  ok "bash 3.2 lint"
else
  bad "bash 3.2 lint" "$folder/lint"
fi

code=0
wait "$checking" || code=$?
checking='' # its number may be another process's from now on
case $code,${REQUIRE_TOOLCHAINS:-}, in
  0,*) ok "shellcheck" ;;
  3,*,python,* | 3,python,* | 3,*,gcloud,* | 3,gcloud,*) bad "shellcheck" "$folder/why" ;;
  3,*) skip "shellcheck: $(cat "$folder/why")" ;;
  *) bad "shellcheck" "$folder/findings" ;;
esac

if [ "$skipped" -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ]
