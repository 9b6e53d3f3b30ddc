# The servers of a run: the origin with the data set in it, and Millrace in front of it. Sourced by run.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the settings of the clients are exported by run
: "${tools:?}" "${clients:?}" "${work:?}"

ORIGIN_ACCESS_KEY=origin-admin
ORIGIN_SECRET_KEY=origin-secret
DATASET=dataset
# With --prefix: the one bucket at the origin that holds all others, each below a prefix of its own.
WHOLE=whole
REGION=us-east-1
# Names below it are those of buckets. No server of names has them.
DOMAIN=s3.localhost

# shellcheck source-path=SCRIPTDIR source=../origins/settings.sh
source "$clients/../origins/settings.sh"

# start_origin NAME: sets EXPECTED and backend_endpoint, and one of origin_endpoint, if the origin speaks S3, and cloud_endpoint.
start_origin() {
  EXPECTED=$work/dataset
  origin_endpoint=
  cloud_endpoint=
  backend_endpoint=
  case $1 in
    file) start_file_origin ;;
    nginx) start_nginx ;;
    azurite | fake-gcs) cloud_endpoint=$("$clients/../origins/$1" start "$work/$1") && backend_endpoint=$cloud_endpoint ;;
    *) start_s3_origin "$1" && backend_endpoint=$origin_endpoint ;;
  esac
}

start_s3_origin() {
  origin_endpoint=$(ACCESS_KEY=$ORIGIN_ACCESS_KEY SECRET_KEY=$ORIGIN_SECRET_KEY "$clients/../origins/$1" start "$work/$1") ||
    return
  upload_dataset "$origin_endpoint" "$ORIGIN_ACCESS_KEY" "$ORIGIN_SECRET_KEY"
}

upload_dataset() {
  local bucket=$DATASET below=
  [[ -z $prefix ]] || bucket=$WHOLE below=teams/$DATASET/
  ENDPOINT=$1 ACCESS_KEY=$2 SECRET_KEY=$3 REGION=$REGION BUCKET=$bucket PREFIX=$below \
    "$tools/python/bin/python" -B "$clients/dataset.py" upload "$work/dataset"
}

# The emulators of clouds speak no S3, so their data set goes through Millrace.
fill_cloud() {
  [[ -z $cloud_endpoint ]] || upload_dataset "$ENDPOINT" "$ACCESS_KEY" "$SECRET_KEY"
}

# expect_files FOLDER: plain files, put there by hand: nobody told anything of their metadata.
expect_files() {
  EXPECTED=$1
  mkdir -p "$EXPECTED"
  cp "$work"/dataset/{objects,ranges}.tsv "$EXPECTED"
  : >"$EXPECTED/metadata.tsv"
  cp -al "$work/dataset/tree" "$EXPECTED/tree"
}

# Its index hides names that begin with a dot.
start_nginx() {
  expect_files "$work/shown"
  rm "$EXPECTED/tree/names/.hidden"
  sed -i '\|\tnames/\.hidden$|d' "$EXPECTED/objects.tsv"
  place_files "$work/nginx/data"
  backend_endpoint=$("$clients/../origins/nginx" start "$work/nginx")
}

start_file_origin() {
  expect_files "$work/plain"
  backend_endpoint=./file
  place_files "$work/file"
}

# place_files FOLDER: the tree, as a bucket in the folder.
place_files() {
  local at=$1/$DATASET
  [[ -z $prefix ]] || at=$1/$WHOLE/teams/$DATASET
  mkdir -p "$(dirname "$at")"
  cp -al "$EXPECTED/tree" "$at"
}

stop_origin() {
  if [[ $1 != file ]]; then
    "$clients/../origins/$1" stop "$work/$1"
  fi
}

# With --tls: a certificate by an authority of its own, as a company has it, and where clients look for authorities. rustls takes no
# certificate that is its own authority.
prepare_tls() {
  local authority=$work/authority.pem key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2)
  openssl req -x509 "${key[@]}" -subj "/CN=Authority of the checks" -keyout "$work/authority-key.pem" -out "$authority" 2>/dev/null
  openssl req -x509 "${key[@]}" -subj /CN=127.0.0.1 -CA "$authority" -CAkey "$work/authority-key.pem" -addext basicConstraints=CA:FALSE \
    -addext "subjectAltName=IP:127.0.0.1,DNS:*.$DOMAIN" -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
  export AWS_CA_BUNDLE=$authority SSL_CERT_FILE=$authority CURL_CA_BUNDLE=$authority NODE_EXTRA_CA_CERTS=$authority
  unset SSL_CERT_DIR
  keytool -importcert -noprompt -alias checks -file "$authority" -keystore "$work/authorities.p12" -storetype PKCS12 \
    -storepass changeit >/dev/null 2>&1
  export JAVA_TOOL_OPTIONS="-Djavax.net.ssl.trustStore=$work/authorities.p12 -Djavax.net.ssl.trustStorePassword=changeit"
}

