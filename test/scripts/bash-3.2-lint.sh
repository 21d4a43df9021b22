#!/usr/bin/env bash
# Finds constructs that bash 3.2 does not have, by test/scripts/bash-3.2-forbidden.tsv.
#
#   test/scripts/bash-3.2-lint.sh FILE…     prints FILE:LINE: construct, fails when there is one
#   test/scripts/bash-3.2-lint.sh --self    proves that each pattern finds its own example
#
# A line that is known to be right carries the comment `bash-3.2: REASON`.
set -euo pipefail
TABLE=$(dirname "${BASH_SOURCE[0]}")/bash-3.2-forbidden.tsv

# search NAME FILE: the findings in FILE, under that name.
search() {
  awk -v name="$1" '
    BEGIN { FS = "\t" }
    FNR == NR { if ($0 !~ /^#/ && NF == 3) { pattern[++n] = $1; what[n] = $2 } ; next }
    /^[ ]*#/ || /# bash-3\.2: ./ { next }
    { for (i = 1; i <= n; i++) if ($0 ~ pattern[i]) { printf "%s:%d: %s\n", name, FNR, what[i]; bad = 1 } }
    END { exit bad }
  ' "$TABLE" "$2"
}

if [ "${1:-}" = --self ]; then
  folder=$(mktemp -d "${TMPDIR:-/tmp}/bash-3.2-lint.XXXXXX")
  trap 'rm -rf "$folder"' EXIT
  code=0
  while IFS=$'\t' read -r pattern what example; do
    case $pattern in '#'*) continue ;; esac
    printf '%s\n' "$example" >"$folder/example"
    search example "$folder/example" >"$folder/found" || true
    if ! grep -qF -- "$what" "$folder/found"; then
      printf 'no finding of "%s" in: %s\n' "$what" "$example"
      code=1
    fi
  done <"$TABLE"
  exit "$code"
fi

code=0
for file in "$@"; do
  search "$file" "$file" || code=1
done
exit "$code"
