#!/usr/bin/env bash
# PyTorch reads samples while it trains: a DataLoader over s3torchconnector's dataset, an object a request; over that of clients/python, a batch
# a request; over local files; and WebDataset over tar files. Directly from a server (versitygw) that is 20 ms away, then through Millrace, cold
# and warm. Prints rows of a table in Markdown; fails of a wrong byte, order or count; a goal that is missed is only marked. Installs PyTorch,
# some 5 GB. Needs versitygw (.ci/origins/versitygw install). Keep the machine idle.
#
#   bench/training.sh [--brief] [SAMPLES]     4096 of 128 KiB; --brief 1024, each once, in less than three minutes
#
# WORKERS=N (8) are those of the DataLoader.
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

samples=4096 rounds=3
if [[ ${1:-} == --brief ]]; then
  shift
  samples=1024 rounds=1
fi
samples=${1:-$samples} size=$((128 << 10)) workers=${WORKERS:-8}
link_port=$((s3_port + 3))
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret AWS_REGION=us-east-1
python=${MILLRACE_TOOLS:-$HOME/.cache/millrace-tools}/training/bin/python

# epoch LABEL KIND PLACE PREFIX [BUCKET]: prints a row; sets $rate to the samples a second.
epoch() {
  "$python" "$bench/training.py" "$2" "$3" "$4" "$samples" "${5:-data}" "$workers" > "$work/epoch"
  rate=$(value rate < "$work/epoch")
  echo "| $1 | $(value shown < "$work/epoch") | |"
}

# best LABEL KIND PLACE PREFIX [BUCKET]: some epochs; sets $rate to the median.
best() {
  local round rates=()
  for ((round = 0; round < rounds; round++)); do
    epoch "$@"
    rates+=("$rate")
  done
  rate=$(printf '%s\n' "${rates[@]}" | sort -n | sed -n "$((rounds / 2 + 1))p")
}

# ratio LABEL RATE OTHER [GOAL]: a row of one beside another.
ratio() {
  awk -v label="$1" -v own="$2" -v other="$3" -v goal="${4:-}" 'BEGIN {
    printf "| %s | %.2f × | %s%s |\n", label, own / other, goal ? "≥ " goal " ×" : "", goal && own / other < goal ? ": missed" : "" }'
}

"$root/millrace" version > /dev/null # builds it
use_clients
install_python training requirements-training.txt
start_versitygw
s5cmd --endpoint-url "http://127.0.0.1:$origin_port" mb s3://data > /dev/null
make_objects samples "$samples" "$size"

# Shards of 512 samples, each named by its number.
PYTHONPATH=$bench python3 - "$work/source/shards" "$samples" "$size" << 'PYTHON'
import io, known, pathlib, sys, tarfile
folder, samples, size = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
folder.mkdir(parents=True)
for first in range(0, samples, 512):
    with tarfile.open(folder / f"{first // 512:04}.tar", "w") as shard:
        for number in range(first, min(first + 512, samples)):
            entry = tarfile.TarInfo(f"{number:06}.bin")
            entry.size = size
            shard.addfile(entry, io.BytesIO(known.content(f"{number:06}", size)))
PYTHON
s5cmd --log error --endpoint-url "http://127.0.0.1:$origin_port" cp "$work/source/shards/*" s3://data/shards/
rm -rf "$work/source"
make_files samples "$samples" "$size"

"$loadgen" link --port "$link_port" --to "$origin_port" --round-trip PT0.02S > "$work/link.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$link_port/healthz"
# What is cached of one bucket is cold of the other: its backend is another one for the same server.
server="type: s3, endpoint: \"http://127.0.0.1:$link_port\", region: us-east-1, path-style: true, access-key: benchkey, secret-key: benchsecret"
cat > "$work/millrace.yaml" << EOF
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 8GiB } ] }
backends: { origin: { $server }, again: { $server } }
buckets:
  - { name: data, backend: origin, freshness: { mode: immutable } }
  - { name: again, backend: again, bucket: data, freshness: { mode: immutable } }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
EOF
start_gateway

echo "| $samples samples of 128 KiB, shuffled, $workers workers, $(nproc) cores | measured | goal |"
echo "|---|---|---|"
link=http://127.0.0.1:$link_port through=http://127.0.0.1:$s3_port
epoch "an object a request, directly, 20 ms away" dataset "$link" samples
epoch "an object a request, directly, once more" dataset "$link" samples
direct=$rate
epoch "an object a request, through Millrace, cold" dataset "$through" samples
cold=$rate
best "an object a request, through Millrace, warm" dataset "$through" samples
warm=$rate
epoch "a batch a request, through Millrace, cold" batch "$through" samples again
batch_cold=$rate
best "a batch a request, through Millrace, warm" batch "$through" samples again
batch_warm=$rate
best "local files" local "$work/source" samples
local_files=$rate
ratio "a batch a request, cold ÷ an object a request, directly" "$batch_cold" "$direct" 2
ratio "a batch a request, warm ÷ local files" "$batch_warm" "$local_files" 0.95
ratio "an object a request, cold ÷ directly" "$cold" "$direct"
ratio "an object a request, warm ÷ local files" "$warm" "$local_files"
epoch "WebDataset, tars of 512 samples, directly, 20 ms away" webdataset "$link" shards
epoch "WebDataset, through Millrace, cold" webdataset "$through" shards
best "WebDataset, through Millrace, warm" webdataset "$through" shards
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)" >&2
