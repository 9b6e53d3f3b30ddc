#!/usr/bin/env bash
# What clients who take all they can of a backend leave to others: cold GETs, PUTs and listings of another identity, alone and beside
# them, over an origin whose every request takes 20 ms. Fails if one of those fails. Some four minutes; with --quick a tenth of the clients, in one.
#
#   bench/shares.sh [--quick]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

part=1 seconds=12
if [[ ${1:-} == --quick ]]; then part=10 seconds=5; fi
ulimit -n "$(ulimit -Hn)"
silent_port=$((s3_port + 3))

start_origin "$origin_port" --thinking PT0.02S
python3 "$bench/shares.py" silent "$silent_port" &
pids+=($!)
origin="endpoint: 'http://127.0.0.1:$origin_port', path-style: true, access-key: o, secret-key: o"
cat > "$work/millrace.yaml" << EOF
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 8GiB } ] }
backends:
  origin: { type: s3, $origin }
  narrow: { type: s3, $origin, resilience: { max-requests: 16 } }
  web: { type: http, url: "http://127.0.0.1:$origin_port/web/" }
  silent: { type: s3, endpoint: "http://127.0.0.1:$silent_port", path-style: true, access-key: o, secret-key: o }
buckets:
  - { name: data, backend: origin, anonymous: read }
  - { name: narrow, backend: narrow }
  - { name: web, backend: web }
  - { name: silent, backend: silent }
identities:
  - { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" }
  - { name: crowd, access-key: crowdkey, secret-key: crowdsecret, allow: "*" }
EOF
start_gateway
python3 "$bench/shares.py" table --url "http://127.0.0.1:$s3_port" --admin "http://127.0.0.1:$admin_port" --pid "$gateway" \
  --seconds "$seconds" --part "$part"
