#!/usr/bin/env bash
# A disk of the cache that stands still, and one whose pages are no longer in memory: the event loops must go on. The cache
# lies on a file system of its own, which is frozen for 5 seconds while clients read and fill. Needs root.
#
#   bench/frozen.sh [ROUNDS]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

url=http://127.0.0.1:$s3_port/data
disk=$work/disk

unmount() {
  fsfreeze -u "$disk" 2> /dev/null || true
  for pid in "${pids[@]}"; do kill -9 "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  umount "$disk" || true
  finish
}

# late BOUND: how often an event loop was later than this, in seconds, since the start; ALL for how often it was looked at.
late() {
  curl -fs "http://127.0.0.1:$admin_port/metrics" | awk -v bound="$1" '
    $1 == "millrace_event_loop_lag_seconds_count" { all = $2 }
    index($1, "millrace_event_loop_lag_seconds_bucket{le=\"" bound "\"") == 1 { within = $2 }
    END { print bound == "ALL" ? all : all - within }'
}

# load: what is cached and what is not, at once; every byte is compared.
load() {
  "$loadgen" read --url "$url" --name large --objects 200 --size 8MiB --workers 16 > "$work/large" &
  local large=$!
  "$loadgen" read --url "$url" --name "new-$SECONDS" --objects 4000 --size 64KiB --workers 16 > "$work/new" &
  local new=$!
  "$loadgen" read --url "$url" --name small --objects 40000 --size 16KiB --workers 16 > "$work/small"
  wait "$large" "$new"
}

# under LABEL COMMAND...: the command, and how late event loops were meanwhile.
under() {
  local label=$1 all ten fifty quarter what
  all=$(late ALL) ten=$(late 0.01) fifty=$(late 0.05) quarter=$(late 0.25)
  shift
  "$@"
  echo "$label: looked at $(($(late ALL) - all)) times, late by more than 10 ms $(($(late 0.01) - ten))," \
    "50 ms $(($(late 0.05) - fifty)), 250 ms $(($(late 0.25) - quarter))"
  for what in small large new; do
    echo "  $what: right $(value right < "$work/$what"), hits $(value hits < "$work/$what")," \
      "wrong $(value wrong < "$work/$what"), slowest $(value whole_ms_p100 < "$work/$what") ms"
  done
}

dropped() {
  sync
  echo 3 > /proc/sys/vm/drop_caches
  load
}

frozen() {
  sync
  fsfreeze -f "$disk"
  echo 3 > /proc/sys/vm/drop_caches
  (
    sleep 5
    fsfreeze -u "$disk"
  ) &
  local thaw=$!
  load
  wait "$thaw"
}

truncate -s 8G "$work/image"
mkfs.ext4 -q "$work/image"
mkdir "$disk"
mount -o loop "$work/image" "$disk"
trap unmount EXIT

start_origin "$origin_port"
settings "$origin_port" 6GiB "$disk/cache"
start_gateway
for _ in 1 2 3; do load; done
for _ in $(seq "${1:-3}"); do
  under "nothing wrong" load
  under "page cache dropped" dropped
  under "disk frozen for 5 s" frozen
done
