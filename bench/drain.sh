#!/usr/bin/env bash
# Restarts a gateway under reads and writes over TLS: every request that was sent gets its whole response. Clients repeat nothing; while no
# gateway listens they wait. Fails otherwise.
#
#   bench/drain.sh [RESTARTS]    10
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

restarts=${1:-10}
(
  # shellcheck source=.ci/lib.sh
  source "$root/.ci/lib.sh"
  make_certificate "$work"
)
mkdir -p "$work/objects/data"
settings "$origin_port" 1GiB
sed -i -e "s#^s3: .*#s3: { port: $s3_port, shutdown-delay: 2s, tls: { certificate: $work/certificate.pem, private-key: $work/key.pem } }#" \
  -e "s#^backends: .*#backends: { origin: { type: file, path: $work/objects } }#" "$work/millrace.yaml"
start_gateway
python3 "$bench/drain.py" --url "https://127.0.0.1:$s3_port" --key benchkey:benchsecret --bucket data > "$work/clients" &
clients=$!
pids+=("$clients")
for ((restart = 1; restart <= restarts; restart++)); do
  sleep 3
  kill "$gateway"
  code=0
  wait "$gateway" || code=$?
  [[ $code == 143 ]] || die "restart $restart: the gateway ended with $code"
  start_gateway
done
sleep 3
kill "$clients"
code=0
wait "$clients" || code=$?
echo "restarts: $restarts"
cat "$work/clients"
echo "warnings and errors:"
grep -E ' (WARN|ERROR) ' "$work/millrace.log" || true
exit "$code"
