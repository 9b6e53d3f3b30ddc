#!/usr/bin/env bash
# What a cold GET costs: Millrace next to nginx proxy_cache with slices of 1 MiB, both in front of one nginx with static files.
# Every object is read once; others are read with x-amz-checksum-mode, as SDKs do. Needs nginx and python3. Keep the machine idle.
#
#   bench/cold.sh [--rounds 3] [--warmup 40000] [SIZE:COUNT...]    4k:8000 1m:400
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

options=()
while [[ ${1:-} == --* ]]; do
  options+=("$1" "$2")
  shift 2
done
if [[ $# == 0 ]]; then set -- 4k:8000 1m:400; fi
settings "$origin_port" 8GiB
sed -i 's/name: data/name: cold/' "$work/millrace.yaml"
start_gateway
python3 "$bench/cost_of_cold_get.py" "${options[@]}" "http://127.0.0.1:$s3_port" "$gateway" benchkey:benchsecret "$origin_port" "$@"
