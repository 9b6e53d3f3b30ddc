#!/usr/bin/env bash
# What it takes to have a bucket near: a prefetch job, next to `aws s3 sync`, `rclone copy` and `s5cmd cp` that copy the same from
# the same S3 server (versitygw) to a local folder, which is removed after each; all with what they do by default, the gateway warm. The
# server has the objects in its page cache. Then the slowest GETs of what is warm: alone, and while a prefetch is at work. Needs aws,
# rclone and versitygw (.ci/origins/versitygw install), and room for both sets twice. Keep the machine idle.
#
#   bench/prefetch.sh [SMALL_OBJECTS [LARGE_OBJECTS]]    100000 of 16 KiB, 40 of 100 MiB
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

small=${1:-100000} large=${2:-40}
small_size=$((16 << 10)) large_size=$((100 << 20))
endpoint=http://127.0.0.1:$origin_port
computed_port=$((s3_port + 3))
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
unset AWS_CA_BUNDLE # plain HTTP; rclone does not start with it
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null RCLONE_CONFIG=/dev/null
export RCLONE_CONFIG_ORIGIN_TYPE=s3 RCLONE_CONFIG_ORIGIN_PROVIDER=Other RCLONE_CONFIG_ORIGIN_ENV_AUTH=true RCLONE_CONFIG_ORIGIN_ENDPOINT=$endpoint
export MILLRACE_ENDPOINT_URL=http://127.0.0.1:$admin_port

# sent: bytes that the server has written so far, heads of answers and lists among them.
sent() {
  awk '$1 == "wchar:" { print $2 }' "/proc/$versitygw/io"
}

# ticks PID: user and system time of a process, in hundredths of a second.
ticks() {
  awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}

# warm_up: the server's files are read once, so that each starts alike.
warm_up() {
  find "$work/objects-of-versitygw" -type f -print0 | xargs -0 cat > /dev/null
}

# told NAME SET OBJECTS BYTES SECONDS CPU SENT
told() {
  awk -v name="$1" -v set="$2" -v objects="$3" -v bytes="$4" -v seconds="$5" -v cpu="$6" -v sent="$7" 'BEGIN {
    printf "%-9s %-5s %7.1f s  %7.0f objects/s  %6.0f MiB/s  %6.1f s of CPU  sent %.3f x the bytes\n",
      name, set, seconds, objects / seconds, bytes / seconds / 1048576, cpu, sent / bytes }'
}

# timed LOG COMMAND...: sets $seconds to its time by the clock, and $own to its CPU.
timed() {
  local log=$work/$1.log TIMEFORMAT='%R %U %S'
  shift
  { time "$@" > "$log" 2>&1; } 2> "$work/time" || die "$1: $(tail -3 "$log")"
  read -r seconds own < <(awk '{ print $1, $2 + $3 }' "$work/time")
}

# copying NAME SET OBJECTS BYTES COMMAND...: into $work/copy.
copying() {
  local name=$1 set=$2 objects=$3 bytes=$4 before files
  shift 4
  warm_up
  before=$(sent)
  mkdir "$work/copy"
  timed "$name" "$@"
  files=$(find "$work/copy" -type f | wc -l)
  [[ $files == "$objects" ]] || die "$name copied $files files of $objects: $(tail -3 "$work/$name.log")"
  told "$name" "$set" "$objects" "$bytes" "$seconds" "$own" $(($(sent) - before))
  rm -rf "$work/copy"
}

# prefetching SET OBJECTS BYTES: the command and the gateway, together.
prefetching() {
  local set=$1 objects=$2 bytes=$3 before cpu
  warm_up
  before=$(sent) cpu=$(ticks "$gateway")
  timed prefetch "$root/millrace" prefetch "s3://data/$set/" --wait
  cpu=$(($(ticks "$gateway") - cpu))
  told millrace "$set" "$objects" "$bytes" "$seconds" "$(awk -v own="$own" -v cpu="$cpu" 'BEGIN { print own + cpu / 100 }')" $(($(sent) - before))
  tail -1 "$work/prefetch.log"
}

