#!/usr/bin/env bash
# The memory of a plan over many keys: a copy of what is new between two buckets with the same keys, so that both lists are read to
# their end and every object is looked at and passed over. One lies on versitygw (.ci/origins/versitygw install), one in the file
# backend. Tells the gateway's live heap, after a collection, and its resident memory, at the begin, each tenth and the end.
# Needs jcmd and an inode for each key and bucket.
#
#   bench/plan.sh [KEYS]    1000000
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

keys=${1:-1000000}
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret MILLRACE_ENDPOINT_URL=http://127.0.0.1:$admin_port

mkdir -p "$work/objects-of-versitygw" "$work/objects"
python3 - "$work/objects-of-versitygw/data" "$work/objects/data" "$keys" << 'PYTHON'
import os, sys
for bucket in sys.argv[1:3]:
    for number in range(int(sys.argv[3])):
        if number % 1000 == 0:
            folder = f"{bucket}/{number // 1000:06}"
            os.makedirs(folder)
        os.close(os.open(f"{folder}/object-{number:09}", os.O_CREAT | os.O_WRONLY))
PYTHON
start_versitygw
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
backends:
  server: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
  file: { type: file, path: $work/objects }
buckets:
  - { name: origin, backend: server, bucket: data }
  - { name: copied, backend: file, bucket: data }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
start_gateway

# memory LABEL
memory() {
  local heap resident
  # A class histogram collects first.
  heap=$(jcmd "$gateway" GC.class_histogram | awk '/^Total/ { print int($3 / 1048576) }')
  resident=$(awk '$1 == "VmRSS:" { print int($2 / 1024) }' "/proc/$gateway/status")
  echo "$1: live heap $heap MiB, resident $resident MiB"
}

memory "before"
began=$SECONDS
"$root/millrace" copy s3://origin/ s3://copied/ --overwrite if-absent > "$work/submitted"
job=$(sed -n 's/^job \([^ ]*\).*/\1/p' "$work/submitted")
tenth=1
while "$root/millrace" jobs show "$job" --json > "$work/job" && grep -qE '"state": ?"(submitted|planning|running)"' "$work/job"; do
  passed=$(grep -oE '"skipped": ?[0-9]+' "$work/job" | grep -oE '[0-9]+$')
  if ((passed >= tenth * keys / 10)); then
    memory "$passed keys"
    tenth=$((passed * 10 / keys + 1))
  fi
  sleep 0.5
done
memory "after"
echo "$((SECONDS - began)) s"
"$root/millrace" jobs show "$job"
