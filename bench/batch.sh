#!/usr/bin/env bash
# What batches (POST /BUCKET?batch) cost, beside their goals: prints rows of a table in Markdown. Fails of a wrong byte, an item out of order,
# a code that is another one, and a batch that looks whole and is not; a goal that is missed is only marked. Needs versitygw
# (.ci/origins/versitygw install) and python3; installs boto3. Keep the machine idle.
#
#   bench/batch.sh [--brief] [PART...]    all of them, in some five minutes; --brief in less than three, which says little about the goals
#
#   warm      server CPU of 512 members of 10 KiB of 200 tars in a batch, beside as many GETs, in turns
#   clients   samples a second of one Python process, of 10 KiB, 112 KiB and 1 MiB: boto3, http.client, batches by clients/python
#   cold      512 cold objects of 112 KiB, 20 ms away: seconds, requests to the backend
#   faults    items that are missing, denied, hanging, cut, and deleted while the batch is read
#   crowd     128 batches at once, whose clients read, stand still, and leave: memory
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

proxy_port=$((s3_port + 3)) control_port=$((s3_port + 4)) link_port=$((s3_port + 5))
parts=(warm clients cold faults crowd)
copies=3
options=()

# batch_settings BACKEND_PORT [CACHE_SETTING]
batch_settings() {
  local copy
  {
    cat << EOF
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { ${2:+$2, }disks: [ { path: $work/cache, size: 2GiB } ] }
identities:
  - { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" }
  - { name: reader, access-key: readerkey, secret-key: readersecret, allow: [ "read:data-0" ] }
backends:
  bad: { type: s3, endpoint: "http://127.0.0.1:$proxy_port", region: us-east-1, path-style: true, access-key: benchkey, secret-key: benchsecret, resilience: { deadline: 3s } }
EOF
    for ((copy = 0; copy < copies; copy++)); do
      echo "  origin-$copy: { type: s3, endpoint: \"http://127.0.0.1:$1\", region: us-east-1, path-style: true, access-key: benchkey, secret-key: benchsecret }"
    done
    echo "buckets:"
    for ((copy = 0; copy < copies; copy++)); do
      echo "  - { name: data-$copy, backend: origin-$copy, bucket: data, freshness: { mode: immutable } }"
    done
    echo "  - { name: samples-0, derived: { from: data-0 } }"
    echo "  - { name: closed, backend: origin-0, bucket: data, freshness: { mode: immutable } }"
    echo "  - { name: bad, backend: bad, bucket: data, freshness: { mode: immutable } }"
  } > "$work/millrace.yaml"
}

# measure PART
measure() {
  python3 "$bench/batch.py" --url "http://127.0.0.1:$s3_port" --admin "http://127.0.0.1:$admin_port" --origin "http://127.0.0.1:$origin_port" \
    --control "http://127.0.0.1:$control_port" --key benchkey:benchsecret --folder "$work" --loadgen "$loadgen" --pid "$gateway" \
    --log "$work/access.log" --copies "$copies" "${options[@]}" "$1"
}

if [[ ${1:-} == --brief ]]; then
  shift
  copies=1
  options=(--part 2 --rounds 1 --seconds 2 --warmup 4)
fi
(($# == 0)) || parts=("$@")
for part in "${parts[@]}"; do
  [[ $part =~ ^(warm|clients|cold|faults|crowd)$ ]] || die "there are warm, clients, cold, faults and crowd"
done

"$root/millrace" version > /dev/null # builds it
use_clients
mkdir -p "$work/objects-of-versitygw/data"
versitygw_options=(--access-log "$work/access.log")
start_versitygw
python3 "$bench/faulty_proxy.py" --port "$proxy_port" --control "$control_port" --to "$origin_port" > "$work/proxy.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$control_port/-/stats"
"$loadgen" link --port "$link_port" --to "$origin_port" --round-trip PT0.02S > "$work/link.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$link_port/healthz"
echo "| | measured | goal |"
echo "|---|---|---|"
for part in "${parts[@]}"; do
  case $part in
    # All that is read has room in the memory tier, of both ways.
    warm) batch_settings "$origin_port" "memory-tier: 64MiB" ;;
    cold) batch_settings "$link_port" ;;
    *) batch_settings "$origin_port" ;;
  esac
  start_gateway
  measure "$part"
  stop_gateway
  rm -rf "$work/cache" "$work/millrace" "$work/objects-of-versitygw/data"/*
done
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)" >&2
