#!/usr/bin/env bash
# What headers that mean nothing to Millrace cost a warm GET of 4 KiB, and a presigned URL, next to the plain GET; and how many of the
# responses took the fast path. Needs wrk and python3. Keep the machine idle.
#
#   bench/headers.sh [--seconds 6 --rounds 5 --warmup 20]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
work=$(mktemp -d)
port=${BENCH_PORT:-17272}
pids=()

finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT

mkdir -p "$work/objects/bench"
cat > "$work/millrace.yaml" << SETTINGS
s3: { address: 127.0.0.1, port: $port }
admin: { address: 127.0.0.1, port: $((port + 1)) }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 1GiB } ] }
backends: { local: { type: file, path: $work/objects } }
buckets: [ { name: "*", backend: local, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
SETTINGS
"$root/millrace" serve --config "$work/millrace.yaml" > "$work/millrace.log" 2>&1 &
pids+=($!)
for _ in $(seq 600); do
  if curl -fs -o /dev/null "http://127.0.0.1:$((port + 1))/health"; then break; fi
  sleep 0.2
done

python3 "$here/headers.py" --folder "$work/objects" "$@" "millrace=http://127.0.0.1:$port,pid=${pids[0]},key=benchkey:benchsecret"
curl -s "http://127.0.0.1:$((port + 1))/metrics" | grep -E '^millrace_s3_(fast_path_total|requests_total.*GetObject)'
