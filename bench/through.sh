#!/usr/bin/env bash
# What streaming a GET through costs: Millrace and nginx as a plain proxy, both in front of the same S3 server, next to that
# server asked directly. Needs nginx, wrk, python3 and versitygw (.ci/origins/versitygw install). Keep the machine idle.
#
#   bench/through.sh [--sizes 4k,128k,1m,16m --seconds 6 --rounds 3 --warmup 12]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
work=$(mktemp -d)
export ROOT_ACCESS_KEY=benchkey ROOT_SECRET_KEY=benchsecret
versitygw=${VERSITYGW:-$(command -v versitygw || echo "${MILLRACE_TOOLS:-$HOME/.cache/millrace-tools}/bin/versitygw")}
pids=()

finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT

wait_for() {
  for _ in $(seq 200); do
    if curl -s -o /dev/null "$1"; then return; fi
    sleep 0.1
  done
  echo "nothing answers at $1" >&2
  exit 1
}

mkdir -p "$work/data/bench"
"$versitygw" --port 127.0.0.1:17270 posix "$work/data" > "$work/versitygw.log" 2>&1 &
pids+=($!)
backend=$!

cat > "$work/proxy.conf" << EOF
worker_processes $(nproc); user root; pid $work/proxy.pid; error_log $work/proxy.log; daemon off;
events { worker_connections 16384; }
http { access_log off; proxy_buffering on; proxy_max_temp_file_size 0; keepalive_requests 1000000000;
client_body_temp_path $work/c; proxy_temp_path $work/p; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u; scgi_temp_path $work/s;
upstream backend { server 127.0.0.1:17270; keepalive 64; keepalive_requests 1000000000; }
server { listen 127.0.0.1:17271 reuseport; location / { proxy_pass http://backend; proxy_http_version 1.1;
proxy_set_header Host \$http_host; proxy_set_header Connection ""; } } }
EOF
nginx -c "$work/proxy.conf" &
pids+=($!)
proxy=$!

cat > "$work/millrace.yaml" << EOF
s3: { port: 17272 }
admin: { port: 17273 }
data: $work/millrace
backends: { s3: { type: s3, endpoint: "http://127.0.0.1:17270", path-style: true, access-key: $ROOT_ACCESS_KEY, secret-key: $ROOT_SECRET_KEY } }
buckets: [ { name: "*", backend: s3 } ]
identities: [ { name: bench, access-key: $ROOT_ACCESS_KEY, secret-key: $ROOT_SECRET_KEY, allow: "*" } ]
EOF
"$root/millrace" serve --config "$work/millrace.yaml" > "$work/millrace.log" 2>&1 &
pids+=($!)
millrace=$!

wait_for http://127.0.0.1:17270/
wait_for http://127.0.0.1:17271/
wait_for http://127.0.0.1:17273/health
key=key=$ROOT_ACCESS_KEY:$ROOT_SECRET_KEY
python3 "$here/cost_of_get.py" --folder "$work/data" "$@" \
  "backend=http://127.0.0.1:17270,pid=$backend,$key" \
  "nginx-proxy=http://127.0.0.1:17271,pid=$proxy,$key" \
  "millrace=http://127.0.0.1:17272,pid=$millrace,$key"
