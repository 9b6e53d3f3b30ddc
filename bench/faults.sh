#!/usr/bin/env bash
# A gateway with two backends, of which one is in trouble: what its clients see, what those of the other backend notice, how often a dead
# backend is asked, how soon it is used again, and what hedging does to a cold scan whose first bytes are late in 2 of 100. Some eight
# minutes on an idle machine.
#
#   bench/faults.sh [see|others|dead|hedge ...]
#   bench/faults.sh see versitygw|azurite|fake-gcs|nginx|hub|millrace     the first, before a real server, of its type of backend
#                                                                    (.ci/origins has them); it compares each byte. The
#                                                                    proxy of hub is before its large files
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck source=.ci/origins/settings.sh
source "$root/.ci/origins/settings.sh"

faulty_port=$((s3_port + 3)) control_port=$((s3_port + 4))
server='' extra_backend='' place='' seeded=bad bad="type: s3, endpoint: 'http://127.0.0.1:$faulty_port', path-style: true, access-key: o, secret-key: o"

stop_server() {
  "$root/.ci/origins/$server" stop "$work/server" || true
  finish
}

# faulty_settings [HEDGING]
faulty_settings() {
  cat > "$work/millrace.yaml" << EOF
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 8GiB } ] }
backends:
  good: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: o, secret-key: o }
  bad: { $bad, resilience: { ${1:-} } }
$extra_backend
buckets:
  - { name: good, backend: good, anonymous: read, freshness: { mode: immutable } }
  - { name: bad, backend: bad, ${place}anonymous: read, freshness: { mode: immutable } }
  - { name: seeded, backend: $seeded, bucket: bad }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
EOF
}

faults() {
  python3 "$bench/faults.py" --s3 "$s3_port" --admin "$admin_port" --control "$control_port" --loadgen "$loadgen" ${server:+--server "$server"} "$1"
}

control() {
  curl -fs "http://127.0.0.1:$control_port/-/$1"
}

# scan HEDGING: a cold scan of 10,000 objects with late first bytes.
scan() {
  rm -rf "$work/cache" "$work/millrace"
  faulty_settings "$1"
  start_gateway
  "$loadgen" read --url "http://127.0.0.1:$s3_port/bad" --name "warmup-$RANDOM" --objects 3000 --size 1KiB --workers 64 > /dev/null
  control 'fault?some-delayed:2:3' > /dev/null
  before=$(control stats | value requests)
  "$loadgen" read --url "http://127.0.0.1:$s3_port/bad" --name "scan-$RANDOM" --objects 10000 --size 16KiB --workers 64 > "$work/scan.txt"
  echo "${1:-no hedging}: p50 $(value whole_ms_p50 < "$work/scan.txt") ms, p99 $(value whole_ms_p99 < "$work/scan.txt") ms, $(value seconds < "$work/scan.txt") s," \
    "$(($(control stats | value requests) - before)) requests for $(value right < "$work/scan.txt") objects"
  control 'fault?none' > /dev/null
  stop_gateway
}

# start_server SERVER: a real server instead of the origin. The gateway fills it, or the folder that it serves.
start_server() {
  local endpoint
  server=$1
  trap stop_server EXIT
  endpoint=$(PUBLIC_PORT=$faulty_port ACCESS_KEY=benchkey SECRET_KEY=benchsecret "$root/.ci/origins/$server" start "$work/server" "$behind")
  bad=$(backend_settings "$server" "${endpoint/:$behind/:$faulty_port}" benchkey benchsecret)
  case $server in
    nginx) seeded=folder extra_backend="  folder: { type: file, path: $work/server/data }" ;;
    hub)
      bad=$(backend_settings hub "$endpoint" "http://127.0.0.1:$faulty_port") place='bucket: models, prefix: org/bad/main/, '
      seeded=folder extra_backend="  folder: { type: file, path: $work/server/repositories/models/org }"
      mkdir -p "$work/server/repositories/models/org"
      ;;
  esac
}

behind=$origin_port
start_origin "$origin_port"
if [[ "${1:-} ${2:-}" =~ ^see\ (versitygw|azurite|fake-gcs|nginx|hub|millrace)$ ]]; then
  behind=$((s3_port + 5))
  start_server "$2"
  set -- see
fi
python3 "$bench/faulty_proxy.py" --port "$faulty_port" --control "$control_port" --to "$behind" > "$work/proxy.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$control_port/-/stats"
for part in "${@:-see others dead hedge}"; do
  for what in $part; do
    if [[ $what == hedge ]]; then
      scan ""
      scan "hedge-after: 200ms"
    else
      rm -rf "$work/cache" "$work/millrace"
      faulty_settings
      start_gateway
      if [[ -n $server ]]; then
        # Writes fill the cache, and the reads are to be cold.
        faults seed
        stop_gateway
        rm -rf "$work/cache" "$work/millrace"
        start_gateway
      fi
      faults "$what"
      stop_gateway
    fi
  done
done
