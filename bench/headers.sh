#!/usr/bin/env bash
# What headers that mean nothing to Millrace cost a warm GET of 4 KiB, a presigned URL, policies, and the token of a session, next to the
# plain GET, in turns; and how many of the responses took the fast path. Policies are 36 statements of the caller and 24 of the bucket,
# most with conditions. Fails beyond 1.3 and 1.5 times, and 1 us. Needs wrk and python3. Keep the machine idle.
#
#   bench/headers.sh [--seconds 6 --rounds 5 --warmup 20]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v wrk > /dev/null || die "wrk is missing: install the package of that name"
mkdir -p "$work/objects/bench"
cat > "$work/millrace.yaml" << EOF
s3: { address: 127.0.0.1, port: $s3_port }
admin: { address: 127.0.0.1, port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 1GiB } ] }
backends: { local: { type: file, path: $work/objects } }
buckets:
  - { name: guarded, backend: local, bucket: bench, policy: bucket.json, freshness: { mode: immutable } }
  - { name: "*", backend: local, freshness: { mode: immutable } }
identities:
  - { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" }
  - { name: guarded, access-key: guardedkey, secret-key: guardedsecret, policies: [ caller.json ] }
sts:
  plain-http: true
  roles: [ { name: guarded, assumed-by: [ user/guarded ], policies: [ caller.json ] } ]
EOF
python3 "$bench/headers.py" --policies "$work"
start_gateway
outcome=0
python3 "$bench/headers.py" --folder "$work/objects" "$@" "millrace=http://127.0.0.1:$s3_port,pid=$gateway,key=benchkey:benchsecret" || outcome=$?
echo "GETs: $(metric millrace_s3_request_seconds_count), of which on the fast path: $(metric millrace_s3_fast_path_total)"
exit "$outcome"
