#!/usr/bin/env bash
# A data set larger than memory and larger than the cache: Millrace in a memory control group of 2 GiB (heap, buffers and page
# cache together) with a cache of 3 GiB, 6 GiB of objects read twice, whole and by ranges. Every byte is compared, and the
# cache's folder may never be larger than its size and a segment. Needs root.
#
#   bench/small_memory.sh
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

url=http://127.0.0.1:$s3_port/data
size=$((3 << 30))
segment=$((256 << 20))

# control_group BYTES: a memory control group, of version 1 or 2; prints its folder.
control_group() {
  local folder=/sys/fs/cgroup/memory/millrace-bench limit=memory.limit_in_bytes
  if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then folder=/sys/fs/cgroup/millrace-bench limit=memory.max; fi
  mkdir -p "$folder"
  echo "$1" > "$folder/$limit"
  echo "$folder"
}

# watch_size: writes the largest size that the cache's folder ever had to $work/largest.
watch_size() {
  local largest=0 now
  while sleep 0.2; do
    now=$(du -sB1 "$work/cache" 2> /dev/null | cut -f1)
    if ((now > largest)); then
      largest=$now
      echo "$largest" > "$work/largest"
    fi
  done
}

group=$(control_group $((2 << 30)))
start_origin "$origin_port"
settings "$origin_port" 3GiB
start_gateway
watch_size &
pids+=($!)

for pass in 1 2; do
  "$loadgen" read --url "$url" --name small --objects 40000 --size 20KiB --workers 16 > "$work/small"
  "$loadgen" read --url "$url" --name middle --objects 3200 --size 1MiB --workers 16 > "$work/middle"
  "$loadgen" read --url "$url" --name large --objects 20 --size 100MiB --workers 4 > "$work/large"
  "$loadgen" read --url "$url" --name large --objects 20 --size 100MiB --range 3MiB --workers 16 > "$work/ranges"
  for what in small middle large ranges; do
    echo "pass $pass: $what: right $(value right < "$work/$what"), hits $(value hits < "$work/$what")," \
      "wrong $(value wrong < "$work/$what"), $(value MiB_per_second < "$work/$what") MiB/s"
  done
done
largest=$(cat "$work/largest")
echo "cache $((size >> 20)) MiB, its folder at most $((largest >> 20)) MiB; evicted $(($(metric millrace_cache_evicted_bytes_total) >> 20)) MiB," \
  "resident memory at most $(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$gateway/status") MiB"
((largest <= size + segment)) || die "more than the cache may take"
