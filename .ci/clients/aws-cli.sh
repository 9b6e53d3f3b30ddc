# aws-cli, version 1 or 2 by AWS_CLI, as its checks use it. Sourced.
# shellcheck shell=bash
: "${AWS_CLI:?}" "${ENDPOINT:?}" "${ACCESS_KEY:?}" "${SECRET_KEY:?}" "${REGION:?}" "${WORK:?}"

export AWS_ACCESS_KEY_ID=$ACCESS_KEY AWS_SECRET_ACCESS_KEY=$SECRET_KEY AWS_DEFAULT_REGION=$REGION
export AWS_CONFIG_FILE=$WORK/config AWS_SHARED_CREDENTIALS_FILE=$WORK/none AWS_PAGER='' AWS_EC2_METADATA_DISABLED=true
printf '[default]\nretry_mode = standard\nmax_attempts = 1\ns3 =\n  addressing_style = path\n' >"$AWS_CONFIG_FILE"

aws() { "$AWS_CLI" --endpoint-url "$ENDPOINT" "$@"; }
