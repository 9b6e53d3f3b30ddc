#!/usr/bin/env bash
# What members of tars and zips cost, beside their goals: prints rows for the table of docs/samples.md. Fails of a wrong byte, a key that is
# missing or out of order, and an answer that is none; a goal that is missed is only marked. Each part takes up to three minutes and 6 GiB
# of disk. Needs versitygw (.ci/origins/versitygw install) and python3. Keep the machine idle.
#
#   bench/samples.sh [--brief] [PART...]    all of them; --brief reads an eighth of the data, once, which says nothing about the goals
#
#   warm      server CPU of members of 10 KiB beside that of an object, in turns; with wrk if it is there, else with the load generator
#   cold      one member of a cold zip of 1 GiB, 20 ms away
#   shared    100 readers of different members of a cold tar of 1 GiB, 20 ms away
#   index     the index of a cached tar of 1 GiB, and members after a restart
#   list      a flat list of 100,000 members
#   random    members in a random order, with a cache for half of them; READS of them (5000; 100000 takes a quarter of an hour)
#   kills     KILLS (10) times kill -9 under readers, with bits flipped in the cache, and archives rewritten; SEED=N chooses both
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

proxy_port=$((s3_port + 3)) control_port=$((s3_port + 4)) link_port=$((s3_port + 5))
parts=(warm cold shared index list random kills)
kills=${KILLS:-10} flips=20 reads=${READS:-0} copies=3
options=()
RANDOM=${SEED:=$RANDOM}
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret

# sample_settings BACKEND_PORT CACHE_SIZE COPIES [CACHE_SETTING]: with so many backends for one server, and a bucket and a derived one
# for each.
sample_settings() {
  local copy
  {
    cat << EOF
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { ${4:+$4, }disks: [ { path: $work/cache, size: $2 } ] }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
backends:
EOF
    for ((copy = 0; copy < $3; copy++)); do
      echo "  origin-$copy: { type: s3, endpoint: \"http://127.0.0.1:$1\", region: us-east-1, path-style: true, access-key: benchkey, secret-key: benchsecret }"
    done
    echo "buckets:"
    for ((copy = 0; copy < $3; copy++)); do
      echo "  - { name: data-$copy, backend: origin-$copy, bucket: data, freshness: { mode: immutable } }"
      echo "  - { name: samples-$copy, derived: { from: data-$copy } }"
    done
  } > "$work/millrace.yaml"
}

# measure WHAT [OPTION...]
measure() {
  ${as:-} python3 "$bench/samples.py" --url "http://127.0.0.1:$s3_port" --admin "http://127.0.0.1:$admin_port" --origin "http://127.0.0.1:$origin_port" \
    --control "http://127.0.0.1:$control_port" --key benchkey:benchsecret --folder "$work" --loadgen "$loadgen" --pid "${gateway:-}" \
    "${options[@]}" "$@"
}

# empty_cache: of a gateway that has ended.
empty_cache() {
  rm -rf "$work/cache" "$work/millrace"
}

# Some 20 MiB are read, in turns: the memory tier has room for all of it, or each turn would begin by evicting what another has read.
warm() {
  sample_settings "$origin_port" 2GiB 1 "memory-tier: 64MiB"
  start_gateway
  measure warm
  stop_gateway
}

# Each copy of the archive takes its size of the cache.
cold() {
  sample_settings "$link_port" 8GiB "$copies"
  start_gateway
  measure cold --copies "$copies"
  stop_gateway
}

shared() {
  sample_settings "$link_port" 8GiB "$copies"
  start_gateway
  measure shared --copies "$copies"
  stop_gateway
}

recoveries() {
  grep -c 'Recovery of the cache has ended' "$work/millrace.log" || true
}

index() {
  local before
  # One more: the first is no measurement.
  sample_settings "$proxy_port" 8GiB $((copies + 1))
  start_gateway
  measure index --copies $((copies + 1))
  stop_gateway
  before=$(recoveries)
  start_gateway
  until (($(recoveries) > before)); do sleep 0.1; done
  measure restarted --copies $((copies + 1))
  stop_gateway
}

list() {
  sample_settings "$origin_port" 2GiB 1
  start_gateway
  measure list
  stop_gateway
}

random() {
  local half block window
  half=$(($(measure fill) / 2))
  for block in 1024 256; do
    for window in 0 2; do
      empty_cache
      sample_settings "$origin_port" "${half}B" 1 "block-size: ${block}KiB"
      start_gateway
      measure random --block $((block << 10)) --window "$window" --cache "$half" --reads "$reads"
      stop_gateway
    done
  done
}

# answered READERS: once the readers have had some hundred answers of this start, or have ended because of one.
answered() {
  until [[ $(metric millrace_bucket_requests_total) -ge 300 ]] || ! kill -0 "$1" 2> /dev/null; do sleep 0.2; done
}

kills() {
  local kill readers code=0 damaged=0
  sample_settings "$origin_port" 2GiB 1
  start_gateway
  # In place of the shell that runs it, so that it is what the signal below ends.
  as='exec' measure kills --kills "$kills" --flips "$flips" > "$work/kills" &
  readers=$!
  pids+=("$readers")
  for ((kill = 1; kill <= kills; kill++)); do
    answered "$readers"
    # There is something to flip.
    until [[ -n $(find "$work/cache" -name '*.seg' -size +4M) ]] || ! kill -0 "$readers" 2> /dev/null; do sleep 0.2; done
    sleep "$((RANDOM % 2)).$((RANDOM % 10))"
    damaged=$((damaged + $(metric millrace_cache_corrupt_total)))
    kill -0 "$readers" 2> /dev/null || break
    kill -9 "$gateway"
    wait "$gateway" 2> /dev/null || true
    flip_bits "$work/cache" "$flips" "$RANDOM" > "$work/flips"
    start_gateway
  done
  answered "$readers"
  damaged=$((damaged + $(metric millrace_cache_corrupt_total)))
  kill "$readers" 2> /dev/null || true
  wait "$readers" || code=$?
  cat "$work/kills"
  [[ $code == 0 ]] || die "a wrong answer after $((kill - 1)) kills with seed $SEED"
  echo "seed $SEED; blocks found damaged: $damaged" >&2
  stop_gateway
}

if [[ ${1:-} == --brief ]]; then
  shift
  copies=1 kills=${KILLS:-3}
  options=(--part 8 --rounds 1 --seconds 2)
fi
(($# == 0)) || parts=("$@")
for part in "${parts[@]}"; do
  [[ $part =~ ^(warm|cold|shared|index|list|random|kills)$ ]] || die "there are warm, cold, shared, index, list, random and kills"
done

"$root/millrace" version > /dev/null # builds it
mkdir -p "$work/objects-of-versitygw/data"
start_versitygw
python3 "$bench/faulty_proxy.py" --port "$proxy_port" --control "$control_port" --to "$origin_port" > "$work/proxy.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$control_port/-/stats"
"$loadgen" link --port "$link_port" --to "$proxy_port" --round-trip PT0.02S > "$work/link.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$link_port/healthz"
echo "| | measured | goal |"
echo "|---|---|---|"
for part in "${parts[@]}"; do
  "$part"
  empty_cache
  rm -rf "$work/objects-of-versitygw/data"/*
done
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)" >&2
