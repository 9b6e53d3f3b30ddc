#!/usr/bin/env bash
# Writes one object to the standard output with aws-cli 2. Debian's is older than AWS_ENDPOINT_URL_STS, so the two steps are two commands.
#   aws-cli-2.sh AWS
set -euo pipefail
aws=$1
session=$("$aws" sts assume-role-with-web-identity --endpoint-url "$AWS_ENDPOINT_URL_STS" --role-arn "$AWS_ROLE_ARN" \
  --role-session-name "$AWS_ROLE_SESSION_NAME" --web-identity-token "file://$AWS_WEB_IDENTITY_TOKEN_FILE" --output text \
  --query 'Credentials.[AccessKeyId,SecretAccessKey,SessionToken]')
unset AWS_ROLE_ARN AWS_WEB_IDENTITY_TOKEN_FILE
read -r AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN <<<"$session"
export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
exec "$aws" --endpoint-url "$AWS_ENDPOINT_URL_S3" s3 cp s3://data/key -
