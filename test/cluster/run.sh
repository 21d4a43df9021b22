#!/usr/bin/env bash
# Manifests on a real control plane: builds it on first use, starts it on local ports, runs all scenarios, stops it.
# usage: test/cluster/run.sh [--only REGEX]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec node_modules/.bin/tsx test/cluster/main.ts "$@"
