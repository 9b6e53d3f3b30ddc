#!/usr/bin/env bash
# Searches with coverage (Jazzer) for requests that do harm. Begins with the inputs that are kept; what fails becomes one of them,
# and is run by every build from then on. Says for each kind how many inputs it was, how long it took, and how requests ended.
#
#   bench/fuzz.sh [INPUTS [KIND...]]     ten million of each kind, if nothing is said
#   KEEP=1 bench/fuzz.sh ...             keeps what reached other code as well, of that the least
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

inputs=${1:-10000000}
kinds=("${@:2}")
if ((${#kinds[@]} == 0)); then
  kinds=(signature aws-chunked request-target range copy-source xml post-form batch)
fi
kept=$PWD/gateway/fuzz/src/test/resources/io/millrace/gateway/fuzz
work=$(mktemp -d "${TMPDIR:-/tmp}/millrace-fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT

mvn -q -B -ntp -Dstyle.color=never -Pfuzz -pl gateway/fuzz -am -Dchecks.skip test-compile dependency:build-classpath \
  -Dmdep.includeScope=test -Dmdep.outputFile=target/fuzz-classpath
classpath=gateway/fuzz/target/test-classes:$(< gateway/fuzz/target/fuzz-classpath)

corpus() {
  java -cp "$classpath" io.millrace.gateway.fuzz.Corpus "$@"
}

# jazzer KIND OPTION...
jazzer() {
  local options=("${@:2}")
  # A form is searched for its boundary with each piece of it, and what traces comparisons copies both each time: it takes four fifths of the time.
  if [[ $1 == post-form ]]; then
    options+=(--trace=cov:div:indir)
  fi
  java -Xmx1g -XX:+UseSerialGC -Dfuzz.slowdown=8 -Dfuzz.copies=64 -Dio.netty.leakDetection.level=disabled -cp "$classpath" com.code_intelligence.jazzer.Jazzer \
    --target_class=io.millrace.gateway.fuzz.FuzzEntry --target_args="$1" --reproducer_path="$work" \
    --instrumentation_includes='io.millrace.auth.**:io.millrace.backend.spi.**:io.millrace.gateway.**' \
    --instrumentation_excludes='io.millrace.gateway.fuzz.**' --custom_hook_includes='io.millrace.**' --custom_hook_excludes='io.millrace.gateway.fuzz.**' \
    -artifact_prefix="$kept/$1/" -timeout=30 -max_len=4096 "${options[@]}"
}

failed=0
for kind in "${kinds[@]}"; do
  mkdir -p "$work/$kind" "$work/$kind-small"
  corpus unpack "$kind" "$work/$kind"
  begun=$SECONDS
  if ! jazzer "$kind" -runs="$inputs" -entropic_scale_per_exec_time=1 "$work/$kind" > "$work/log" 2>&1; then
    { grep -v "^INFO: \|^#" "$work/log" || true; } | tail -n 40 >&2
    echo "$kind: FAILED after $((SECONDS - begun)) s; the input is in $kept/$kind" >&2
    failed=1
    continue
  fi
  echo "$kind: $(grep -o 'Done [0-9]* runs' "$work/log" | tr -dc '0-9') inputs in $((SECONDS - begun)) s;" \
    "coverage $(grep -o 'DONE  *cov: [0-9]*' "$work/log" | grep -o '[0-9]*$');" \
    "$(grep -o 'OUTCOMES .*' "$work/log" | cut -d ' ' -f 2-)"
  if [[ -n ${KEEP:-} ]]; then
    jazzer "$kind" -merge=1 "$work/$kind-small" "$work/$kind" > "$work/log" 2>&1
    corpus pack "$work/$kind-small" "$kept/$kind/found.txt"
  fi
done
exit "$failed"
