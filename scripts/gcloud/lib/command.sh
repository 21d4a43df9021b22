# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# Running commands: each is printed first; DRY_RUN=1 prints and does nothing; a busy cluster is tried again.

DRY_RUN=${DRY_RUN:-}
# Seconds until a refused request to a busy cluster is tried again (doubled up to a minute), and for how long in all.
BUSY_PAUSE_SECONDS=${BUSY_PAUSE_SECONDS:-10}
BUSY_LIMIT_SECONDS=${BUSY_LIMIT_SECONDS:-3600}
# Seconds between two looks at something that is being made or removed, and for how long in all.
POLL_SECONDS=${POLL_SECONDS:-10}
WAIT_LIMIT_SECONDS=${WAIT_LIMIT_SECONDS:-5400}

dry() { [ "$DRY_RUN" = 1 ]; }

say() { printf '%s\n' "$*" >&2; }

# command_line WORD…: the words as a shell would read them back.
command_line() {
  local word line='' quote="'" escaped="'\\''"
  for word in "$@"; do
    case $word in
      '') word="''" ;;
      *[!A-Za-z0-9_./:=,@%+-]*)
        # Quotes inside the word are closed, escaped and opened again; done piecewise, since bash 3.2 and 5 read quotes
        # in ${word//…} differently.
        local rest=$word out=''
        while :; do
          case $rest in
            *"$quote"*) out=$out${rest%%"$quote"*}$escaped && rest=${rest#*"$quote"} ;;
            *) break ;;
          esac
        done
        word=$quote$out$rest$quote
        ;;
    esac
    line=$line${line:+ }$word
  done
  printf '%s' "$line"
}

# announce WORD…: prints the command; a dry run to standard output, for a reader or a diff.
announce() {
  if dry; then
    printf '%s\n' "$(command_line "$@")"
  else
    say "+ $(command_line "$@")"
  fi
}

# read_into FILE WORD…: runs a command that only looks, its output into FILE. On failure FAILURE and FAILURE_TEXT are set.
read_into() {
  local file=$1 log
  shift
  announce "$@"
  log=$(mktemp "$WORK/log.XXXXXX")
  if "$@" >"$file.part" 2>"$log" </dev/null; then
    mv "$file.part" "$file"
    rm -f "$log"
    return 0
  fi
  explain_failure "$log"
  rm -f "$log" "$file.part"
  return 1
}

# change WORD…: runs a command that creates or deletes, again while the cluster is busy. On failure FAILURE and
# FAILURE_TEXT are set.
change() {
  local log pause=$BUSY_PAUSE_SECONDS began=$SECONDS
  announce "$@"
  if dry; then return 0; fi
  log=$(mktemp "$WORK/log.XXXXXX")
  while :; do
    if "$@" >"$log" 2>&1 </dev/null; then
      rm -f "$log"
      return 0
    fi
    explain_failure "$log"
    if [ "$FAILURE" != busy ] || [ $((SECONDS - began)) -ge "$BUSY_LIMIT_SECONDS" ]; then
      rm -f "$log"
      return 1
    fi
    say "  busy: $FAILURE_TEXT; trying again in $pause s"
    sleep "$pause"
    pause=$((pause * 2))
    if [ "$pause" -gt 60 ]; then pause=60; fi
  done
}

# watch WORD…: like change, but its output is shown as it comes; for builds.
watch() {
  local log
  announce "$@"
  if dry; then return 0; fi
  log=$(mktemp "$WORK/log.XXXXXX")
  if "$@" 2>&1 </dev/null | tee "$log" >&2; then
    rm -f "$log"
    return 0
  fi
  explain_failure "$log"
  rm -f "$log"
  return 1
}
