#!/usr/bin/env bash
# Kills the gateway while it copies large objects from one cloud to another, KILLS times, evenly spread over the bytes. In the end every
# byte must be there once, no upload may be left that the log does not name, and what the kills cost is bytes that a counting proxy before the target saw
# twice: 75 MiB a kill at most, a tenth of 50 x 300 MiB in 20 kills. bench/kill_cloud_copies.py has the rules.
#
#   bench/killclouds.sh [FROM [TO [KILLS [OBJECTS [MIB]]]]]    versitygw azurite 20 10 300; the figures of docs are of 50 objects
#
# FROM and TO are versitygw, minio, azurite or fake-gcs (.ci/origins has them); FROM may also be file, or computed: objects of the load
# generator, which need no disk. A server takes OBJECTS x MIB of disk, Azurite of memory. WORKERS=N changes those of the job.
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=.ci/origins/settings.sh
source "$root/.ci/origins/settings.sh"

from=${1:-versitygw} to=${2:-azurite} kills=${3:-20} objects=${4:-10} mib=${5:-300}
target_port=$((s3_port + 3)) counted_port=$((s3_port + 4))
started=()

stop_clouds() {
  local server
  for server in "${started[@]}"; do "$root/.ci/origins/${server%%:*}" stop "${server#*:}" || true; done
  finish
}
trap stop_clouds EXIT

# start_cloud SERVER FOLDER [PORT]: sets $endpoint. Objects lie on the disk, but for Azurite, which then stops answering after some kills.
start_cloud() {
  if [[ $1 == file ]]; then
    endpoint=$2
  elif [[ $1 == computed ]]; then
    endpoint=http://127.0.0.1:$origin_port
  else
    local on_disk=yes
    [[ $1 != azurite ]] || on_disk=no
    started+=("$1:$2")
    endpoint=$(ON_DISK=$on_disk ACCESS_KEY=benchkey SECRET_KEY=benchsecret "$root/.ci/origins/$1" start "$2" "${@:3}")
  fi
}

"$root/millrace" help > /dev/null # builds it
start_origin "$origin_port"
start_cloud "$from" "$work/from"
source_endpoint=$endpoint
PUBLIC_PORT=$counted_port start_cloud "$to" "$work/to" "$target_port"
target_endpoint=$endpoint
cat > "$work/millrace.yaml" << YAML
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
backends:
  computed: { $(backend_settings computed "http://127.0.0.1:$origin_port" benchkey benchsecret) }
  source: { $(backend_settings "$from" "$source_endpoint" benchkey benchsecret) }
  target: { $(backend_settings "$to" "${target_endpoint/:$target_port/:$counted_port}" benchkey benchsecret) }
buckets:
  - { name: computed, backend: computed }
  - { name: from, backend: source, bucket: killed-from }
  - { name: into, backend: target, bucket: killed-into }
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
YAML
python3 "$bench/kill_cloud_copies.py" --admin "http://127.0.0.1:$admin_port" --s3 "http://127.0.0.1:$s3_port" --key benchkey:benchsecret \
  --computed "http://127.0.0.1:$origin_port" --from "$from" --to "$to" --target "$target_endpoint" --azure-key "$AZURITE_KEY" \
  --target-port "$target_port" --counted-port "$counted_port" --data "$work/millrace" \
  --start "exec '$root/millrace' serve --config '$work/millrace.yaml'" --output "$work/millrace.log" \
  --kills "$kills" --objects "$objects" --mib "$mib" --workers "${WORKERS:-0}" || {
  tail -n 20 "$work/millrace.log" >&2
  exit 1
}
echo "errors in the log: $(grep -cE ' ERROR ' "$work/millrace.log" || true)"
