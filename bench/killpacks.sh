#!/usr/bin/env bash
# Kills the gateway while it packs objects of versitygw (.ci/origins/versitygw install) into shards there, and compares every shard with
# those of a pack without a kill: each sample must be in one, nothing may be written twice, and no upload in parts may be left that the log
# does not name. bench/kill_packs.py has the rules.
#
#   bench/killpacks.sh [KILLS [OBJECTS]]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/millrace" help > /dev/null # builds it
access_log=$work/access.log
# shellcheck disable=SC2034 # start_versitygw reads it
versitygw_options=(--access-log "$access_log")
start_versitygw
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
backends:
  server: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
buckets:
  - { name: from, backend: server }
  - { name: packed, backend: server }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
python3 "$bench/kill_packs.py" --admin "http://127.0.0.1:$admin_port" --server "http://127.0.0.1:$origin_port" --key benchkey:benchsecret \
  --data "$work/millrace" --start "exec '$root/millrace' serve --config '$work/millrace.yaml'" --log "$access_log" \
  --output "$work/millrace.log" --kills "${1:-20}" --objects "${2:-3000}" || {
  tail -n 20 "$work/millrace.log" >&2
  exit 1
}
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)"
