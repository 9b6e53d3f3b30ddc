#!/usr/bin/env bash
# A disk of the cache that stands still, and one whose pages are no longer in memory: the event loops must go on. The cache
# lies on a file system of its own, which is frozen for 5 seconds while clients read from it. Needs root.
#
#   bench/frozen.sh
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

url=http://127.0.0.1:17272/data
disk=$work/disk

# lag: the longest delay of an event loop lately, in ms.
lag() {
  curl -fs http://127.0.0.1:17273/metrics | awk '/^millrace_event_loop_lag_seconds_max/ { printf "%.1f", $2 * 1000 }'
}

unmount() {
  fsfreeze -u "$disk" 2> /dev/null || true
  for pid in "${pids[@]}"; do kill -9 "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  umount "$disk" || true
  finish
}

truncate -s 4G "$work/image"
mkfs.ext4 -q "$work/image"
mkdir "$disk"
mount -o loop "$work/image" "$disk"
trap unmount EXIT

start_origin 17274
settings 17274 3GiB "$disk/cache"
start_gateway
"$loadgen" read --url "$url" --name small --objects 20000 --size 16KiB --workers 16 > /dev/null
"$loadgen" read --url "$url" --name large --objects 200 --size 8MiB --workers 16 > /dev/null
for _ in 1 2; do
  "$loadgen" read --url "$url" --name small --objects 20000 --size 16KiB --workers 16 > /dev/null
  "$loadgen" read --url "$url" --name large --objects 200 --size 8MiB --workers 16 > /dev/null
done
# The maximum is that of the last minutes.
sleep "${FORGET:-150}"
echo "idle: lag $(lag) ms"

sync
echo 3 > /proc/sys/vm/drop_caches
"$loadgen" read --url "$url" --name large --objects 200 --size 8MiB --workers 16 > "$work/large" &
"$loadgen" read --url "$url" --name small --objects 20000 --size 16KiB --workers 16 > "$work/small"
wait $!
for what in small large; do
  echo "page cache dropped: $what: right $(value right < "$work/$what"), hits $(value hits < "$work/$what"), wrong $(value wrong < "$work/$what")"
done
echo "page cache dropped: lag $(lag) ms"
sleep "${FORGET:-150}"

sync
fsfreeze -f "$disk"
echo 3 > /proc/sys/vm/drop_caches
"$loadgen" read --url "$url" --name large --objects 200 --size 8MiB --workers 16 > "$work/large" &
reads=$!
"$loadgen" read --url "$url" --name new --objects 2000 --size 64KiB --workers 16 > "$work/small" &
writes=$!
sleep 5
fsfreeze -u "$disk"
wait "$reads" "$writes"
for what in small large; do
  echo "frozen: $what: right $(value right < "$work/$what"), hits $(value hits < "$work/$what"), wrong $(value wrong < "$work/$what")," \
    "slowest $(value whole_ms_p100 < "$work/$what") ms"
done
echo "frozen for 5 s: lag $(lag) ms"
