#!/usr/bin/env bash
# A thousand readers at 2 KiB a second of an object of 64 MiB, cached and not: what they cost in memory, and another reader.
#
#   bench/slow.sh [--tls] [READERS]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

address=http://127.0.0.1:$s3_port tls=
if [[ ${1:-} == --tls ]]; then
  shift
  address=https://127.0.0.1:$s3_port tls=", tls: { certificate: $work/certificate.pem, private-key: $work/key.pem }"
  (
    # shellcheck source=.ci/lib.sh
    source "$root/.ci/lib.sh"
    make_certificate "$work"
  )
fi
start_origin "$origin_port"
for state in warm cold; do
  rm -rf "$work/cache" "$work/millrace"
  settings "$origin_port" 8GiB
  sed -i "s#^s3: .*#s3: { port: $s3_port$tls }#" "$work/millrace.yaml"
  start_gateway
  slow=/data/warm/67108864
  if [[ $state == cold ]]; then slow=/data/cold/67108864; fi
  echo "$state:"
  python3 "$bench/slow_readers.py" --url "$address" --pid "$gateway" --key benchkey:benchsecret \
    --path /data/warm/67108864 --slow-path "$slow" --readers "${1:-1000}" --seconds 15
  stop_gateway
done