one_set() {
  local set=$1 objects=$2 bytes=$(($2 * $3))
  echo "$set: $objects objects of $3 bytes"
  copying s5cmd "$set" "$objects" "$bytes" s5cmd --endpoint-url "$endpoint" cp "s3://data/$set/*" "$work/copy/"
  prefetching "$set" "$objects" "$bytes"
  copying rclone "$set" "$objects" "$bytes" rclone copy "origin:data/$set" "$work/copy"
  copying aws "$set" "$objects" "$bytes" aws --endpoint-url "$endpoint" s3 sync --only-show-errors "s3://data/$set/" "$work/copy"
}

# slowest LABEL: GETs of 64 KiB that are warm, each byte compared.
slowest() {
  "$loadgen" read --url "http://127.0.0.1:$s3_port/computed" --name warm --objects 20000 --size 64KiB --workers 8 > "$work/slowest"
  echo "$1: 64 KiB, hits $(value hits < "$work/slowest") of 20000, wrong $(value wrong < "$work/slowest")," \
    "p50 $(value whole_ms_p50 < "$work/slowest") ms, p99 $(value whole_ms_p99 < "$work/slowest") ms"
}

use_clients
for tool in rclone aws; do command -v "$tool" > /dev/null || die "$tool is not on the PATH"; done
start_origin "$computed_port"
start_versitygw
s5cmd --endpoint-url "$endpoint" mb s3://data > /dev/null
make_objects small "$small" "$small_size"
make_objects large "$large" "$large_size"

cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 16GiB } ] }
backends:
  s3: { type: s3, endpoint: "$endpoint", path-style: true, access-key: benchkey, secret-key: benchsecret }
  computed: { type: s3, endpoint: "http://127.0.0.1:$computed_port", region: us-east-1, path-style: true, access-key: o, secret-key: o }
buckets:
  - { name: data, backend: s3 }
  - { name: computed, backend: computed, freshness: { mode: immutable } }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
start_gateway

# A gateway has been running for a while: this one has 50,000 other objects behind it.
"$root/millrace" prefetch s3://computed --template "before-{00000..49999}/$small_size" --wait > /dev/null 2>&1
"$root/millrace" evict s3://computed --wait > /dev/null 2>&1

one_set small "$small" "$small_size"
one_set large "$large" "$large_size"

slowest "warm, alone, not yet hot" > /dev/null
slowest "warm, alone"
"$root/millrace" evict s3://data/ --wait > /dev/null
"$root/millrace" prefetch s3://data/large/ > "$work/beside.log"
slowest "warm, beside a prefetch of large objects"
"$root/millrace" jobs
"$root/millrace" prefetch s3://data/small/ > "$work/beside.log"
slowest "warm, beside a prefetch of small objects"
"$root/millrace" jobs

# Objects that are read while they are prefetched: in the order of their names by the job, by a reader, and by one from the end.
objects=200 object_size=$((8 << 20))
before=$(curl -fs "http://127.0.0.1:$computed_port/-/stats" | value bytes)
"$root/millrace" prefetch s3://computed --template "joined-{000..$((objects - 1))}/$object_size" --wait --json > "$work/joined.log" &
job=$!
for _ in 1 2; do
  seq -f "joined-%03g/$object_size" 0 $((objects - 1)) | shuf > "$work/keys"
  "$loadgen" read --url "http://127.0.0.1:$s3_port/computed" --keys "$work/keys" --workers 8
done | grep -E '^(right|wrong|failed|hits)='
wait "$job"
after=$(curl -fs "http://127.0.0.1:$computed_port/-/stats" | value bytes)
echo "read while they are prefetched: $((after - before)) bytes from the backend for $((objects * object_size)) there are"
