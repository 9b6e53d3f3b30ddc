#!/usr/bin/env bash
# 500 uploads of 5 GiB at 2 KiB a second: what they cost in memory, and the warm GETs of another client. To versitygw and to the
# file backend, unsigned and in signed chunks. versitygw reserves what is announced, so its objects lie in a sparse file system of
# their own. Needs root, mkfs.xfs, python3, wrk, jcmd and versitygw (.ci/origins/versitygw install).
#
#   bench/slow_writes.sh [--writers 500 --rate 2048 --seconds 60]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
export MILLRACE_JAVA_OPTIONS="${MILLRACE_JAVA_OPTIONS:-} -XX:NativeMemoryTracking=summary"

unmount() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  umount "$work/objects-of-versitygw" || true
  finish
}

truncate -s 4T "$work/image"
mkfs.xfs -q -l size=64m "$work/image"
mkdir "$work/objects-of-versitygw"
mount -o loop "$work/image" "$work/objects-of-versitygw"
trap unmount EXIT

start_versitygw
mkdir -p "$work/objects-of-versitygw/slow" "$work/objects/file" "$work/objects/warm"
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 1GiB } ] }
backends:
  s3: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
  file: { type: file, path: $work/objects }
buckets:
  - { name: slow, backend: s3 }
  - { name: "*", backend: file, freshness: { mode: immutable } }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
for bucket in slow file; do
  for form in unsigned chunks; do
    start_gateway
    echo "to $([[ $bucket == slow ]] && echo versitygw || echo the file backend)"
    python3 "$bench/slow_writers.py" --url "http://127.0.0.1:$s3_port" --pid "$gateway" --key benchkey:benchsecret \
      --bucket "$bucket" --warm warm --form "$form" "$@"
    echo "  left of the uploads: $(find "$work/objects/.millrace/tmp" -type f 2> /dev/null | wc -l) files," \
      "$(metric millrace_s3_in_flight) requests"
    stop_gateway
  done
done
echo "warnings in the log: $(grep -cE ' (WARN|ERROR) ' "$work/millrace.log" || true)"
