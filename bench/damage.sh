#!/usr/bin/env bash
# Flips bits in the segments of a stopped gateway: none of them may be served. Each damaged record is a miss, and read anew.
#
#   bench/damage.sh [FLIPS]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

url=http://127.0.0.1:$s3_port/data
flips=${1:-2000}

# read_all: every object, compared; prints what became of them.
read_all() {
  "$loadgen" read --url "$url" --name small --objects 20000 --size 4KiB --workers 16 > "$work/small"
  "$loadgen" read --url "$url" --name large --objects 200 --size 3MiB --workers 16 > "$work/large"
  for what in small large; do
    echo "$1: $what: right $(value right < "$work/$what"), hits $(value hits < "$work/$what"), wrong $(value wrong < "$work/$what")"
  done
}

start_origin "$origin_port"
settings "$origin_port" 3GiB
start_gateway
read_all cold
stop_gateway
python3 - "$work/cache" "$flips" << 'EOF'
import pathlib, random, sys

random.seed(1)
segments = sorted(pathlib.Path(sys.argv[1]).glob("*.seg"))
for _ in range(int(sys.argv[2])):
    with random.choice(segments).open("r+b") as segment:
        segment.seek(0, 2)
        at = random.randrange(segment.tell())
        segment.seek(at)
        byte = segment.read(1)[0]
        segment.seek(at)
        segment.write(bytes([byte ^ 1 << random.randrange(8)]))
print(f"{sys.argv[2]} bits flipped in {len(segments)} segments")
EOF
start_gateway
read_all damaged
echo "records found damaged: $(metric millrace_cache_corrupt_total)"
echo "bytes fetched again: $(metric millrace_cache_fetched_bytes_total) of $((20000 * 4096 + 200 * 3145728))"
read_all mended
