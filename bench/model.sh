#!/usr/bin/env bash
# Holds the store on disks against a model that knows every byte: puts, reads, evictions, stops, kills, power cuts, damage, disks that
# leave and come back, at random. Says how many operations and starts it was; a mistake names its seed.
#
#   bench/model.sh [ROUNDS [SEED]]     600 rounds from seed 1000, if nothing is said; 1 SEED repeats a round
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=$(mktemp "${TMPDIR:-/tmp}/millrace-model.XXXXXX")
trap 'rm -f "$log"' EXIT

status=0
mvn -B -ntp -Dstyle.color=never -pl cache-store -am test -Dchecks.skip -Dsurefire.failIfNoSpecifiedTests=false \
  -Dtest='StoreModelTest#*ManyRounds' -Plong \
  -Dmillrace.model.rounds="${1:-600}" -Dmillrace.model.seed="${2:-1000}" > "$log" 2>&1 || status=$?
grep -oE 'MODEL .*' "$log" | cut -d ' ' -f 2- || true
if ((status != 0)); then
  grep -E 'ERROR|seed [0-9]' "$log" | head -n 20 >&2
fi
exit "$status"
