#!/usr/bin/env bash
# Everything at once, for half an hour: writes and reads whose every byte is known, disks that hang, fill up, are pulled and have bits
# flipped, backends that stand still, jobs and invalidations, kills and losses of power. The data is twice the size of the cache;
# all that is cached is compared whenever it is read. Needs root, loop devices and versitygw (.ci/origins/versitygw install).
#
#   bench/soak.sh [MINUTES [SEED]]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

minutes=${1:-30}
boot_id=$work/boot_id

clear_all() {
  for name in system first second; do fsfreeze -u "$work/$name" 2> /dev/null || true; done
  for pid in "${pids[@]}"; do kill -CONT "$pid" 2> /dev/null || true; done
  for name in system first second; do umount -l "$work/$name" 2> /dev/null || true; done
  for loop in "${loops[@]}"; do losetup -d "$loop" || true; done
  finish
}
trap clear_all EXIT

make_disk system 1G ext4
system_loop=$loop
make_disk first 2G ext4
first_loop=$loop
make_disk second 2G xfs
second_loop=$loop
"$root/millrace" help > /dev/null # builds it
cat /proc/sys/kernel/random/uuid > "$boot_id"
mkdir -p "$work"/objects-of-versitygw/{immutable,ttl,strict}
versitygw_port=$((s3_port + 3))
start_versitygw_at "$versitygw_port" "$work/objects-of-versitygw"
echo "$versitygw" > "$work/versitygw.pid"
start_origin "$origin_port"
echo "${pids[-1]}" > "$work/origin.pid"

cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/system/millrace
cache: { verify: always, disks: [ { path: $work/first/cache, size: 1GiB }, { path: $work/second/cache, size: 1GiB } ] }
backends:
  origin: { type: s3, endpoint: "http://127.0.0.1:$origin_port", region: us-east-1, path-style: true, access-key: o, secret-key: o }
  versitygw: { type: s3, endpoint: "http://127.0.0.1:$versitygw_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
buckets:
  - { name: data, backend: origin, freshness: { mode: immutable } }
  - { name: immutable, backend: versitygw, freshness: { mode: immutable } }
  - { name: ttl, backend: versitygw, freshness: { mode: ttl, ttl: 60s } }
  - { name: strict, backend: versitygw, freshness: { mode: strict } }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML

# The gateway sees disks come and go, and a boot id of its own, which is another one behind each loss of power.
start="exec unshare --mount --propagation slave bash -c \"mount --bind '$boot_id' /proc/sys/kernel/random/boot_id;"
start+=" exec '$root/millrace' serve --config '$work/millrace.yaml'\""
status=0
python3 "$bench/soak.py" --url "http://127.0.0.1:$s3_port" --admin "http://127.0.0.1:$admin_port" \
  --direct "http://127.0.0.1:$versitygw_port" --key benchkey:benchsecret --loadgen "$loadgen" \
  --disk "$first_loop=$work/first" --disk "$second_loop=$work/second" --system "$system_loop=$work/system" \
  --boot-id "$boot_id" --backend "$work/versitygw.pid" --backend "$work/origin.pid" --start "$start" --log "$work/millrace.log" \
  --minutes "$minutes" ${2:+--seed "$2"} || status=$?
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)"
grep -E ' ERROR ' "$work/millrace.log" | cut -c 1-200 | sed 's/[0-9]\{3,\}/N/g' | sort | uniq -c | sort -rn | head -n 10 || true
if ((status != 0)); then
  tail -n 20 "$work/millrace.log" >&2
  if [[ -n ${KEEP:-} ]]; then cp "$work/millrace.log" "$KEEP"; fi
fi
((status == 0))
