#!/usr/bin/env bash
# Kills the gateway under load, starts it again, and reads what clients had got by then: it must start by itself, and not one
# byte may be wrong. What was read a second before the kill has been written by then, and at least 99 % of it must be hits; what
# came later may have been in memory only. Objects are computed: small, of one block, and of several.
#
# SEED=N chooses when to kill. STORED=yes is for a disk of unknown speed, which may not have taken all that was read: then the gateway's
# own count of what it had written two seconds before the kill is what must be hits, HITS of it (0.99).
#
#   bench/kill.sh [KILLS]
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kills=${1:-50}
RANDOM=${SEED:=$RANDOM}
echo "seed $SEED"
url=http://127.0.0.1:$s3_port/data
sizes=(4KiB 300KiB 1MiB 3MiB)
read_total=0 stored_total=0 hit_total=0 slowest=0

# reread KEYS: how many of these objects are hits; dies of a wrong byte.
reread() {
  if [[ ! -s $1 ]]; then
    echo 0
    return
  fi
  # What was stored since this start, by reads of the objects before.
  earlier=$(metric millrace_cache_stored_bytes_total)
  "$loadgen" read --url "$url" --keys "$1" --workers 16 > "$work/again" || die "not right: $(cat "$work/again")"
  value hits < "$work/again"
}

start_origin "$origin_port"
settings "$origin_port" 6GiB
start_gateway

for kill in $(seq "$kills"); do
  size=${sizes[$((kill % ${#sizes[@]}))]}
  # What was stored since this start, by reads of the objects before.
  earlier=$(metric millrace_cache_stored_bytes_total)
  "$loadgen" read --url "$url" --name "kill-$kill" --objects 100000 --size "$size" --workers 16 --stop-at-failure \
    --completed "$work/completed" > "$work/load" &
  load=$!
  # A machine with other work may take its time for the first objects, more of them than there are workers.
  bytes=$(numfmt --from=iec-i --suffix=B "$size") && bytes=${bytes%B}
  until [[ $(metric millrace_cache_stored_bytes_total) -ge $((earlier + 32 * bytes)) ]] || ! kill -0 "$load" 2> /dev/null; do sleep 0.2; done
  sleep "$((1 + RANDOM % 4)).$((RANDOM % 10))"
  stored=$((($(metric millrace_cache_stored_bytes_total) - earlier) / bytes))
  # The metadata of what is stored follows it.
  sleep 2
  killed=$(date +%s%3N)
  kill -9 "$gateway"
  wait "$load" || die "the load ended with a wrong byte: $(cat "$work/load")"
  awk -v until="$((killed - 1000))" '$1 <= until { print $2 }' "$work/completed" > "$work/early"
  awk -v from="$((killed - 1000))" '$1 > from { print $2 }' "$work/completed" > "$work/late"

  begun=$(date +%s%N)
  start_gateway
  took=$((($(date +%s%N) - begun) / 1000000))
  completed=$(wc -l < "$work/early")
  hits=$(reread "$work/early")
  late_hits=$(reread "$work/late")
  echo "kill $kill: $size; read before: $completed, hits: $hits; stored before: $stored; in the last second:" \
    "$(wc -l < "$work/late"), hits: $late_hits; started in $took ms"
  read_total=$((read_total + completed)) hit_total=$((hit_total + hits))
  stored_total=$((stored_total + (stored < completed ? stored : completed)))
  slowest=$((took > slowest ? took : slowest))
done
echo "objects read before: $read_total, hits after: $hit_total, wrong bytes: none, slowest start: $slowest ms"
if [[ ${STORED:-} ]]; then all=$stored_total; else all=$read_total; fi
awk -v hits="$hit_total" -v all="$all" -v share="${HITS:-0.99}" 'BEGIN { exit !(all > 0 && hits >= share * all) }' ||
  die "hits were less than ${HITS:-0.99} of all"
