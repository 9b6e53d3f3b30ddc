#!/usr/bin/env bash
# A copy between two S3 servers (two versitygw): a copy job, next to `rclone copy`, with what both do by default; and s5cmd by way of a
# local folder, since it knows one endpoint at a time. All bytes come from the page cache of the source. Needs rclone and versitygw
# (.ci/origins/versitygw install). Keep the machine idle.
#
#   bench/copy.sh [SMALL_OBJECTS [LARGE_OBJECTS [ROUNDS]]]    10000 of 16 KiB, 20 of 100 MiB, 3
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

small=${1:-10000} large=${2:-20} rounds=${3:-3}
target_port=$((s3_port + 3))
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
unset AWS_CA_BUNDLE # plain HTTP; rclone does not start with it
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null RCLONE_CONFIG=/dev/null
for side in SOURCE:$origin_port TARGET:$target_port; do
  export "RCLONE_CONFIG_${side%:*}_TYPE=s3" "RCLONE_CONFIG_${side%:*}_PROVIDER=Other" "RCLONE_CONFIG_${side%:*}_ENV_AUTH=true" \
    "RCLONE_CONFIG_${side%:*}_ENDPOINT=http://127.0.0.1:${side#*:}"
done
export MILLRACE_ENDPOINT_URL=http://127.0.0.1:$admin_port

with_s5cmd() {
  s5cmd --log error --endpoint-url "http://127.0.0.1:$origin_port" cp "s3://data/$1/*" "$work/folder/"
  s5cmd --log error --endpoint-url "http://127.0.0.1:$target_port" cp "$work/folder/" "s3://data/$1/"
}
with_rclone() { rclone copy "source:data/$1" "target:data/$1"; }
with_millrace() {
  "$root/millrace" copy "s3://source/$1/" "s3://target/$1/" --wait
}

# timed TOOL SET OBJECTS BYTES
timed() {
  local began seconds copied
  rm -rf "$work/target/data/$2" "$work/folder"
  if [[ $1 == millrace ]]; then "$root/millrace" evict s3://source/ --wait > "$work/evict.log" 2>&1 || true; fi # of nothing is an error
  find "$work/objects-of-versitygw" -type f -print0 | xargs -0 cat > /dev/null
  began=$(date +%s%N)
  "with_$1" "$2" > "$work/$1.log" 2>&1 || die "$1: $(tail -3 "$work/$1.log")"
  seconds=$(awk -v ns=$(($(date +%s%N) - began)) 'BEGIN { print ns / 1e9 }')
  copied=$(find "$work/target/data/$2" -type f | wc -l)
  [[ $copied == "$3" ]] || die "$1 copied $copied objects of $3: $(tail -3 "$work/$1.log")"
  awk -v tool="$1" -v set="$2" -v objects="$3" -v bytes="$4" -v seconds="$seconds" 'BEGIN {
    printf "%-9s %-5s %6.1f s  %6.0f objects/s  %6.0f MiB/s\n", tool, set, seconds, objects / seconds, bytes / seconds / 1048576 }'
}

command -v rclone > /dev/null || die "rclone is not on the PATH"
use_clients
start_versitygw
s5cmd --endpoint-url "http://127.0.0.1:$origin_port" mb s3://data > /dev/null
mkdir -p "$work/target/data"
start_versitygw_at "$target_port" "$work/target"
make_objects small "$small" $((16 << 10))
make_objects large "$large" $((100 << 20))
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 8GiB } ] }
backends:
  source: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
  target: { type: s3, endpoint: "http://127.0.0.1:$target_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
buckets:
  - { name: source, backend: source, bucket: data }
  - { name: target, backend: target, bucket: data }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
start_gateway
with_millrace small > "$work/warmup.log" # a gateway that has been running for a while
for _ in $(seq "$rounds"); do
  for tool in rclone millrace s5cmd; do
    timed "$tool" small "$small" $((small * (16 << 10)))
    timed "$tool" large "$large" $((large * (100 << 20)))
  done
done
