#!/usr/bin/env bash
# A bucket mounted with s3fs and read with fio: directly from a server (versitygw) that is 20 ms away, then through Millrace, cold and
# warm. Nothing is kept between two passes but Millrace's cache: each has a mount of its own, and the page cache is dropped. Needs s3fs,
# fio, /dev/fuse, root and versitygw (.ci/origins/versitygw install). Keep the machine idle.
#
#   bench/fuse.sh [SMALL_FILES [LARGE_FILES]]     200 of 1 MiB, 40 of 10 MiB
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

small=${1:-200} large=${2:-40}
link_port=$((s3_port + 3))
passwd=$work/passwd
mounted=

unmount() {
  [[ -z $mounted ]] || umount "$mounted"
  mounted=
}
trap 'unmount; finish' EXIT

# pass LABEL PORT SET FIO_OPTION...: MiB a second over all files of a set, one reader.
pass() {
  local label=$1 port=$2 set=$3 files
  shift 3
  sync
  echo 3 > /proc/sys/vm/drop_caches
  s3fs data "$work/mount" -o "url=http://127.0.0.1:$port,use_path_request_style,passwd_file=$passwd,ro"
  mounted=$work/mount
  files=$(cd "$work/mount" && printf "%s:" "$set"/*/*)
  (cd "$work/mount" && fio --name=pass --filename="${files%:}" --readonly --ioengine=psync --direct=0 --output-format=json "$@") > "$work/fio.json"
  unmount
  python3 -c '
import json, sys
read = json.load(open(sys.argv[2]))["jobs"][0]["read"]
print("%-40s %8.1f MiB/s" % (sys.argv[1], read["bw_bytes"] / 2**20))' "$label" "$work/fio.json"
}

# passes SET LABEL FIO_OPTION...
passes() {
  local set=$1 label=$2
  shift 2
  pass "$set, $label: direct" "$link_port" "$set" "$@"
  pass "$set, $label: through, cold" "$s3_port" "$set" "$@"
  for _ in 1 2; do pass "$set, $label: through, warm" "$s3_port" "$set" "$@"; done
  "$root/millrace" evict s3://data/ --wait > /dev/null
}

mkdir -p "$work/mount"
(umask 077 && echo benchkey:benchsecret > "$passwd")
start_versitygw
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret AWS_REGION=us-east-1 MILLRACE_ENDPOINT_URL=http://127.0.0.1:$admin_port
use_clients
s5cmd --endpoint-url "http://127.0.0.1:$origin_port" mb s3://data > /dev/null
make_objects 1m "$small" $((1 << 20))
make_objects 10m "$large" $((10 << 20))
"$loadgen" link --port "$link_port" --to "$origin_port" --round-trip PT0.02S > "$work/link.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$link_port/healthz"
settings "$link_port" 8GiB
start_gateway
for set in 1m 10m; do
  passes "$set" sequential --rw=read --bs=1M --file_service_type=sequential
  passes "$set" "random 64 KiB" --rw=randread --bs=64k --io_size=64M --norandommap --randseed=1
done
