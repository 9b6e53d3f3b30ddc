#!/usr/bin/env bash
# Says whether a hit has become dearer: server CPU of warm GETs as multiples of nginx, beside the figures of bench/guard.txt, in less than
# three minutes. Fails if one is more than a fifth above. Needs nginx, wrk and python3, and an idle machine.
#
#   bench/guard.sh             compares
#   bench/guard.sh --commit    writes what it measures to bench/guard.txt
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

figures=guard.txt
measured=$(mktemp "${TMPDIR:-/tmp}/millrace-guard.XXXXXX")
trap 'rm -f "$measured"' EXIT

./warm.sh --sizes 4k,64k --seconds 5 --rounds 2 --warmup 25 | tee >(cat >&2) |
  awk '$2 == "millrace" { printf "%s %s %s\n", $1, $4, $6 }' > "$measured"
[[ $(wc -l < "$measured") == 2 ]] || { echo "guard.sh: warm.sh printed no figures" >&2; exit 1; }

if [[ ${1:-} == --commit ]]; then
  { echo "# size, server CPU and machine CPU of a GET as multiples of nginx: see guard.sh"; cat "$measured"; } > "$figures"
  exit
fi
awk '
  /^#/ { next }
  NR == FNR { server[$1] = $2; machine[$1] = $3; next }
  {
    dearer = $2 > 1.2 * server[$1]
    printf "%-4s server %.2f x nginx, %.2f committed; machine %.2f, %.2f committed%s\n",
      $1, $2, server[$1], $3, machine[$1], dearer ? "   DEARER" : ""
    failed = failed || dearer
  }
  END { exit failed }' "$figures" "$measured"
