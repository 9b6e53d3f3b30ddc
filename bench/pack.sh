#!/usr/bin/env bash
# Shards that jobs make (kind `pack`), beside copies of the same bytes: prints rows of a table in Markdown. Fails of a wrong byte, a member that
# is missing or twice or out of order, an index that is another one, and a reader that does not read them; a goal that is missed is only marked.
# Needs versitygw (.ci/origins/versitygw install), GNU tar and python3; installs WebDataset. Keep the machine idle.
#
#   bench/pack.sh [--brief] [PART...]    all; --brief with 5,000 objects, 0.25 GiB and 4 kills in some three minutes, which says little
#
#   objects   OBJECTS (100000) of 10 KiB into tars of 64 MiB, ROUNDS (3) times
#   shards    GIB (10) of tars of 1 GiB into others by seed 7, twice: cold, then cached; takes five times as much disk
#   kills     KILLS (20) times kill -9 while 4 tars of 140 MiB are shuffled into others, in parts, compared with those made without a kill; nothing
#             may be written twice, and no upload may be left that the log does not name
#
# WDS2IDX=FILE compares each index also with that of NVIDIA's own program: tools/wds2idx.py of a checkout of DALI.
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

target_port=$((s3_port + 3))
parts=(objects shards kills)
objects=${OBJECTS:-100000} gib=${GIB:-10} rounds=${ROUNDS:-3} kills=${KILLS:-20} seconds=60
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret AWS_REGION=us-east-1

# measure PART
measure() {
  python3 "$bench/pack.py" --url "http://127.0.0.1:$s3_port" --admin "http://127.0.0.1:$admin_port" --origin "http://127.0.0.1:$origin_port" \
    --key benchkey:benchsecret --folder "$work" --from-folder "$work/objects-of-versitygw" --to-folder "$work/target" --from-pid "$source_pid" \
    --target "http://127.0.0.1:$target_port" --to-log "$work/target.log" --start "exec '$root/millrace' serve --config '$work/millrace.yaml'" --data "$work/millrace" \
    --output "$work/millrace.log" --kills "$kills" --seconds "$seconds" --objects "$objects" --gib "$gib" --rounds "$rounds" ${WDS2IDX:+--wds2idx "$WDS2IDX"} "$1"
}

if [[ ${1:-} == --brief ]]; then
  shift
  objects=${OBJECTS:-5000} gib=${GIB:-0.25} rounds=${ROUNDS:-1} kills=${KILLS:-4} seconds=15
fi
(($# == 0)) || parts=("$@")
for part in "${parts[@]}"; do
  [[ $part =~ ^(objects|shards|kills)$ ]] || die "there are objects, shards and kills"
done

"$root/millrace" version > /dev/null # builds it
use_clients
start_versitygw
source_pid=$versitygw
mkdir -p "$work/objects-of-versitygw/data" "$work/target/data"
versitygw_options=(--access-log "$work/target.log")
start_versitygw_at "$target_port" "$work/target"
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: $((${gib%.*} * 3 / 2 + 4))GiB } ] }
backends:
  source: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
  target: { type: s3, endpoint: "http://127.0.0.1:$target_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
buckets:
  - { name: source, backend: source, bucket: data, freshness: { mode: immutable } }
  - { name: samples, derived: { from: source } }
  - { name: target, backend: target, bucket: data }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
echo "| | measured | goal |"
echo "|---|---|---|"
for part in "${parts[@]}"; do
  if [[ $part == objects ]]; then
    measure files
    s5cmd --log error --endpoint-url "http://127.0.0.1:$origin_port" cp --concurrency 4 "$work/files/*" s3://data/
    rm -rf "$work/files"
  fi
  [[ $part == kills ]] || start_gateway
  measure "$part"
  [[ $part == kills ]] || stop_gateway
  rm -rf "$work/cache" "$work/millrace" "$work/objects-of-versitygw/data"/* "$work/target/data"/*
done
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)" >&2
