#!/usr/bin/env bash
# A backend that is far away, cold: through Millrace next to asking it directly, over the same line of 50 ms there and back,
# where a connection has a window of 4 MiB. Objects are computed and every byte is compared. Keep the machine idle.
#
#   bench/far.sh [ROUNDS] [ROUND_TRIP] [WINDOW]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rounds=${1:-3}
direct=http://127.0.0.1:17275/data
through=http://127.0.0.1:17272/data

start_origin 17274
"$loadgen" link --port 17275 --to 17274 --round-trip "${2:-PT0.05S}" --window "${3:-4MiB}" > "$work/link.log" 2>&1 &
pids+=($!)
settings 17275 20GiB
start_gateway

# both LABEL VALUE READ_OPTION...: one line a round, direct and through, of the value.
both() {
  local label=$1 name=$2 round near far
  shift 2
  for round in $(seq "$rounds"); do
    far=$("$loadgen" read --url "$direct" --name "$label$round" "$@" | value "$name")
    near=$("$loadgen" read --url "$through" --name "$label$round" "$@" | value "$name")
    echo "$label $name: direct $far, through $near"
  done
}

"$loadgen" read --url "$direct" --name warmup --objects 3000 --size 64KiB --workers 16 > /dev/null
"$loadgen" read --url "$through" --name warmup --objects 3000 --size 64KiB --workers 16 > /dev/null
both large MiB_per_second --objects 1 --size 1GiB
both first first_byte_ms_p50 --objects 100 --size 1MiB
both scan objects_per_second --objects 10000 --size 16KiB --workers 64
grep -cE ' (WARN|ERROR) ' "$work/millrace.log" | sed 's/^/warnings in the log: /' || true
