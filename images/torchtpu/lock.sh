#!/usr/bin/env bash
# Writes the lock of requirements.in to a file: images/torchtpu/lock.sh UV OUTPUT. What the base image has is left out, with the
# CUDA libraries that the Torch of the package index brings and a TPU has no use for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
uv="$1" output="$2"
omit=()
for package in torch torch-tpu libtpu triton cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cccl nvidia-cuda-cupti \
  nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-cusolver nvidia-cusparse nvidia-cusparselt-cu13 \
  nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13 nvidia-nvtx; do
  omit+=(--no-emit-package "$package")
done
"$uv" pip compile --quiet --python-version 3.12 --python-platform x86_64-manylinux_2_31 --no-header --no-annotate \
  "${omit[@]}" --output-file "$output" requirements.in
# Written as a comment by uv, with the packages that were left out.
sed -i '/^# The following packages/,$d' "$output"
sed -i -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$output"
