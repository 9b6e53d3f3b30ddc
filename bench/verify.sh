#!/usr/bin/env bash
# What it costs to compare all bytes each time they leave (cache.verify: always) next to once (first-read): two Millraces over the
# same folder, warm and signed, next to nginx, in one run. Needs nginx, wrk and python3. Keep the machine idle.
#
#   bench/verify.sh [--sizes 64k,16m --seconds 6 --rounds 3 --warmup 12]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/millrace" version > /dev/null # builds it
mkdir -p "$work/objects/bench"
targets=()

# start WAY PORT: a Millrace that compares so.
start() {
  cat > "$work/$1.yaml" << YAML
s3: { port: $2 }
admin: { port: $(($2 + 1)) }
data: $work/$1
cache: { verify: $1, disks: [ { path: $work/$1-cache, size: 8GiB } ] }
backends: { local: { type: file, path: $work/objects } }
buckets: [ { name: "*", backend: local, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
  "$root/millrace" serve --config "$work/$1.yaml" > "$work/$1.log" 2>&1 &
  pids+=($!)
  targets+=("$1=http://127.0.0.1:$2,pid=$!,key=benchkey:benchsecret")
  await "http://127.0.0.1:$(($2 + 1))/health"
}

start first-read "$s3_port"
start always "$((s3_port + 4))"
python3 "$bench/cost_of_get.py" --folder "$work/objects" --sizes 64k,16m "$@" "${targets[@]}"
