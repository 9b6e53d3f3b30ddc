#!/usr/bin/env bash
# What a scratch bucket costs beside an ordinary one and the disk itself: prints rows of a table in Markdown. Fails of a wrong byte, half an
# object, a second winner, and a list that does not show the first; a goal that is missed is only marked. Kills are bench/killwrites.sh
# scratch. Needs python3 and 8 GiB of disk; uses wrk if it is there. Keep the machine idle.
#
#   bench/scratch.sh [--brief] [PART...]    all, in some seven minutes; --brief in some two, which says little about the goals
#
#   reads   server CPU of GETs of 4 KiB and 4 MiB, beside those of cached objects of an ordinary bucket, in turns
#   heads   server CPU of HEADs, likewise, and of a key that is absent
#   puts    GIB (1) of objects of 4 MiB a round, over 16 connections, beside a sequential write of as much to the same disk
#   races   RACES (1000) in which 64 clients create a key with If-None-Match: *, and take it over with If-Match
#   quota   three times a quota of 256 MiB, with zipf reads of it and of another bucket
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

parts=(reads heads puts races quota)
gib=${GIB:-1} races=${RACES:-1000} cache=$((1 << 30)) reads=20000
options=()

# start CACHE QUOTA: a gateway with these sizes, and an empty cache.
start() {
  rm -rf "$work/cache" "$work/millrace" "$work/objects"
  mkdir -p "$work/objects/data"
  cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: $1 } ] }
backends: { folder: { type: file, path: $work/objects } }
buckets:
  - { name: data, backend: folder, freshness: { mode: immutable } }
  - { name: kv-blocks, scratch: { ttl: 24h }, quota: $2 }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
  start_gateway
}

# measure PART [OPTION...]
measure() {
  python3 "$bench/scratch.py" --url "http://127.0.0.1:$s3_port" --admin "http://127.0.0.1:$admin_port" --origin "http://127.0.0.1:$s3_port" \
    --key benchkey:benchsecret --folder "$work" --loadgen "$loadgen" --pid "$gateway" --gib "$gib" --races "$races" --reads "$reads" \
    "${options[@]}" "$@"
}

if [[ ${1:-} == --brief ]]; then
  shift
  gib=${GIB:-0.25} races=${RACES:-50} cache=$((512 << 20)) reads=4000
  options=(--rounds 2 --seconds 2 --warmup 4)
fi
(($# == 0)) || parts=("$@")
for part in "${parts[@]}"; do
  [[ $part =~ ^(reads|heads|puts|races|quota)$ ]] || die "there are reads, heads, puts, races and quota"
done

"$root/millrace" version > /dev/null # builds it
echo "| | measured | goal |"
echo "|---|---|---|"
for part in "${parts[@]}"; do
  if [[ $part == quota ]]; then
    start "${cache}B" "$((cache / 4))B"
    measure quota --cache "$cache" --quota "$((cache / 4))"
  else
    # Six rounds of puts, and no block has to leave.
    room=$((${gib%.*} * 7 + 2))
    start "$((room + 1))GiB" "${room}GiB"
    measure "$part"
  fi
  stop_gateway
done
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)" >&2
