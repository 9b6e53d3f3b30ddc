# rclone as its checks use it, with the remote `mill:`. Sourced.
# shellcheck shell=bash
: "${ENDPOINT:?}" "${ACCESS_KEY:?}" "${SECRET_KEY:?}" "${REGION:?}" "${BUCKET:?}" "${WORK:?}" "${PAGE:?}"

: >"$WORK/rclone.conf"
# Its transport takes no authority from the SDK, only from SSL_CERT_FILE.
unset AWS_CA_BUNDLE
export RCLONE_CONFIG=$WORK/rclone.conf RCLONE_CONFIG_MILL_TYPE=s3 RCLONE_CONFIG_MILL_PROVIDER=Other RCLONE_LOW_LEVEL_RETRIES=1 RCLONE_RETRIES=1
export RCLONE_CONFIG_MILL_ENDPOINT=$ENDPOINT RCLONE_CONFIG_MILL_REGION=$REGION RCLONE_CONFIG_MILL_LIST_CHUNK=$PAGE
export RCLONE_CONFIG_MILL_ACCESS_KEY_ID=$ACCESS_KEY RCLONE_CONFIG_MILL_SECRET_ACCESS_KEY=$SECRET_KEY
# shellcheck disable=SC2034 # of whoever sources this
remote="mill:$BUCKET"
