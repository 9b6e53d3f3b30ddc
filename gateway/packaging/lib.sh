# Shared by the scripts of this folder. Sourced, never run.
# shellcheck shell=bash

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # for those who source this
target=$repository/gateway/packaging/target

# The time of all files, so that builds of one commit are alike.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$repository" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

say() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# require COMMAND...: refuses to go on without one of them.
require() {
  local command missing=()
  for command; do
    command -v "$command" >/dev/null || missing+=("$command")
  done
  ((${#missing[@]} == 0)) || die "missing: ${missing[*]}"
}

# version_of ROOT: the version of the program in it.
version_of() {
  unzip -p "$1/usr/lib/millrace/millrace.jar" META-INF/MANIFEST.MF | tr -d '\r' | sed -n 's/^Implementation-Version: //p'
}
