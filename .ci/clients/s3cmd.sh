# s3cmd as its checks use it. Sourced.
# shellcheck shell=bash
: "${ENDPOINT:?}" "${ACCESS_KEY:?}" "${SECRET_KEY:?}" "${REGION:?}" "${WORK:?}"

address=${ENDPOINT#*://} use_https=False
[[ $ENDPOINT != https://* ]] || use_https=True
cat >"$WORK/s3cfg" <<END
[default]
access_key = $ACCESS_KEY
secret_key = $SECRET_KEY
bucket_location = $REGION
host_base = $address
host_bucket = $address
use_https = $use_https
signurl_use_https = $use_https
ca_certs_file = ${AWS_CA_BUNDLE:-}
max_retries = 1
progress_meter = False
END

s3cmd() { command s3cmd --config "$WORK/s3cfg" "$@"; }
