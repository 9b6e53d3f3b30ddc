#!/usr/bin/env bash
# Kills the gateway while it copies from versitygw (.ci/origins/versitygw install) to the file backend, and from there back, and
# compares every object with its metadata; nothing may be written twice, and no upload in parts may be left that the log does not name.
# Or cancels or pauses copies from one versitygw to another. bench/kill_copies.py has the rules.
#
#   bench/killcopies.sh [KILLS [OBJECTS]]
#   MODE=cancel bench/killcopies.sh [CANCELS]
#   MODE=pause bench/killcopies.sh [PAUSES]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/millrace" help > /dev/null # builds it
access_log=$work/access.log
versitygw_options=(--access-log "$access_log")
start_versitygw
mkdir -p "$work/objects/there"
target_port=$((s3_port + 3))
versitygw_options=(--access-log "$work/target.log")
start_versitygw_at "$target_port" "$work/objects-of-target"
target=$versitygw
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
backends:
  server: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
  target: { type: s3, endpoint: "http://127.0.0.1:$target_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
  file: { type: file, path: $work/objects }
buckets:
  - { name: from, backend: server }
  - { name: back, backend: server }
  - { name: aside, backend: target }
  - { name: there, backend: file }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
python3 "$bench/kill_copies.py" --admin "http://127.0.0.1:$admin_port" --s3 "http://127.0.0.1:$s3_port" --server "http://127.0.0.1:$origin_port" --key benchkey:benchsecret \
  --data "$work/millrace" --mode "${MODE:-kill}" --server-folder "$work/objects-of-versitygw" \
  --target "http://127.0.0.1:$target_port" --target-pid "$target" --target-log "$work/target.log" \
  --start "exec '$root/millrace' serve --config '$work/millrace.yaml'" --log "$access_log" --output "$work/millrace.log" --kills "${1:-20}" --objects "${2:-3000}" || {
  tail -n 20 "$work/millrace.log" >&2
  exit 1
}
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)"
