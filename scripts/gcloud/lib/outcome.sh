# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# What became of each resource, the summary, and the exit code.
#
# Exit codes of every script here:
#   0  all is as infrastructure.tsv says      5  no capacity or no quota
#   1  something failed                       6  permission denied
#   2  wrong usage or infrastructure.tsv      7  the cluster stayed busy, or a wait took too long
#   3  the preflight found a reason to stop   8  not confirmed: nothing was deleted
#   4  something exists, but differs          9  something could not be deleted
# Of several the first in the order 3 1 6 4 9 7 5 counts. 130 and 143: interrupted.

# outcome STATUS RESOURCE SECONDS [DETAIL]
outcome() {
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-}" >>"$OUTCOMES"
  if dry; then return 0; fi
  say "  $2: $1${4:+ ($4)}"
}

# outcome_of_failure RESOURCE PLACE SECONDS NEXT: the outcome for what FAILURE says, with the place and the next step.
outcome_of_failure() {
  local status next=$4 place=$2
  case $FAILURE in
    capacity) status=capacity && next="no capacity there now: run this again later, or change zone or capacity in platform.yaml or the run" ;;
    quota) status=capacity && next="ask for more quota in $REGION (console: IAM & Admin, Quotas), then run this again" ;;
    denied) status=denied && next="ask for the role in docs/operations.md, section Roles, then run this again" ;;
    busy) status=busy && next="other work on the cluster goes on: run this again later" ;;
    api-off) status=failed && next="run scripts/gcloud/preflight.sh, which enables it" ;;
    no-context) status=failed && next="run scripts/gcloud/credentials.sh, then this again" ;;
    login) status=preflight && next="run: gcloud auth login" ;;
    *) status=failed ;;
  esac
  outcome "$status" "$1" "$3" "$place: $FAILURE_TEXT; next: $next"
}

# exit_code_of FILE FIRST_LINE: the exit code for the outcomes from that line on.
exit_code_of() {
  awk -v first="$2" '
    BEGIN { FS = "\t"; n = split("preflight 3 failed 1 denied 6 differs 4 left 9 busy 7 capacity 5", part, " ") }
    NR >= first { seen[$1] = 1 }
    END { for (i = 1; i <= n; i += 2) if (part[i] in seen) { print part[i + 1]; exit }; print 0 }
  ' "$1"
}

# summary FILE SECONDS: one line a resource, then the sums.
summary() {
  awk -v total="$2" '
    BEGIN { FS = "\t" }
    {
      count[$1]++
      if (!($1 in place)) { place[$1] = ++kinds; kind[kinds] = $1 }
      printf "  %-9s %5d s  %s%s\n", $1, $3, $2, ($4 == "" ? "" : " (" $4 ")")
      if ($1 != "unchanged" && $1 != "adopted" && $1 != "kept" && $1 != "absent" && $1 != "todo") changes++
    }
    END {
      line = ""
      for (i = 1; i <= kinds; i++) line = line (i > 1 ? ", " : "") count[kind[i]] " " kind[i]
      printf "%s in %d s%s\n", (line == "" ? "nothing to do" : line), total, (changes ? "" : ": no change")
    }
  ' "$1" >&2
}
