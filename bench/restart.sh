#!/usr/bin/env bash
# A gateway with many cached blocks on two disks is killed and started again, in turns with its files out of memory, as after a boot,
# and in the page cache: when it listens, when the first hit comes behind that, when all that is cached is known. Bodies are holes
# (io.millrace.cache.CachedBlockGenerator). Needs 2 GiB on the disk, and root to drop what the system holds of it.
#
#   bench/restart.sh [BLOCKS [STARTS]]    10000000 of 1 MiB, 4
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

blocks=${1:-10000000} starts=${2:-4}
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache:
  index-memory: 1GiB
  disks: [ { path: $work/disk-1, size: 16TiB }, { path: $work/disk-2, size: 16TiB } ]
backends: { none: { type: s3, endpoint: "http://127.0.0.1:9", region: us-east-1, path-style: true, access-key: o, secret-key: o } }
buckets: [ { name: data, backend: none, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
start_gateway
stop_gateway
mvn -q -B -ntp -f "$root/pom.xml" -Dstyle.color=never -Dchecks.skip -pl cache-store -am test-compile dependency:build-classpath \
  -Dmdep.outputFile="$work/classpath" -Dmdep.includeScope=test >&2
java -cp "$root/cache-store/target/test-classes:$root/cache-store/target/classes:$(< "$work/classpath")" \
  io.millrace.cache.CachedBlockGenerator none data $(((blocks + 99) / 100)) 100 100 "$work/millrace" "$work/disk-1" "$work/disk-2"
du -sh --apparent-size "$work/disk-1" "$work/disk-2"

# milliseconds since the start.
since() {
  echo $((($(date +%s%N) - begun) / 1000000))
}

# cpu_seconds: of the gateway since its start.
cpu_seconds() {
  awk '{ sub(/.*\) /, ""); print ($12 + $13) / 100 }' "/proc/$gateway/stat"
}

# hit KEY: reads 4 KiB of zeros out of the cache.
hit() {
  curl -fs -H 'Cache-Control: only-if-cached' --aws-sigv4 aws:amz:us-east-1:s3 --user benchkey:benchsecret -r 52428800-52432895 "http://127.0.0.1:$s3_port/data/$1" |
    cmp -s - <(head -c 4096 /dev/zero)
}

last=$(printf 'many/%07d' $(((blocks / 100 - 1) / 100 * 100)))
for start in $(seq "$starts"); do
  sync
  state="in the page cache"
  if ((start % 2)); then
    echo 3 > /proc/sys/vm/drop_caches
    state="out of memory"
  fi
  begun=$(date +%s%N)
  "$root/millrace" serve --config "$work/millrace.yaml" >> "$work/millrace.log" 2>&1 &
  gateway=$!
  pids+=("$gateway")
  until curl -s -o /dev/null "http://127.0.0.1:$s3_port/"; do sleep 0.02; done
  listens=$(since) cpu=$(cpu_seconds) from_disk=$(awk '$1 == "read_bytes:" { printf "%.0f", $2 / 1048576 }' "/proc/$gateway/io")
  until hit "$last"; do sleep 0.02; done
  newest=$(since)
  until hit many/0000000; do sleep 0.02; done
  oldest=$(since)
  known=$(metric millrace_cache_blocks)
  while [[ $known -lt $blocks ]]; do sleep 0.1; known=$(metric millrace_cache_blocks); done
  echo "$(grep -o 'Recovery of the cache has ended.*' "$work/millrace.log" | tail -1); $(cpu_seconds) s of CPU"
  echo "files $state: listens after $listens ms, $cpu s of CPU and $from_disk MiB from disk; first hit $((newest - listens)) ms behind that, of the oldest object $((oldest - listens)) ms;" \
    "$known records known after $(since) ms; $(metric millrace_cache_index_bytes) bytes of index, $(($(awk '$1 == "VmRSS:" { print $2 }' "/proc/$gateway/status") / 1024)) MiB of resident memory"
  kill -9 "$gateway"
  wait "$gateway" 2> /dev/null || true
done
