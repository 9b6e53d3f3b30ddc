#!/usr/bin/env bash
# What a GET out of the cache costs: Millrace with a file backend over a folder, warm and signed, next to nginx serving the
# files of that folder; with --tls both over TLS. Needs nginx, wrk and python3. Keep the machine idle.
#
#   bench/warm.sh [--tls] [--sizes 4k,128k,1m,16m --seconds 6 --rounds 3 --warmup 12]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
work=$(mktemp -d)
pids=()

finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT

scheme=http tls=
if [[ ${1:-} == --tls ]]; then
  shift
  scheme=https tls=", tls: { certificate: $work/certificate.pem, private-key: $work/key.pem }"
  (
    # shellcheck source=.ci/lib.sh
    source "$root/.ci/lib.sh"
    make_certificate "$work"
  )
  set -- --tls "$work" "$@"
fi
mkdir -p "$work/objects/bench"
cat > "$work/millrace.yaml" << EOF
s3: { port: 17272$tls }
admin: { port: 17273 }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 8GiB } ] }
backends: { local: { type: file, path: $work/objects } }
buckets: [ { name: "*", backend: local, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
EOF
"$root/millrace" serve --config "$work/millrace.yaml" > "$work/millrace.log" 2>&1 &
pids+=($!)
millrace=$!
for _ in $(seq 600); do
  if curl -fs -o /dev/null http://127.0.0.1:17273/health; then break; fi
  sleep 0.2
done

python3 "$here/cost_of_get.py" --folder "$work/objects" "$@" \
  "millrace=$scheme://127.0.0.1:17272,pid=$millrace,key=benchkey:benchsecret"
curl -s http://127.0.0.1:17273/metrics | grep -E '^millrace_cache_(bytes|fetches|blocks)'
