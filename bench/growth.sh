#!/usr/bin/env bash
# How the cost of a hit grows: server CPU of GETs of 4 KiB (ranges of objects of 1 MiB) at random, by how many objects are cached, by
# cores, and by folders of one device that the cache lies in. Bodies are holes (io.millrace.cache.CachedBlockGenerator), and 100,000
# of the objects are read at most. Then how evenly reads go to four file systems. Keep the machine idle.
#
#   bench/growth.sh objects [N...]     1000 100000 1000000 10000000
#   bench/growth.sh cores              the gateway on one core and on two, 100,000 objects
#   bench/growth.sh folders [N...]     1 2 4 8, 100,000 objects
#   bench/growth.sh spread             bytes read from each of four file systems on loop devices, as root
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mode=${1:-objects}
shift || true
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret
ticks=$(getconf CLK_TCK)

mvn -q -B -ntp -f "$root/pom.xml" -Dstyle.color=never -Dchecks.skip -pl cache-store -am test-compile dependency:build-classpath \
  -Dmdep.outputFile="$work/classpath" -Dmdep.includeScope=test >&2
classes="$root/cache-store/target/test-classes:$root/cache-store/target/classes:$(< "$work/classpath")"

# prepare OBJECTS FOLDERS: a gateway that is stopped and has the objects in its cache.
prepare() {
  local disks=() folder
  rm -rf "$work/millrace" "$work"/disk-*
  for folder in $(seq "$2"); do disks+=("$work/disk-$folder"); done
  cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache:
  index-memory: 1GiB
  disks: [ $(printf '{ path: %s, size: 16TiB }, ' "${disks[@]}") ]
backends: { none: { type: s3, endpoint: "http://127.0.0.1:9", region: us-east-1, path-style: true, access-key: o, secret-key: o } }
buckets: [ { name: data, backend: none, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "read:*" } ] # the load generator could not list
YAML
  start_gateway
  stop_gateway
  every=$((($1 + 99999) / 100000))
  java -cp "$classes" io.millrace.cache.CachedBlockGenerator none data "$1" 1 "$every" "$work/millrace" "${disks[@]}"
  seq -f "many/%07.0f	1048576" 0 "$every" $(($1 - 1)) > "$work/keys"
}

# start_recovered: until all that is cached is known; reads before that count as no hits.
start_recovered() {
  : > "$work/millrace.log"
  start_gateway
  until grep -q 'Recovery of the cache has ended' "$work/millrace.log"; do sleep 0.1; done
}

cpu_ticks() {
  awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$gateway/stat"
}

# load SECONDS: sets $ops and $rate.
load() {
  "$loadgen" bench run --endpoint "http://127.0.0.1:$s3_port" --bucket data --source file --keys-file "$work/keys" --operations range --range-size 4KiB \
    --no-verify -c 16 -d "$1s" --json "$work/load.json" > "$work/load.log" 2>&1 || die "$(tail -3 "$work/load.log")"
  read -r ops rate < <(python3 -c '
import json, sys
phase = json.load(open(sys.argv[1]))["phases"][0]
gets = phase["operations"][0]
assert gets["hits"] == gets["right"] > 0, {name: gets[name] for name in ("right", "failed", "wrong", "hits")}
print(gets["right"], round(gets["right"] / phase["seconds"]))' "$work/load.json")
}

# measure LABEL: a running gateway, warmed up, three times.
measure() {
  local before figures=()
  load 40
  for _ in 1 2 3; do
    before=$(cpu_ticks)
    load 10
    figures+=("$(awk -v ticks=$(($(cpu_ticks) - before)) -v hz="$ticks" -v ops="$ops" 'BEGIN { printf "%.1f", 1e6 * ticks / hz / ops }')")
  done
  echo "$1: ${figures[*]} us of server CPU a GET, $rate GETs/s; $(metric millrace_cache_index_bytes) bytes of index, $(awk '$1 == "VmRSS:" { print int($2 / 1024) }' "/proc/$gateway/status") MiB resident"
}

# read_all: every byte of 3,000 objects of 1 MiB.
read_all() {
  "$loadgen" read --url "http://127.0.0.1:$s3_port/data" --name spread --objects 3000 --size 1MiB --workers 8 > "$work/read"
}

spread() {
  local disk disks=() before=()
  start_origin "$origin_port"
  trap 'detach; finish' EXIT
  for disk in 1 2 3 4; do
    make_disk "disk-$disk" 2GiB ext4
    disks+=("{ path: $work/disk-$disk/cache, size: 1500MiB }")
  done
  settings "$origin_port" 1GiB
  sed -i "s|disks: .*|disks: [ $(IFS=,; echo "${disks[*]}") ] }|" "$work/millrace.yaml"
  start_gateway
  read_all
  sync
  echo 3 > /proc/sys/vm/drop_caches
  for loop in "${loops[@]}"; do before+=("$(awk '{ print $3 }' "/sys/block/${loop#/dev/}/stat")"); done
  read_all
  for disk in "${!loops[@]}"; do
    echo "file system $((disk + 1)): $((($(awk '{ print $3 }' "/sys/block/${loops[disk]#/dev/}/stat") - before[disk]) / 2048)) MiB read"
  done
}

detach() {
  stop_gateway 2> /dev/null || true
  for loop in "${loops[@]}"; do umount "$loop" && losetup --detach "$loop"; done
}

case $mode in
  objects)
    (($# > 0)) || set -- 1000 100000 1000000 10000000
    for count in "$@"; do
      prepare "$count" 2
      start_recovered
      measure "$count objects"
      stop_gateway
    done
    ;;
  cores)
    prepare 100000 2
    for cores in 0 0,1 0 0,1; do
      MILLRACE_JAVA_OPTIONS="-XX:ActiveProcessorCount=$(tr ',' '\n' <<< "$cores" | wc -l)" start_recovered
      taskset -a -p -c "$cores" "$gateway" > /dev/null
      measure "cores $cores"
      stop_gateway
    done
    ;;
  folders)
    (($# > 0)) || set -- 1 2 4 8
    for count in "$@"; do
      prepare 100000 "$count"
      start_recovered
      measure "$count folders"
      stop_gateway
    done
    ;;
  spread) spread ;;
  *) die "there are objects, cores, folders and spread" ;;
esac