# start_millrace ORIGIN: sets ENDPOINT, ACCESS_KEY and SECRET_KEY to what clients of it use, and TRANSFORM_PORT to where its transform is.
start_millrace() {
  local port cache= scheme=http secured=
  port=$(free_port 3)
  admin_port=$((port + 1)) TRANSFORM_PORT=$((port + 2))
  [[ -z $tls ]] || scheme=https secured=", tls: { certificate: $work/certificate.pem, private-key: $work/key.pem }"
  ENDPOINT=$scheme://127.0.0.1:$port ACCESS_KEY=millrace-client SECRET_KEY=millrace-secret
  [[ -z $cached ]] || cache="cache: { disks: [ { path: ./cache-$1, size: 4GiB } ] }"
  cat >"$work/millrace.yaml" <<END
s3:    { address: 127.0.0.1, port: $port, domain: $DOMAIN$secured }
admin: { address: 127.0.0.1, port: $admin_port }
data: ./millrace-$1
backends:
  origin: { $(backend_settings "$1" "$backend_endpoint" "$ORIGIN_ACCESS_KEY" "$ORIGIN_SECRET_KEY") }
transforms: { double: { url: "http://127.0.0.1:$TRANSFORM_PORT/" } }
buckets:
$(views)
$(derived)
$(scratch)
  - { name: "*", backend: origin }
$cache
identities:
  - { name: client, access-key: $ACCESS_KEY, secret-key: $SECRET_KEY, allow: [ "*" ] }
END
  "$clients/../../millrace" serve --config "$work/millrace.yaml" >"$work/millrace.log" 2>&1 &
  echo $! >"$work/millrace.pid"
  # Minutes, because the script builds when there is nothing built yet.
  wait_ready "http://127.0.0.1:$admin_port/health" "$!" 600 "$work/millrace.log"
}

# An entry for each bucket that is a prefix of another; nothing without --prefix.
views() {
  [[ -n $prefix ]] || return 0
  local name
  for name in "$DATASET" "${writing[@]/#/written-}"; do
    echo "  - { name: $name, backend: origin, bucket: $WHOLE, prefix: teams/$name/ }"
  done
}

# What is derived from the buckets that the clients of these names write.
derived() {
  local name
  for name in samples samples-torch; do
    [[ " ${writing[*]} " != *" $name "* ]] || echo "  - { name: $name, derived: { from: written-$name } }"
  done
  [[ " ${writing[*]} " != *" transforms "* ]] || echo "  - { name: made, derived: { from: written-transforms, transform: double } }"
}

# Buckets without a backend, which need a disk of the cache.
scratch() {
  [[ -n $cached && " ${writing[*]} " == *" scratch "* ]] || return 0
  echo "  - { name: kv-blocks, scratch: { ttl: 1h }, quota: 1GiB }"
  echo "  - { name: kv-brief, scratch: { ttl: 2s }, quota: 64MiB }"
}

# bucket make | judge: the bucket that a client writes to.
bucket() {
  local behind=()
  if [[ $direct == no && -n $origin_endpoint ]]; then
    behind=(ORIGIN_ENDPOINT="$origin_endpoint" ORIGIN_ACCESS_KEY="$ORIGIN_ACCESS_KEY" ORIGIN_SECRET_KEY="$ORIGIN_SECRET_KEY")
    [[ -z $prefix ]] || behind+=(ORIGIN_BUCKET="$WHOLE" ORIGIN_PREFIX="teams/$BUCKET/")
  elif [[ $direct == no && -z $cloud_endpoint ]]; then
    behind=(ORIGIN_FOLDER="$work/file/${prefix:+$WHOLE/teams/}$BUCKET" ${prefix:+ORIGIN_PREFIX=teams/})
  fi
  env "${behind[@]}" "$tools/python/bin/python" -B "$clients/written.py" "$1"
}

stop_millrace() { stop_by_pid_file "$work/millrace.pid"; }
