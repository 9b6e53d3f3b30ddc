# Every client: how to install it, its version, the command that reads the data set. Sourced by run.
# shellcheck shell=bash
: "${tools:?}" "${clients:?}"

CI_CLIENTS=(boto3 aws-cli-1 aws-cli-2 rclone go js java-sync java-netty java-crt)
ALL_CLIENTS=("${CI_CLIENTS[@]}" s3cmd duckdb pyarrow)

# Debian has version 2 as /usr/bin/aws; a pip installation of version 1 often comes before it in PATH.
aws_cli_2=/usr/bin/aws

install_client() {
  case $1 in
    boto3 | aws-cli-1 | duckdb | pyarrow) install_python ;;
    aws-cli-2) need "$aws_cli_2" awscli ;;
    rclone | s3cmd) need "$1" "$1" ;;
    go) install_once go "$clients/go" go build -C "$clients/go" -o "$tools/bin/go-reads" . ;;
    js) install_once js "$clients/js" install_js ;;
    java-*) install_once java "$clients/java" mvn -q -B -ntp -f "$clients/java/pom.xml" -Dfolder="$tools/java" package ;;
  esac
}

install_python() { install_once python "$clients/requirements.txt" python_venv python "$clients/requirements.txt"; }

install_js() {
  mkdir -p "$tools/js"
  cp "$clients"/js/{*.js,*.json,.npmrc} "$tools/js"
  (cd "$tools/js" && npm ci --silent --ignore-scripts)
}

need() { command -v "$1" >/dev/null || die "$1 is missing: apt-get install $2"; }

client_version() {
  case $1 in
    boto3 | duckdb | pyarrow) sed -n "s/^$1==//p" "$clients/requirements.txt" ;;
    aws-cli-1) sed -n 's/^awscli==//p' "$clients/requirements.txt" ;;
    aws-cli-2) "$aws_cli_2" --version | sed 's|aws-cli/\([^ ]*\).*|\1|' ;;
    rclone) rclone version | sed -n '1s/.* v//p' ;;
    s3cmd) s3cmd --version | sed 's/.* //' ;;
    go) sed -n 's|.*/service/s3 v||p' "$clients/go/go.mod" ;;
    js) sed -n 's|.*client-s3": "\(.*\)".*|\1|p' "$clients/js/package.json" ;;
    java-crt) sed -n 's|.*<aws-crt.version>\(.*\)<.*|\1|p' "$clients/java/pom.xml" ;;
    java-*) sed -n 's|.*<aws-sdk.version>\(.*\)<.*|\1|p' "$clients/java/pom.xml" ;;
  esac
}

# client_command NAME: sets the array `command`.
client_command() {
  case $1 in
    boto3 | duckdb | pyarrow) command=("$tools/python/bin/python" -B "$clients/$1_reads.py") ;;
    aws-cli-1) command=(env AWS_CLI="$tools/python/bin/aws" "$clients/aws-cli") ;;
    aws-cli-2) command=(env AWS_CLI="$aws_cli_2" "$clients/aws-cli") ;;
    rclone | s3cmd) command=("$clients/$1") ;;
    go) command=("$tools/bin/go-reads") ;;
    js) command=(node --no-warnings "$tools/js/reads.js") ;;
    java-*) command=(java -cp "$tools/java/millrace-clients.jar:$tools/java/lib/*" io.millrace.clients.Main "${1#java-}") ;;
  esac
}
