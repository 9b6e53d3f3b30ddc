#!/usr/bin/env bash
# Reloads the settings 1,000 times under a load of GETs and PUTs over TLS, then replaces the certificate 20 times, which the gateway finds by
# itself: no request may fail, neither on connections that stay open nor on one that is new for each request. Versions differ in identities,
# rights, buckets, freshness, and each tenth time in the paths of the certificate and in the backend, whose connections are then closed.
# Needs openssl and curl.
#
#   bench/reload.sh [RELOADS [CERTIFICATES]]     a certificate takes some five seconds
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

reloads=${1:-1000} certificates=${2:-20}

# write_settings N: the N-th version.
write_settings() {
  local freshness="{ mode: strict }" more="" tries=$((3 + $1 / 10 % 2)) tls=$work/tls-$(($1 / 10 % 2))
  if (($1 % 2)); then
    freshness="{ ttl: 1s }"
    more="  - { name: reader-$1, access-key: READER$1, secret-key: secret-$1, allow: \"read:data\" }"
  fi
  cat > "$work/next.yaml" << EOF
s3: { port: $s3_port, tls: { certificate: $tls/certificate.pem, private-key: $tls/key.pem } }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: $work/cache, size: 2GiB } ] }
backends:
  origin: { type: file, path: $work/objects, resilience: { tries: $tries } }
buckets:
  - { name: other-$1, backend: origin }
  - { name: data, backend: origin, freshness: $freshness }
identities:
  - { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" }
$more
EOF
  mv "$work/next.yaml" "$work/millrace.yaml"
}

# write_certificates: other keys and certificates, as certbot replaces them.
write_certificates() {
  local folder
  for folder in "$work"/tls-{0,1}; do
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=127.0.0.1 -keyout "$folder/key.next" \
      -out "$folder/certificate.next" 2> /dev/null
    mv "$folder/key.next" "$folder/key.pem"
    mv "$folder/certificate.next" "$folder/certificate.pem"
  done
}

# reloaded OUTCOME: how often.
reloaded() {
  curl -s "http://127.0.0.1:$admin_port/metrics" | awk -v name="millrace_settings_reloads_total{outcome=\"$1\"}" '$1 == name { number = $2 } END { print number + 0 }'
}

# replaced: how often the gateway has found new certificates by itself.
replaced() {
  grep -c 'certificate was reloaded' "$work/millrace.log" || true
}

# written, served: the newest certificate, and that of a new connection.
written() {
  openssl x509 -noout -serial -in "$work/tls-$((reloads / 10 % 2))/certificate.pem"
}

served() {
  openssl s_client -connect "127.0.0.1:$s3_port" < /dev/null 2> /dev/null | openssl x509 -noout -serial
}

# Ends at the first request that fails.
read_on_new_connections() {
  local url=https://127.0.0.1:$s3_port/data/read-on-new-connections
  while curl -sS --insecure --fail --user benchkey:benchsecret --aws-sigv4 aws:amz:us-east-1:s3 --write-out '%{http_code}\n' "$url"; do
    sleep 0.05
  done
}

mkdir -p "$work/objects/data" "$work"/tls-{0,1}
: > "$work/objects/data/read-on-new-connections"
write_certificates
write_settings 0
start_gateway

AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret "$root/millrace" bench run --insecure \
  --endpoint "https://127.0.0.1:$s3_port" --bucket data --operations get:80,put:20 --objects 200 --size 4KiB..2MiB \
  --connections 8 --warm-up 0s --duration "${LOAD_SECONDS:-$((reloads / 2 + certificates * 6 + 40))}s" > "$work/load.log" 2>&1 &
load=$!
pids+=("$load")
for _ in $(seq 300); do
  if (($(metric millrace_s3_request_seconds_count) > 500)); then break; fi
  sleep 0.1
done

read_on_new_connections > "$work/new-connections.log" 2>&1 &
reader=$!
pids+=("$reader")

begun=$(date +%s%N)
for reload in $(seq "$reloads"); do
  kill -0 "$load" 2> /dev/null || die "the load ended after $reload reloads: set LOAD_SECONDS to more"
  write_settings "$reload"
  kill -HUP "$gateway"
  for _ in $(seq 1000); do
    if (($(reloaded applied) >= reload)); then break; fi
    sleep 0.01
  done
  (($(reloaded applied) == reload)) || die "reload $reload was not applied: $(tail -n 3 "$work/millrace.log")"
done
took=$((($(date +%s%N) - begun) / 1000000))
echo "reloads: $reloads in $took ms, with the load running"
begun=$SECONDS
for certificate in $(seq "$certificates"); do
  kill -0 "$load" 2> /dev/null || die "the load ended after $certificate certificates: set LOAD_SECONDS to more"
  write_certificates
  for _ in $(seq 600); do
    if [[ $(served) == "$(written)" ]]; then break; fi
    sleep 0.1
  done
  [[ $(served) == "$(written)" ]] || die "certificate $certificate is not in use: $(tail -n 3 "$work/millrace.log")"
done
echo "certificates: $certificates in $((SECONDS - begun)) s, with the load running; waiting for its end"
kill -0 "$reader" 2> /dev/null || die "a request on a new connection failed: $(tail -n 3 "$work/new-connections.log")"
echo "requests on new connections: $(wc -l < "$work/new-connections.log"), none failed"
kill "$reader"
wait "$load" || die "requests failed: $(cat "$work/load.log")"
cat "$work/load.log"
echo "reloads applied: $(reloaded applied), refused: $(reloaded refused); certificates replaced: $(replaced)," \
  "other paths of them: $(grep -c 'new connections use .*pem' "$work/millrace.log")," \
  "backends closed: $(grep -c 'of earlier settings is closed' "$work/millrace.log")"
echo "threads: $(awk '/Threads/ { print $2 }' "/proc/$gateway/status"), resident: $(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$gateway/status") MiB"
echo "warnings and errors:"
grep -E ' (WARN|ERROR) ' "$work/millrace.log" | cut -d ' ' -f 2- | sort | uniq -c || true
if grep -q ' ERROR ' "$work/millrace.log"; then die "there are errors in the log"; fi
