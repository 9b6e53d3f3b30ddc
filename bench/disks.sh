#!/usr/bin/env bash
# What clients see when a disk of the cache goes wrong under load. Two disks, each a file system of its own; the first is made to
# fail in every way there is while objects are read that lie on both, and objects that are new. Every byte is compared. Needs root
# and loop devices; says SKIPPED without them.
#
#   bench/disks.sh [FAULT...]    of: none full readonly eio frozen stalled slow pulled; all without
#   FILE_SYSTEM=xfs bench/disks.sh
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

url=http://127.0.0.1:$s3_port/data
file_system=${FILE_SYSTEM:-ext4}
broken=$work/broken healthy=$work/healthy
throttle=/sys/fs/cgroup/blkio/blkio.throttle
loops=()

if [[ $(id -u) != 0 ]] || ! losetup -f > /dev/null 2>&1; then
  echo "SKIPPED: needs root and loop devices"
  exit 0
fi

clear_all() {
  fsfreeze -u "$broken" 2> /dev/null || true
  unthrottle
  for pid in "${pids[@]}"; do kill -9 "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  umount "$broken" 2> /dev/null || umount -l "$broken" 2> /dev/null || true
  umount "$healthy" 2> /dev/null || umount -l "$healthy" 2> /dev/null || true
  for loop in "${loops[@]}"; do losetup -d "$loop" 2> /dev/null || true; done
  finish
}
trap clear_all EXIT

# make_disk NAME: a file system of 3 GiB on a loop device, mounted; sets $loop.
make_disk() {
  truncate -s 3G "$work/$1.image"
  loop=$(losetup -f --show "$work/$1.image")
  loops+=("$loop")
  "mkfs.$file_system" -q "$loop"
  mkdir -p "$work/$1"
  mount "$loop" "$work/$1"
}

number_of() {
  printf '%d:%d\n' "0x$(stat -c %t "$1")" "0x$(stat -c %T "$1")"
}

unthrottle() {
  for limit in read_bps write_bps read_iops; do
    if [[ -n ${broken_number:-} && -e ${throttle}.${limit}_device ]]; then echo "$broken_number 0" > "${throttle}.${limit}_device" || true; fi
  done
}

# state: of the broken disk.
state() {
  curl -fs -m 2 "http://127.0.0.1:$admin_port/metrics" | sed -n "s|^millrace_disk_state{disk=\"$broken/cache\",state=\"\([a-z]*\)\"} 1.0\$|\1|p"
}

# isolation: seconds until the disk is in another state than good, and which; 30 s at most.
isolation() {
  local began now
  began=$(date +%s.%N)
  for _ in $(seq 300); do
    now=$(state || true)
    if [[ -n $now && $now != good ]]; then
      awk -v now="$(date +%s.%N)" -v began="$began" -v state="$now" 'BEGIN { printf "%s after %.1f s\n", state, now - began }'
      return
    fi
    sleep 0.1
  done
  echo "good"
}

# load: what is cached, small and large, and what is not, for some seconds; every byte is compared.
load() {
  "$loadgen" read --url "$url" --name large --objects 50 --size 8MiB --workers 8 > "$work/large" || true
  "$loadgen" read --url "$url" --name "new-$RANDOM$RANDOM" --objects 600 --size 256KiB --workers 8 > "$work/new" || true
}

small() {
  "$loadgen" read --url "$url" --name small --objects 8000 --size 16KiB --workers 16 --rounds 1 > "$work/small" || true
}

# under LABEL: the load, and what became of it.
under() {
  local what isolated=$work/isolated
  isolation > "$isolated" &
  local watcher=$!
  for _ in 1 2; do
    load &
    local other=$!
    small
    wait "$other"
    for what in small large new; do
      echo "$1: $what: right $(value right < "$work/$what"), failed $(value failed < "$work/$what"), wrong $(value wrong < "$work/$what")," \
        "hits $(value hits < "$work/$what"), ms p99 $(value whole_ms_p99 < "$work/$what"), slowest $(value whole_ms_p100 < "$work/$what")"
      sed -n 's/^fault=/  /p' "$work/$what"
    done
  done
  wait "$watcher"
  echo "$1: the disk was $(cat "$isolated"), is $(state)"
}

fresh() {
  make_disk broken
  broken_loop=$loop
  broken_number=$(number_of "$loop")
  make_disk healthy
  cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $broken/cache, size: 2GiB }, { path: $healthy/cache, size: 2GiB } ] }
backends: { origin: { type: s3, endpoint: "http://127.0.0.1:$origin_port", region: us-east-1, path-style: true, access-key: o, secret-key: o } }
buckets: [ { name: data, backend: origin, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
  start_gateway
  "$loadgen" read --url "$url" --name large --objects 50 --size 8MiB --workers 8 > /dev/null
  small
  sync
}

gone() {
  kill -9 "$gateway" 2> /dev/null || true
  wait "$gateway" 2> /dev/null || true
  umount "$broken" || umount -l "$broken" || true
  umount "$healthy" || umount -l "$healthy" || true
  for loop in "${loops[@]}"; do losetup -d "$loop" || true; done
  loops=()
  rm -rf "$work"/*.image "$work/millrace"
}

drop_caches() {
  sync -f "$healthy"
  echo 3 > /proc/sys/vm/drop_caches
}

cli() {
  AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret "$root/millrace" "$@" --endpoint-url "http://127.0.0.1:$admin_port"
}

fault() {
  fresh
  case $1 in
    none) under "$1" ;;
    full)
      fallocate -l "$(($(df --output=avail -B1 "$broken" | tail -1) - 4096))" "$broken/filler"
      under "$1"
      rm "$broken/filler"
      ;;
    readonly)
      # As the kernel does by itself after an error; it refuses that to an operator while files are open for writing.
      mount -o remount,abort "$broken" 2> /dev/null || echo "$file_system cannot be made read-only while it is written"
      under "$1"
      ;;
    eio)
      truncate -s 64M "$work/broken.image"
      drop_caches
      under "$1"
      ;;
    frozen)
      fsfreeze -f "$broken"
      echo 3 > /proc/sys/vm/drop_caches
      under "$1"
      fsfreeze -u "$broken"
      sleep 3
      echo "$1: thawed, the disk is $(state)"
      ;;
    stalled)
      echo "$broken_number 1" > "${throttle}.read_iops_device"
      drop_caches
      under "$1"
      unthrottle
      sleep 15
      echo "$1: goes on, the disk is $(state)"
      ;;
    slow)
      echo "$broken_number 4194304" > "${throttle}.read_bps_device"
      echo "$broken_number 4194304" > "${throttle}.write_bps_device"
      drop_caches
      under "$1"
      unthrottle
      ;;
    pulled)
      umount -l "$broken"
      under "$1"
      echo "$1: left in its place: $(find "$broken" -mindepth 1 -printf '%f ')"
      mount "$broken_loop" "$broken"
      sleep 3
      echo "$1: mounted again, the disk is $(state)"
      cli disks return "$broken/cache" > /dev/null
      echo "$1: returned, the disk is $(state)"
      under "$1, returned"
      ;;
    *) die "no such fault: $1" ;;
  esac
  gone
}

start_origin "$origin_port"
for one in "${@:-none full readonly eio frozen stalled slow pulled}"; do
  for each in $one; do fault "$each"; done
done
