#!/usr/bin/env bash
# What a GET out of the cache costs: Millrace with a file backend over a folder, warm and signed, next to nginx serving the
# files of that folder; with --tls both over TLS; with --access-log next to another Millrace that writes one. Needs nginx, wrk and
# python3. Keep the machine idle.
#
#   bench/warm.sh [--tls] [--access-log] [--sizes 4k,128k,1m,16m --seconds 6 --rounds 3 --warmup 12]
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
logged=
if [[ ${1:-} == --access-log ]]; then
  shift
  logged=1
fi
mkdir -p "$work/objects/bench"

# serve NAME PORT [SETTING]: starts a gateway and adds it to the targets.
targets=()
serve() {
  mkdir "$work/$1"
  cat > "$work/$1/millrace.yaml" << EOF
s3: { port: $2$tls${3:-} }
admin: { port: $(($2 + 1)) }
data: $work/$1/data
cache: { disks: [ { path: $work/$1/cache, size: 8GiB } ] }
backends: { local: { type: file, path: $work/objects } }
buckets: [ { name: "*", backend: local, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
EOF
  "$root/millrace" serve --config "$work/$1/millrace.yaml" > "$work/$1/millrace.log" 2>&1 &
  pids+=($!)
  targets+=("$1=$scheme://127.0.0.1:$2,pid=$!,key=benchkey:benchsecret")
  for _ in $(seq 600); do
    if curl -fs -o /dev/null "http://127.0.0.1:$(($2 + 1))/health"; then break; fi
    sleep 0.2
  done
}

serve millrace 17272
[[ -z $logged ]] || serve logged 17274 ", access-log: { path: $work/access.log }"
python3 "$here/cost_of_get.py" --folder "$work/objects" "$@" "${targets[@]}"
curl -s http://127.0.0.1:17273/metrics | grep -E '^millrace_cache_(bytes|fetches|blocks)'
[[ -z $logged ]] || echo "$(cat "$work"/access.log* | wc -l) lines of the access log, $(curl -s http://127.0.0.1:17275/metrics | grep -E '^millrace_access_log')"
