#!/usr/bin/env bash
# What a PUT costs: straight to versitygw, and through Millrace in front of it, with a cache that writes fill or that they only
# invalidate; and through Millrace to its file backend. All are warm and in one run. Needs python3 and versitygw
# (.ci/origins/versitygw install). Keep the machine idle. BENCH_FOLDER says where the objects lie; the file backend waits for
# its disk, versitygw does not.
#
#   bench/write.sh [--sizes 4k,1m,64m --forms unsigned,hash,chunks,trailer --seconds 6 --rounds 3 --warmup 10]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

start_versitygw
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 4GiB } ] }
backends:
  s3: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
  file: { type: file, path: $work/objects }
buckets:
  - { name: passed, backend: s3, bucket: bench, write: invalidate }
  - { name: filled, backend: s3, bucket: bench }
  - { name: file, backend: file, bucket: bench, write: invalidate }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
start_gateway

key=key=benchkey:benchsecret
through=http://127.0.0.1:$s3_port,pid=$gateway,$key
python3 "$bench/cost_of_put.py" "$@" \
  "versitygw=http://127.0.0.1:$origin_port,pid=$versitygw,$key" \
  "millrace=$through,behind=$versitygw,bucket=passed" \
  "millrace-fill=$through,behind=$versitygw,bucket=filled" \
  "millrace-file=$through,bucket=file"
echo "warnings in the log: $(grep -cE ' (WARN|ERROR) ' "$work/millrace.log" || true)"
