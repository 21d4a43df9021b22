#!/usr/bin/env bash
# The compile check with the real TPU compiler on small models: a run of one to two slices that fits, one that is refused
# with the compiler's figures until a change helps, the verdict's file, and Ctrl-C in the middle.
# Needs Python 3.12 and, on first use, the package index (about 2.5 GB). The last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

toolchain=compile
required() { case ",${REQUIRE_TOOLCHAINS:-}," in *",$toolchain,"*) return 0 ;; *) return 1 ;; esac; }

passed=0
failed=0
pass() { passed=$((passed + 1)); printf 'ok    %s\n' "$1"; }
fail() { failed=$((failed + 1)); printf 'FAIL  %s\n' "$1"; }
# check NAME COMMAND…: whether a command succeeds.
check() {
  local name="$1"
  shift
  if "$@"; then pass "$name"; else fail "$name"; fi
}

work="$(mktemp -d)"
command_pid=''
clean() {
  if [ -n "$command_pid" ] && kill -0 "$command_pid" 2>/dev/null; then
    kill -TERM "$command_pid" 2>/dev/null || true
    wait "$command_pid" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if ! compile_check/environment.sh >"$work/environment"; then
  if required; then
    echo 'the compiler cannot be set up, and REQUIRE_TOOLCHAINS names compile'
    echo '0 passed, 1 failed'
    exit 1
  fi
  echo 'the compiler cannot be set up: see above'
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
fi

# Temporary files of the command go here, so that what it leaves can be seen.
export TMPDIR="$work/tmp"
mkdir -p "$TMPDIR" "$work/project/runs"
cp test/compile/project/plan.json "$work/project/"

# In the background and waited for, so that a signal to this script reaches it.
compile_check() {
  node bin/cdk8s-tpu-ray.cjs compile-check "$work/project" "$@" </dev/null &
  command_pid=$!
  local code=0
  wait "$command_pid" || code=$?
  command_pid=''
  return "$code"
}

# exits CODE COMMAND…
exits() {
  local expected="$1" code=0
  shift
  "$@" || code=$?
  [ "$code" -eq "$expected" ] || { echo "exit code $code instead of $expected"; return 1; }
}

# A field of a verdict by a JavaScript expression over `fit`.
fit_says() {
  FIT="$work/project/runs/$1.fit.json" node -e "
    const fit = JSON.parse(require('node:fs').readFileSync(process.env.FIT, 'utf8'));
    process.exit($2 ? 0 : 1)" || { cat "$work/project/runs/$1.fit.json"; return 1; }
}

nothing_left() {
  local left
  left="$(find "$TMPDIR" -mindepth 1 -name 'compile-check-*' | head -3)"
  [ -z "$left" ] || { echo "left behind: $left"; return 1; }
  left="$(find "$work/project/runs" -name '*.tmp')"
  [ -z "$left" ] || { echo "left behind: $left"; return 1; }
}

echo '--- an elastic run that fits at both sizes'
check 'a run that fits ends with 0' exits 0 compile_check small
check 'its verdict has both sizes, each with arguments and temporaries' fit_says small \
  'fit.verdicts.length === 2 && fit.verdicts.every((v, i) => v.fits && v.slices === i + 1 && v.argumentBytes > 0 && v.temporaryBytes > 0 && v.totalBytes < v.usableBytes)'
# 2 layers of 512 x (8 + 4 + 4 heads of 64 + 8 heads of 64 + 3 x 1024), embedding and logits of 1024 x 512, over 16 devices;
# norms are divided by 4 only. The batch is a few kilobytes.
check 'its state is what the arithmetic says, to 2 percent' fit_says small \
  'fit.verdicts.every((v) => Math.abs(v.argumentBytes / ((2 * (512 * 24 * 64 + 3 * 512 * 1024) + 2 * 1024 * 512) / 16 * 12 + 5 * 512 / 4 * 12) - 1) < 0.02)'

echo '--- a run that does not fit'
output="$work/refused.txt"
compile_refused() {
  local code=0
  compile_check too-large --suggest >"$output" || code=$?
  cat "$output"
  return "$code"
}
check 'a run that does not fit ends with 3' exits 3 compile_refused
check 'its verdict has the figures of the compiler' fit_says too-large \
  'fit.verdicts.length === 1 && !fit.verdicts[0].fits && fit.verdicts[0].totalBytes > fit.verdicts[0].usableBytes'
check 'the largest buffers are named' grep -q 'large buffer .*\[' "$output"
check 'a change that makes it fit was found by compiling' grep -q '^too-large: fits with weightDtype: bfloat16' "$output"

echo '--- usage'
check 'a run that is not there ends with 2' exits 2 compile_check nobody
check 'a run without MaxText ends with 2' exits 2 compile_check not-compiled

echo '--- Ctrl-C'
interrupted() {
  local before after code=0
  before="$(cat "$work/project/runs/small.fit.json")"
  node bin/cdk8s-tpu-ray.cjs compile-check "$work/project" small </dev/null 2>"$work/progress" &
  command_pid=$!
  # The compiler's process is there once the command says a phase.
  until grep -q 'loading' "$work/progress"; do
    kill -0 "$command_pid" 2>/dev/null || { cat "$work/progress"; return 1; }
    sleep 0.2
  done
  kill -INT "$command_pid"
  wait "$command_pid" || code=$?
  command_pid=''
  after="$(cat "$work/project/runs/small.fit.json")"
  [ "$code" -eq 130 ] || { echo "exit code $code instead of 130"; return 1; }
  [ "$before" = "$after" ] || { echo 'the verdict changed'; return 1; }
  if pgrep -f "compile_step.py $TMPDIR" >/dev/null; then echo 'the compiler still runs'; return 1; fi
}
check 'Ctrl-C ends with 130, leaves the old verdict and no process' interrupted
check 'nothing is left behind' nothing_left

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
