#!/usr/bin/env bash
# A backend that is far away, cold: through Millrace next to asking it directly, over the same line of 50 ms there and back,
# where a connection has a window of 4 MiB. Objects are computed and every byte is compared. Keep the machine idle.
#
#   bench/far.sh [ROUNDS] [ROUND_TRIP] [WINDOW]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rounds=${1:-5}
link_port=$((origin_port + 1))

start_origin "$origin_port"
"$loadgen" link --port "$link_port" --to "$origin_port" --round-trip "${2:-PT0.05S}" --window "${3:-4MiB}" > "$work/link.log" 2>&1 &
pids+=($!)
settings "$link_port" 20GiB
start_gateway

# both LABEL VALUE READ_OPTION...: the value of each round, direct and through; one client reads both in turns.
both() {
  local label=$1 name=$2
  shift 2
  "$loadgen" read --url "http://127.0.0.1:$link_port/data" --url "http://127.0.0.1:$s3_port/data" --rounds "$rounds" --name "$label" "$@" \
    | awk -F= -v label="$label" -v name="$name" -v through_port=":$s3_port/" '
        $1 == "url" { through = index($2, through_port) }
        $1 == name { if (through) { print label, name ": direct", direct ", through", $2 } else { direct = $2 } }'
}

# As many small objects as it takes until the code is compiled.
"$loadgen" read --url "http://127.0.0.1:$s3_port/data" --name warmup --objects 40000 --size 1KiB --workers 64 > /dev/null
both large MiB_per_second --objects 1 --size 1GiB
both first first_byte_ms_p50 --objects 100 --size 1MiB
both scan objects_per_second --objects 10000 --size 16KiB --workers 64
echo "warnings in the log: $(grep -cE ' (WARN|ERROR) ' "$work/millrace.log" || true)"
