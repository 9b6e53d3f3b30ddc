#!/usr/bin/env bash
# What clients see when a disk of the cache goes wrong under load. Two disks, each a file system of its own; the first is made to
# fail in every way there is while objects are read that lie on both, objects that lie on the second alone ("apart", whose hits
# are the healthy disk's), and objects that are new. Every byte is compared. Then a disk is added, found unmounted at a start,
# mounted again, and taken out. Needs root and loop devices; says SKIPPED without them.
#
#   bench/disks.sh [FAULT...]    of: none full inodes readonly eio frozen stalled slow pulled changed; all without
#   FILE_SYSTEM=xfs bench/disks.sh
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

url=http://127.0.0.1:$s3_port/data
file_system=${FILE_SYSTEM:-ext4}
broken=$work/broken healthy=$work/healthy
on_broken="{path: $broken/cache, size: 2GiB}" on_healthy="{path: $healthy/cache, size: 2GiB}"
throttle=/sys/fs/cgroup/blkio/blkio.throttle

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

# isolation COMMAND...: lets the disk fail by a command once objects are being read; seconds until it is in another state than healthy,
# and which; 10 s at most.
isolation() {
  local began now before
  before=$(metric millrace_cache_requests_total)
  while (($(metric millrace_cache_requests_total) < before + 100)); do sleep 0.1; done
  began=$(date +%s.%N)
  "$@" >&2
  for _ in $(seq 100); do
    now=$(state || true)
    if [[ -n $now && $now != healthy ]]; then
      awk -v now="$(date +%s.%N)" -v began="$began" -v state="$now" 'BEGIN { printf "%s after %.1f s\n", state, now - began }'
      return
    fi
    sleep 0.1
  done
  echo "healthy"
}

# load: what is cached, small and large, and what is not, for some seconds; every byte is compared.
load() {
  "$loadgen" read --url "$url" --name large --objects 25 --size 8MiB --workers 8 > "$work/large" || true
  "$loadgen" read --url "$url" --name "new-$RANDOM$RANDOM" --objects 300 --size 256KiB --workers 8 > "$work/new" || true
}

# apart: what lies on the healthy disk alone.
apart() {
  "$loadgen" read --url "$url" --name apart --objects 2000 --size 16KiB --workers 4 --rounds 1 > "$work/apart" || true
}

small() {
  "$loadgen" read --url "$url" --name small --objects 4000 --size 16KiB --workers 16 --rounds 1 > "$work/small" || true
}

all_at_once() {
  load &
  local loading=$!
  apart &
  local besides=$!
  small
  wait "$loading" "$besides"
}

# under LABEL COMMAND...: the load, the command that lets the disk fail under it, and what became of it.
under() {
  local what isolated=$work/isolated
  isolation "${@:2}" > "$isolated" &
  local watcher=$!
  for _ in 1 2; do
    all_at_once
    for what in small large new apart; do
      echo "$1: $what: right $(value right < "$work/$what"), failed $(value failed < "$work/$what"), wrong $(value wrong < "$work/$what")," \
        "hits $(value hits < "$work/$what"), ms p99 $(value whole_ms_p99 < "$work/$what"), slowest $(value whole_ms_p100 < "$work/$what")"
      sed -n 's/^fault=/  /p' "$work/$what"
    done
  done
  wait "$watcher"
  echo "$1: the disk was $(cat "$isolated"), is $(state)"
}

# with_disks DISK...: the settings file names these.
with_disks() {
  local IFS=, disks
  disks="$*"
  cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ $disks ] }
