# Checks of a suite that is a script; sourced by it.
#   check TITLE COMMAND…   counts whether a command succeeds, and shows what one that fails said
#   finish                 prints "N passed, N failed" and exits with 1 if any failed
# shellcheck shell=bash

passed=0
failed=0

check() {
  local title="$1" output
  shift
  if output="$("$@" 2>&1)"; then
    passed=$((passed + 1))
    echo "ok      $title"
  else
    failed=$((failed + 1))
    echo "failed  $title"
    printf '%s\n' "$output" | sed 's/^/        /'
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}
