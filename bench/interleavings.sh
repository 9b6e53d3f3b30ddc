#!/usr/bin/env bash
# Searches the interleavings of the cache's concurrent classes (Lincheck): says for each scenario how many schedules were tried, from
# which seed, and how long that took. No schedule is tried twice; a scenario with fewer than asked for was searched whole.
#
#   bench/interleavings.sh [SCHEDULES [CLASS]]     10,000 of each scenario of each *Interleavings class, if nothing is said
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=$(mktemp "${TMPDIR:-/tmp}/millrace-interleavings.XXXXXX")
trap 'rm -f "$log"' EXIT

status=0
mvn -B -ntp -Dstyle.color=never -Pinterleavings -pl cache-store -am test-compile surefire:test@interleavings -Dchecks.skip \
  -Dsurefire.failIfNoSpecifiedTests=false -Dtest="${2:-*Interleavings}" -Dmillrace.schedules="${1:-10000}" > "$log" 2>&1 || status=$?
grep -oE 'SCHEDULES .*' "$log" | cut -d ' ' -f 2- || true
if ((status != 0)); then
  grep -nE 'ERROR|AssertionError|FAIL' "$log" | head -n 40 >&2
  cp "$log" cache-store/target/interleavings.log
  echo "FAILED: all of it is in cache-store/target/interleavings.log" >&2
fi
exit "$status"