backends: { origin: { type: s3, endpoint: "http://127.0.0.1:$origin_port", region: us-east-1, path-style: true, access-key: o, secret-key: o } }
buckets: [ { name: data, backend: origin, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
}

# fresh [OPTION...]: two disks, the first made with these options; a yardstick is taken.
fresh() {
  make_disk broken 3G "$file_system" "$@"
  broken_loop=$loop
  broken_number=$(number_of "$loop")
  make_disk healthy 3G "$file_system"
  with_disks "$on_healthy"
  start_gateway
  apart
  stop_gateway
  with_disks "$on_broken" "$on_healthy"
  start_gateway
  "$loadgen" read --url "$url" --name large --objects 25 --size 8MiB --workers 8 > /dev/null
  small
  sync
  all_at_once
  echo "$fault: before: apart: hits $(value hits < "$work/apart"), ms p99 $(value whole_ms_p99 < "$work/apart")"
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

full() {
  fallocate -l "$(($(df --output=avail -B1 "$broken" | tail -1) - 4096))" "$broken/filler"
}

inodes() {
  mkdir "$broken/filler"
  (cd "$broken/filler" && seq "$(df --output=iavail "$broken" | tail -1)" | xargs touch) || true
  echo "inodes left: $(df --output=iavail "$broken" | tail -1)"
}

# As the kernel does by itself after an error; it refuses that to an operator while files are open for writing.
read_only() {
  if [[ $file_system == xfs ]]; then
    xfs_io -x -c shutdown "$broken"
  else
    mount -o remount,abort "$broken"
  fi
}

eio() {
  truncate -s 64M "$work/broken.image"
  drop_caches
}

freeze() {
  fsfreeze -f "$broken"
  echo 3 > /proc/sys/vm/drop_caches
}

# throttle LIMIT KIND...
throttle() {
  local kind
  for kind in "${@:2}"; do echo "$broken_number $1" > "${throttle}.${kind}_device"; done
  drop_caches
}

# hits NAME OBJECTS SIZE: one round of them.
hits() {
  "$loadgen" read --url "$url" --name "$1" --objects "$2" --size "$3" --workers 8 --rounds 1 > "$work/$1" || true
  echo "$1: right $(value right < "$work/$1"), failed $(value failed < "$work/$1"), wrong $(value wrong < "$work/$1"), hits $(value hits < "$work/$1")"
}

# changed: a disk of another size is added, is not there at a start, is there again, and is taken out.
changed() {
  make_disk broken 1G "$file_system"
  broken_loop=$loop
  make_disk healthy 3G "$file_system"
  with_disks "$on_healthy"
  start_gateway
  echo "changed: one disk: $(hits first 2000 64KiB), then $(hits first 2000 64KiB)"
  stop_gateway
  with_disks "{path: $broken/cache, size: 640MiB}" "$on_healthy"
  start_gateway
  echo "changed: a smaller one added: $(hits first 2000 64KiB)"
  echo "changed: filled: $(hits second 4000 64KiB), then $(hits second 4000 64KiB), on the smaller one" \
    "$(du -sm "$broken/cache" | cut -f 1) MiB of 640, on the other $(du -sm "$healthy/cache" | cut -f 1) MiB of 2048"
  stop_gateway
  umount "$broken"
  timeout 60 "$root/millrace" serve --config "$work/millrace.yaml" 2>&1 | grep -m 1 "cache folder" | sed 's/^/changed: not mounted at a start: refused: /' || true
  with_disks "{path: $broken/cache, size: 640MiB, required: false}" "$on_healthy"
  start_gateway
  echo "changed: not mounted and not required: it is $(state), $(hits second 4000 64KiB), then $(hits second 4000 64KiB)"
  mount "$broken_loop" "$broken"
  cli disks reattach "$broken/cache" > /dev/null
  echo "changed: returned: it is $(state), $(hits first 2000 64KiB), $(hits second 4000 64KiB)"
  stop_gateway
  with_disks "$on_healthy"
  start_gateway
  echo "changed: taken out: $(hits first 2000 64KiB), $(hits second 4000 64KiB), then $(hits second 4000 64KiB)"
}

fault() {
  fault=$1
  local options=()
  case $file_system-$1 in
    xfs-inodes)
      echo "inodes: SKIPPED: xfs makes them as long as there is room"
      return
      ;;
    xfs-eio)
      # Zeros in the place of what was there: damage, not errors.
      echo "eio: SKIPPED: a cut image grows again by what xfs writes to its log, and reads as zeros"
      return
      ;;
    *-inodes) options=(-N 2048) ;;
  esac
  if [[ $1 == changed ]]; then
    changed
    gone
    return
  fi
  fresh "${options[@]}"
  case $1 in
    none) under "$1" true ;;
    full | inodes | eio) under "$1" "$1" ;;
    readonly) under "$1" read_only ;;
    frozen)
      under "$1" freeze
      fsfreeze -u "$broken"
      sleep 3
      echo "$1: thawed, the disk is $(state)"
      ;;
    stalled)
      under "$1" throttle 1 read_iops
      unthrottle
      sleep 15
      echo "$1: goes on, the disk is $(state)"
      ;;
    slow)
      under "$1" throttle 4194304 read_bps write_bps
      unthrottle
      ;;
    pulled)
      under "$1" umount -l "$broken"
      echo "$1: left in its place: $(find "$broken" -mindepth 1 -printf '%f ')"
      mount "$broken_loop" "$broken"
      sleep 3
      echo "$1: mounted again, the disk is $(state)"
      cli disks reattach "$broken/cache" > /dev/null
      echo "$1: returned, the disk is $(state)"
      under "$1, returned" true
      ;;
    *) die "no such fault: $1" ;;
  esac
  gone
}

start_origin "$origin_port"
for one in "${@:-none full inodes readonly eio frozen stalled slow pulled changed}"; do
  for each in $one; do fault "$each"; done
done
