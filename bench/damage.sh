#!/usr/bin/env bash
# Flips bits in the segments of a stopped gateway: none of them may be served. Each damaged record is a miss, and read anew.
#
#   bench/damage.sh [FLIPS]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

url=http://127.0.0.1:$s3_port/data
flips=${1:-2000}

# read_all: every object, compared; prints what became of them.
read_all() {
  "$loadgen" read --url "$url" --name small --objects 20000 --size 4KiB --workers 16 > "$work/small"
  "$loadgen" read --url "$url" --name large --objects 200 --size 3MiB --workers 16 > "$work/large"
  for what in small large; do
    echo "$1: $what: right $(value right < "$work/$what"), hits $(value hits < "$work/$what"), wrong $(value wrong < "$work/$what")"
  done
}

start_origin "$origin_port"
settings "$origin_port" 3GiB
start_gateway
read_all cold
stop_gateway
flip_bits "$work/cache" "$flips"
start_gateway
read_all damaged
echo "records found damaged: $(metric millrace_cache_corrupt_total)"
echo "bytes fetched again: $(metric millrace_cache_fetched_bytes_total) of $((20000 * 4096 + 200 * 3145728))"
read_all mended
