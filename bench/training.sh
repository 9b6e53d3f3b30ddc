#!/usr/bin/env bash
# PyTorch reads samples from S3 while it trains: a DataLoader over s3torchconnector's dataset, an object a sample, and WebDataset over
# tar files; directly from a server (versitygw) that is 20 ms away, then through Millrace, cold and warm. Installs PyTorch, some 5 GB.
# Needs versitygw (.ci/origins/versitygw install). Keep the machine idle.
#
#   bench/training.sh [SAMPLES]     4096 of 128 KiB
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

samples=${1:-4096} size=$((128 << 10))
link_port=$((s3_port + 3))
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret AWS_REGION=us-east-1
use_clients
install_python training requirements-training.txt
start_versitygw
s5cmd --endpoint-url "http://127.0.0.1:$origin_port" mb s3://data > /dev/null
make_objects samples "$samples" "$size"

# Shards of 512 samples.
python3 - "$work/source/shards" "$samples" "$size" << 'PYTHON'
import io, pathlib, random, sys, tarfile
folder, samples, size = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
folder.mkdir(parents=True)
for first in range(0, samples, 512):
    with tarfile.open(folder / f"{first // 512:04}.tar", "w") as shard:
        for number in range(first, min(first + 512, samples)):
            entry = tarfile.TarInfo(f"{number:06}.bin")
            entry.size = size
            shard.addfile(entry, io.BytesIO(random.randbytes(size)))
PYTHON
s5cmd --log error --endpoint-url "http://127.0.0.1:$origin_port" cp "$work/source/shards/*" s3://data/shards/
rm -rf "$work/source"

"$loadgen" link --port "$link_port" --to "$origin_port" --round-trip PT0.02S > "$work/link.log" 2>&1 &
pids+=($!)
await "http://127.0.0.1:$link_port/healthz"
settings "$link_port" 8GiB
start_gateway

# epoch LABEL KIND PORT PREFIX
epoch() {
  printf '%-32s %s\n' "$2 $1:" "$("${MILLRACE_TOOLS:-$HOME/.cache/millrace-tools}/training/bin/python" "$bench/training.py" "$2" "http://127.0.0.1:$3" "$4" "$samples")"
}

for kind in dataset webdataset; do
  prefix=samples
  [[ $kind == dataset ]] || prefix=shards
  epoch "direct, first" "$kind" "$link_port" "$prefix"
  epoch "direct, second" "$kind" "$link_port" "$prefix"
  epoch "through, cold" "$kind" "$s3_port" "$prefix"
  for _ in 1 2 3; do epoch "through, warm" "$kind" "$s3_port" "$prefix"; done
done
