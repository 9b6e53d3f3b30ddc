#!/usr/bin/env bash
# What transforms cost, beside their goals, with thumbnails by Pillow: prints rows of a table in Markdown. Fails of a wrong byte, a response of
# two results, a code that is another one, and an error of another bucket; a goal that is missed is only marked. Needs versitygw
# (.ci/origins/versitygw install) and python3; installs Pillow. Keep the machine idle.
#
#   bench/transforms.sh [--brief] [PART...]    all, in some three minutes; --brief in one and a half, which says little about the goals
#
#   cold      thumbnails a second through the gateway, beside the service asked directly by the same clients
#   shared    calls for 100 readers at once of one thumbnail
#   warm      server CPU beside that of objects of as many bytes, in turns
#   version   new results once `version` is raised
#   faults    a service that hangs, breaks off, fails, refuses, makes too much, is not there, makes something else each time
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

service_port=$((s3_port + 3))
parts=(cold shared warm version faults)
options=(--rounds 3)

# transform_settings TIMEOUT
transform_settings() {
  cat > "$work/millrace.yaml" << EOF
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 2GiB } ] }
backends: { source: { type: s3, endpoint: "http://127.0.0.1:$origin_port", region: us-east-1, path-style: true, access-key: benchkey, secret-key: benchsecret } }
transforms: { thumb: { url: "http://127.0.0.1:$service_port/", timeout: $1, version: "1" } }
buckets:
  - { name: images, backend: source, bucket: data, freshness: { mode: immutable } }
  - { name: thumbs, derived: { from: images, transform: thumb }, anonymous: read }
  - { name: few, derived: { from: images, transform: thumb }, quota: 64MiB, anonymous: read }
  - { name: plain, backend: source, freshness: { mode: immutable }, anonymous: read }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
EOF
}

# measure PART
measure() {
  "${MILLRACE_TOOLS:-$HOME/.cache/millrace-tools}/transforms/bin/python" -B "$bench/transforms.py" --url "http://127.0.0.1:$s3_port" \
    --admin "http://127.0.0.1:$admin_port" --origin "http://127.0.0.1:$origin_port" --key benchkey:benchsecret --folder "$work" --loadgen "$loadgen" \
    --pid "$gateway" --service "$service_port" --settings "$work/millrace.yaml" "${options[@]}" "$1"
}

if [[ ${1:-} == --brief ]]; then
  shift
  options=(--part 2 --rounds 1 --seconds 3 --warmup 4)
fi
(($# == 0)) || parts=("$@")
for part in "${parts[@]}"; do
  [[ $part =~ ^(cold|shared|warm|version|faults)$ ]] || die "there are cold, shared, warm, version and faults"
done

"$root/millrace" version > /dev/null # builds it
install_python transforms requirements-transforms.txt
mkdir -p "$work/objects-of-versitygw"/{data,plain}
start_versitygw
echo "| | measured | goal |"
echo "|---|---|---|"
for part in "${parts[@]}"; do
  timeout=30s
  [[ $part != faults ]] || timeout=2s
  transform_settings "$timeout"
  start_gateway
  measure "$part"
  stop_gateway
  rm -rf "$work/cache" "$work/millrace" "$work/objects-of-versitygw"/{data,plain}/*
done
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)" >&2
