# shellcheck shell=bash
# How far long waits are: a bar that is drawn anew on a terminal, now and then a line elsewhere. Without colours, so that
# NO_COLOR has nothing to switch off; TERM=dumb has lines.

PROGRESS_LINE_SECONDS=60
PROGRESS_WIDTH=24
PROGRESS_LAST=-$PROGRESS_LINE_SECONDS

on_terminal() { [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; }

# progress DONE TOTAL SECONDS WHAT
progress() {
  local bar='' cell filled=0
  if [ "$2" -gt 0 ]; then filled=$(($1 * PROGRESS_WIDTH / $2)); fi
  if on_terminal; then
    cell=0
    while [ "$cell" -lt "$PROGRESS_WIDTH" ]; do
      if [ "$cell" -lt "$filled" ]; then bar="$bar#"; else bar="$bar."; fi
      cell=$((cell + 1))
    done
    printf '\r\033[K  [%s] %s of %s %s, %s s' "$bar" "$1" "$2" "$4" "$3" >&2
  elif [ $((SECONDS - PROGRESS_LAST)) -ge "$PROGRESS_LINE_SECONDS" ]; then
    # The first look is no news.
    if [ "$PROGRESS_LAST" -ge 0 ]; then printf '  %s of %s %s, %s s\n' "$1" "$2" "$4" "$3" >&2; fi
    PROGRESS_LAST=$SECONDS
  fi
}

# progress_end: clears the bar, so that what follows begins a line.
progress_end() {
  if on_terminal; then printf '\r\033[K' >&2; fi
  PROGRESS_LAST=-$PROGRESS_LINE_SECONDS
}
