#!/usr/bin/env bash
# Kills the gateway while it copies from versitygw (.ci/origins/versitygw install) to the file backend, and from there back, and
# compares every object with its metadata; nothing may be written twice. bench/kill_copies.py has the rules.
#
#   bench/killcopies.sh [KILLS [OBJECTS]]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/millrace" help > /dev/null # builds it
access_log=$work/access.log
versitygw_options=(--access-log "$access_log")
start_versitygw
mkdir -p "$work/objects/there"
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
backends:
  server: { type: s3, endpoint: "http://127.0.0.1:$origin_port", path-style: true, access-key: benchkey, secret-key: benchsecret }
  file: { type: file, path: $work/objects }
buckets:
  - { name: from, backend: server }
  - { name: back, backend: server }
  - { name: there, backend: file }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
python3 "$bench/kill_copies.py" --admin "http://127.0.0.1:$admin_port" --server "http://127.0.0.1:$origin_port" --key benchkey:benchsecret \
  --start "exec '$root/millrace' serve --config '$work/millrace.yaml'" --log "$access_log" --output "$work/millrace.log" --kills "${1:-20}" --objects "${2:-3000}" || {
  tail -n 20 "$work/millrace.log" >&2
  exit 1
}
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)"
