# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# What exists. A kind is listed once for a whole up.sh, at its first use, by a function list_KIND that takes the file to
# write: one resource a line, fields separated by |, the name first.

# inventory KIND: makes sure that $WORK/inventory.KIND is there. Under DRY_RUN nothing exists.
inventory() {
  if [ -f "$WORK/inventory.$1" ]; then return 0; fi
  if dry; then
    : >"$WORK/inventory.$1"
    return 0
  fi
  refresh_inventory "$1"
}

# refresh_inventory KIND: lists again, after a change.
refresh_inventory() {
  "list_$(printf '%s' "$1" | tr '-' '_')" "$WORK/inventory.$1"
}

# found KIND NAME: sets FOUND to the line of that resource; fails when there is none.
found() {
  FOUND=$(awk -v name="$2" 'BEGIN { FS = "|" } $1 == name { print; exit }' "$WORK/inventory.$1")
  [ -n "$FOUND" ]
}

# part LINE NUMBER: the field of an inventory line, counted from 1.
part() {
  printf '%s' "$1" | cut -d '|' -f "$2"
}

# perhaps_made: whether a failed request to create may have done its work all the same: it was there already, or the
# answer got lost on the way. A look tells.
perhaps_made() {
  [ "$FAILURE" = exists ] || [ "$FAILURE" = other ]
}

DIFFERENCE=''

# compare WHAT WANTED FOUND: adds to DIFFERENCE when the two are not the same; no value is false.
compare() {
  local wanted found
  wanted=$(printf '%s' "${2:-false}" | tr '[:upper:]' '[:lower:]')
  found=$(printf '%s' "${3:-false}" | tr '[:upper:]' '[:lower:]')
  if [ "$wanted" != "$found" ]; then
    DIFFERENCE="$DIFFERENCE${DIFFERENCE:+; }$1 is ${3:-unset}, infrastructure.tsv says ${2:-unset}"
  fi
}

# sorted LIST: a comma-separated list in alphabetical order.
sorted() {
  printf '%s' "$1" | tr ';' ',' | tr ',' '\n' | sort | tr '\n' ',' | sed 's/,$//'
}

# message_of TEXT: the text in brackets, for the end of a line; nothing for no text.
message_of() {
  if [ -n "$1" ]; then printf ' (%s)' "$1"; fi
}
