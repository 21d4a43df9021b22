#!/usr/bin/env bash
# The plan's page and the pictures of the documentation in a headless Chromium: what must be on them is, and nothing
# overflows at 1280 and 800 pixels. Chromium comes from PATH, or from Debian's packages without root (80 MB of downloads).
# SCREENSHOTS=DIR keeps a picture of every page.
#
#   test/browser/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! test/browser/chromium.sh >/dev/null; then
  case ",${REQUIRE_TOOLCHAINS:-}," in
    *,browser,*)
      echo 'no Chromium, and REQUIRE_TOOLCHAINS names browser'
      echo '0 passed, 1 failed'
      exit 1
      ;;
  esac
  echo 'no Chromium: see above'
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
fi
# Without tsx's own process in between, signals reach the suite itself.
exec node --import tsx test/browser/main.ts
