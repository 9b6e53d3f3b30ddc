#!/usr/bin/env bash
# Kills the gateway under writes, starts it again, and reads every key: what was acknowledged must be there at once and stay, what
# was deleted must be gone, and nothing of an unfinished write may be seen. Objects lie in the file backend or in versitygw
# (.ci/origins/versitygw install), behind a cache that writes fill, in buckets of every freshness; or in a scratch bucket, which may
# lose any: of what is there nothing may be older, and no byte wrong (kill_scratch.py has the rules).
#
# With "cut" the machine of the gateway loses power: its file system (ext4, or FILE_SYSTEM=xfs) is shut down without its log and
# mounted again, and the machine has another boot id then. That needs root.
#
# STALLS=2048 limits flushes and compaction of the metadata store to 2048 bytes a second, so that it stalls writes after each start
# and from time to time; the run fails if it did not.
#
# FLIPS=N flips so many bits of the cache after each end: 50 for scratch, none otherwise.
#
# SEED=N chooses when to kill and what to write.
#
#   bench/killwrites.sh file|versitygw|scratch [kill|cut] [KILLS]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

backend=${1:?file, versitygw or scratch}
how=${2:-kill}
kills=${3:-50}
disk=$work/disk
boot_id=$work/boot_id
mkdir "$disk"

# settings_for BACKEND: three buckets on it, or a scratch bucket.
settings_for() {
  buckets="
  - { name: immutable, backend: $1, freshness: { mode: immutable } }
  - { name: ttl, backend: $1, freshness: { mode: ttl, ttl: 60s } }
  - { name: strict, backend: $1, freshness: { mode: strict } }"
  names=immutable,ttl,strict program=kill_writes.py
  if [[ $1 == scratch ]]; then
    buckets="[ { name: scratch, scratch: { ttl: 24h }, quota: 640MiB } ]"
    names=scratch program=kill_scratch.py
  fi
  cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $disk/millrace
cache: { disks: [ { path: $disk/cache, size: 1GiB } ] }
backends:
  file: { type: file, path: $disk/objects }
  versitygw: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
buckets: $buckets
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
}

start="exec '$root/millrace' serve --config '$work/millrace.yaml'"
options=()
mend=
if [[ $how == cut ]]; then
  # The gateway sees its own boot id, which is another one after each cut; its mounts end with it.
  start="exec unshare --mount bash -c \"mount --bind '$boot_id' /proc/sys/kernel/random/boot_id; $start\""
  truncate -s 4G "$work/image"
  "mkfs.${FILE_SYSTEM:-ext4}" -q "$work/image"
  loop=$(losetup --find --show "$work/image")
  mount "$loop" "$disk"
  undo() {
    umount "$disk" || true
    losetup --detach "$loop"
    finish
  }
  trap undo EXIT
  # EXT4_IOC_SHUTDOWN, which XFS knows too: at once, and without flushing the log.
  cut="python3 -c 'import fcntl, os, struct; fcntl.ioctl(os.open(\"$disk\", os.O_RDONLY), 0x8004587d, struct.pack(\"I\", 2))'"
  # Other mounts of the disk, the gateway's own among them, must be gone, or the one that was cut would be had again.
  alone="import os, sys, time
for _ in range(300):
    try:
        sys.exit(os.close(os.open('$loop', os.O_RDWR | os.O_EXCL)))
    except OSError:
        time.sleep(0.1)
sys.exit('$loop does not come free')"
  mend="umount '$disk' && python3 -c \"$alone\" && mount '$loop' '$disk' && cat /proc/sys/kernel/random/uuid > '$boot_id'"
  cat /proc/sys/kernel/random/uuid > "$boot_id"
  options=(--cut "$cut")
fi
flips=${FLIPS:-$([[ $backend == scratch ]] && echo 50 || echo 0)}
if ((flips > 0)); then
  export -f flip_bits
  some="find '$disk/cache' -name '*.seg' -size +0 | grep -q ."
  mend="${mend:+$mend && }{ ! $some || flip_bits '$disk/cache' $flips \$RANDOM > /dev/null; }"
fi
[[ -z $mend ]] || options+=(--mend "$mend")

if [[ -n ${STALLS:-} ]]; then
  export MILLRACE_JAVA_OPTIONS="${MILLRACE_JAVA_OPTIONS:-} -Dmillrace.test.metadata-compaction-rate=$STALLS"
fi

"$root/millrace" help > /dev/null # builds it
settings_for "$backend"
if [[ $backend == versitygw ]]; then
  mkdir -p "$work"/objects-of-versitygw/{immutable,ttl,strict}
  start_versitygw
  options+=(--direct "http://127.0.0.1:$origin_port")
else
  mkdir -p "$disk"/objects/{immutable,ttl,strict}
fi
python3 "$bench/$program" --url "http://127.0.0.1:$s3_port" --key benchkey:benchsecret --buckets "$names" \
  --start "$start" --log "$work/millrace.log" --kills "$kills" --seed "${SEED:-$RANDOM}" "${options[@]}" || {
  tail -n 20 "$work/millrace.log" >&2
  if [[ -n ${KEEP:-} ]]; then cp -r "$work/millrace.log" "$KEEP"; fi
  exit 1
}
if [[ -n ${STALLS:-} ]]; then
  # Of the last starts: RocksDB keeps two logs.
  stalls=$(cat "$disk"/millrace/metadata/LOG* | grep -c "Stopping writes" || true)
  echo "stalls of the metadata store in the last runs: $stalls"
  ((stalls > 0)) || die "the metadata store stalled no write"
fi
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)"
grep -E ' ERROR ' "$work/millrace.log" | sed -E 's/^.* ERROR //; s/[0-9]+/N/g' | sort | uniq -c | sort -rn | head -n 5 || true
