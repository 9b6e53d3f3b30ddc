# What Millrace needs to know of the servers of this folder. Sourced.
# shellcheck shell=bash

# The emulator's, which is no secret.
AZURITE_ACCOUNT=devstoreaccount1
AZURITE_KEY=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==

# backend_settings SERVER ENDPOINT [ACCESS_KEY SECRET_KEY]: the settings of a backend, between braces in YAML. ENDPOINT is what the
# server's `start` has printed; for `file` it is a folder. For `hub`, which has no keys, ACCESS_KEY is the URL of its large files.
backend_settings() {
  local keys="access-key: '${3:-}', secret-key: '${4:-}'"
  case $1 in
    file) echo "type: file, path: '$2'" ;;
    hub) echo "type: hub, url: '$2', allowed-redirects: [ '${3:-}' ], allowed-private-addresses: [ 127.0.0.1 ]" ;;
    nginx) echo "type: http, url: '$2', listing: index" ;;
    azurite) echo "type: azure, account: $AZURITE_ACCOUNT, account-key: '$AZURITE_KEY', endpoint: '$2'" ;;
    fake-gcs) echo "type: gcs, project: any, endpoint: '$2', anonymous: true" ;;
    millrace) echo "type: millrace, endpoint: '$2', $keys" ;;
    *) echo "type: s3, endpoint: '$2', region: ${REGION:-us-east-1}, path-style: true, $keys" ;;
  esac
}
