#!/usr/bin/env bash
# The first reads of small cached objects after a restart, when none of them is in memory, not even in the page cache: milliseconds
# and reads of the device each. Needs root, to drop the page cache. Keep the machine idle.
#
#   bench/first_reads.sh [OBJECTS [READS]]     200000 of 4 KiB, 1000; BENCH_ROOT is another checkout, whose build is measured instead
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
root=${BENCH_ROOT:-$root}

objects=${1:-200000} reads=${2:-1000}
device=$(basename "$(df --output=source "$work" | tail -1)")
url=http://127.0.0.1:$s3_port/data

start_origin "$origin_port"
settings "$origin_port" 8GiB
start_gateway
"$loadgen" read --url "$url" --name small --objects "$objects" --size 4KiB --workers 32 --completed="$work/completed" > "$work/fill"
cut -d ' ' -f 2 "$work/completed" | sort > "$work/keys"
# The first tenth warms the process; what is measured lies in other places of the metadata store, and in no order.
head -n $((objects / 10)) "$work/keys" > "$work/warmup"
tail -n +$((objects / 10 + 1)) "$work/keys" | shuf --random-source=<(yes) -n "$reads" > "$work/measured"
stop_gateway
start_gateway
python3 "$bench/first_reads.py" "http://127.0.0.1:$s3_port" "$work/warmup" "$device" > /dev/null
sync
echo 3 > /proc/sys/vm/drop_caches
head -n 200 "$work/warmup" > "$work/again" # brings back the pages of the program
python3 "$bench/first_reads.py" "http://127.0.0.1:$s3_port" "$work/again" "$device" > /dev/null
python3 "$bench/first_reads.py" "http://127.0.0.1:$s3_port" "$work/measured" "$device"
