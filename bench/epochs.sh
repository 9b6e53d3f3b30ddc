#!/usr/bin/env bash
# Training epochs over a cache that holds a quarter, half, three quarters or all of the data: each object is read once an epoch, in
# another order each time; the server (versitygw) is 20 ms away. Objects a second, and the share that came from the cache. Needs
# versitygw (.ci/origins/versitygw install). Keep the machine idle.
#
#   bench/epochs.sh [OBJECTS]     4000 of 256 KiB
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

objects=${1:-4000}
link_port=$((s3_port + 3))
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret

# epochs PORT OPTION...
epochs() {
  "$root/millrace" bench run epoch --endpoint "http://127.0.0.1:$1" --bucket data --objects "$objects" --size 256KiB -c 16 --json "$work/epochs.json" "${@:2}" > "$work/epochs.log" 2>&1 ||
    die "$(tail -3 "$work/epochs.log")"
}

start_versitygw
mkdir -p "$work/objects-of-versitygw/data"
epochs "$origin_port" --upload-only
"$loadgen" link --port "$link_port" --to "$origin_port" --round-trip PT0.02S > "$work/link.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$link_port/healthz"
for percent in 25 50 75 100; do
  # Blocks have a footer, and segments are removed whole: room for all takes a little more than all.
  mebibytes=$((objects * (percent == 100 ? 115 : percent) / 400))
  rm -rf "$work/cache" "$work/millrace"
  settings "$link_port" "${mebibytes}MiB"
  start_gateway
  epochs "$s3_port" --no-upload
  stop_gateway
  python3 -c '
import json, sys
for number, phase in enumerate(json.load(open(sys.argv[2]))["phases"], 1):
    gets = phase["operations"][0]
    print("cache of %3s %%, epoch %d: %6.0f objects/s, %5.1f %% hits, %d failed or wrong" % (
        sys.argv[1], number, gets["right"] / phase["seconds"], 100 * gets["hits"] / gets["right"], gets["failed"] + gets["wrong"]))' \
    "$percent" "$work/epochs.json"
done
