#!/usr/bin/env bash
# An emulator of the I/O of RetinaNet, MLPerf Storage v3.0, with objects and one simulated accelerator; not a submission, and not DLIO
# (bench/retinanet.py has what is the same, and what is not). From a server (versitygw) that is 20 ms away, directly and through Millrace, cold
# and warm; from nginx, which shows what the client can do on this machine; and warm by batches, which no implementation of MLPerf's asks for.
# Prints rows of a table in Markdown; fails of a wrong byte, order or count. Needs versitygw (.ci/origins/versitygw install); installs the
# client `minio`. 20,000 objects take 20 GiB of disk. Keep the machine idle.
#
#   bench/retinanet.sh [--brief] [SAMPLES [EPOCHS]]    20000 3; --brief 1800 1, in less than three minutes
#
# THREADS=N lets each of the eight processes read N objects at a time; one, as DLIO's data set by numbers does, otherwise.
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

samples=20000 epochs=3
if [[ ${1:-} == --brief ]]; then
  shift
  samples=1800 epochs=1
fi
samples=${1:-$samples} epochs=${2:-$epochs}
link_port=$((s3_port + 3)) nginx_port=$((s3_port + 4))
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret AWS_REGION=us-east-1

# read_from PORT EPOCHS LABEL [OPTION...]
read_from() {
  python3 "$bench/retinanet.py" --url "http://127.0.0.1:$1" --key benchkey:benchsecret --samples "$samples" --epochs "$2" \
    --threads "${THREADS:-1}" "${@:4}" "$3"
}

"$root/millrace" version > /dev/null # builds it
use_clients
start_versitygw
s5cmd --endpoint-url "http://127.0.0.1:$origin_port" mb s3://data > /dev/null
make_objects retinanet "$samples" 322957
"$loadgen" link --port "$link_port" --to "$origin_port" --round-trip PT0.02S > "$work/link.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$link_port/healthz"
settings "$link_port" 10GiB
start_gateway

echo "data: $((samples * 322957 >> 20)) MiB; memory of the machine: $(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo) MiB" >&2
echo "| RetinaNet's I/O emulated, not a submission: $samples objects of 322,957 bytes, $(nproc) cores shared by client, gateway and server | measured | goal |"
echo "|---|---|---|"
read_from "$link_port" 1 "directly, 20 ms away"
read_from "$s3_port" 1 "through Millrace, cold" --pid "$gateway"
read_from "$s3_port" "$epochs" "through Millrace, warm" --pid "$gateway" --goal
read_from "$s3_port" "$epochs" "the same by batches of clients/python" --pid "$gateway" --reader batch
if command -v nginx > /dev/null; then
  chmod 755 "$work"
  cat > "$work/nginx.conf" << EOF
worker_processes $(nproc); user root; pid $work/nginx.pid; error_log $work/nginx.log crit; daemon off;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; open_file_cache max=100000 inactive=600s;
client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u; scgi_temp_path $work/s;
server { listen 127.0.0.1:$nginx_port reuseport; root $work/objects-of-versitygw; } }
EOF
  nginx -c "$work/nginx.conf" &
  pids+=($!)
  await "http://127.0.0.1:$nginx_port/data/retinanet/000/000000"
  read_from "$nginx_port" "$epochs" "from nginx, which serves the files and verifies nothing" --unlisted
fi
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)" >&2
