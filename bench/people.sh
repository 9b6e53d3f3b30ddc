#!/usr/bin/env bash
# What a reader of hits over TLS notices of strangers: of heads that never end, of connections that do nothing, of a flood of handshakes. The
# reader must not fail, nor its p99 be more than twice that of windows without them; and every slow head must be closed. Needs 20,000 file
# descriptors (ulimit -n), and an idle machine for its figures.
#
#   bench/people.sh [HEADS [IDLE [SECONDS]]]    5000, 10000, 20 of each of the eight windows
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ulimit -n "$(ulimit -Hn)"
(
  # shellcheck source=.ci/lib.sh
  source "$root/.ci/lib.sh"
  make_certificate "$work"
)
start_origin "$origin_port"
plain_port=$((s3_port + 3))
settings "$origin_port" 1GiB
sed -i "s#^s3: .*#s3: { port: $s3_port, plain-port: $plain_port, max-connections: 18000, tls: { certificate: $work/certificate.pem, private-key: $work/key.pem } }#" \
  "$work/millrace.yaml"
start_gateway
python3 "$bench/people.py" --url "https://127.0.0.1:$s3_port" --plain-port "$plain_port" --pid "$gateway" --key benchkey:benchsecret \
  --path /data/warm/65536 --heads "${1:-5000}" --idle "${2:-10000}" --seconds "${3:-20}"
