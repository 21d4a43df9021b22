#!/usr/bin/env bash
# Tests of the TorchTPU trainers with a real Torch on CPUs, alone and on a real Ray; ends with "N passed, N failed". The package torch_tpu
# is stood in for (rehearsal/stand_in/torch_tpu), so this proves what is around it and not torch_tpu itself. The environment (6 GB, most of
# it libraries that the Torch of the package index cannot be installed without) is made on first use, outside the checkout.
# Arguments are pytest files of this folder; without any, all.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=../ray/suite.sh
. test/ray/suite.sh
[ "$(uname -s)" = Linux ] || skip torch "posed TPU hosts need Linux, and this is $(uname -s)"
begin torch rehearsal/requirements-torch.txt

files=("$@")
if [ ${#files[@]} -eq 0 ]; then files=(test/torch/test_*.py); fi
# One thread a process: several ranks share this machine's cores, and OpenMP's threads would wait for each other in busy loops.
# The hub is never asked, so that a test cannot pass by what is cached there.
export OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 TPU_TRAINERS_CACHE="$work/once"
run_pytest torch -W ignore "${files[@]}"
verdict
