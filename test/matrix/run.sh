#!/usr/bin/env bash
# The cross product of shapes, slices, networks and capacities, and mutated and wrong configurations.
# Arguments are parts; without any, all. Needs Node only, writes nothing. The last line is "N passed, N failed".
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec node_modules/.bin/tsx test/matrix/main.ts "$@"
