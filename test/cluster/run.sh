#!/usr/bin/env bash
# Manifests on a real control plane: builds it on first use, starts it on local ports, runs all scenarios, stops it.
# usage: test/cluster/run.sh [--only REGEX]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Without tsx's own process in between, signals reach the suite itself.
exec node --import tsx test/cluster/main.ts "$@"
