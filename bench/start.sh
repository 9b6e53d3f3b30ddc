#!/usr/bin/env bash
# How long a start takes until S3 and the control port answer, and how long a command takes: idle, and while wrk keeps all cores busy
# with requests. Needs wrk, and an idle machine.
#
#   bench/start.sh [STARTS]    5; PROGRAM names another script millrace than the checkout's, such as that of an unpacked tarball
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

starts=${1:-5}
program=${PROGRAM:-$root/millrace}
settings "$origin_port" 1GiB
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret MILLRACE_ENDPOINT_URL="http://127.0.0.1:$admin_port"

# milliseconds COMMAND...: how long it takes.
milliseconds() {
  local begun
  begun=$(date +%s%N)
  "$@" > /dev/null
  echo $((($(date +%s%N) - begun) / 1000000))
}

# listen: starts the gateway and waits for both ports.
listen() {
  "$program" serve --config "$work/millrace.yaml" >> "$work/millrace.log" 2>&1 &
  gateway=$!
  pids+=("$gateway")
  until curl -s -o /dev/null "http://127.0.0.1:$s3_port/" && curl -fs -o /dev/null "http://127.0.0.1:$admin_port/health"; do sleep 0.02; done
}

listen
stop_gateway
for _ in $(seq "$starts"); do
  begun=$(date +%s%N)
  listen
  echo "both ports answer after $((($(date +%s%N) - begun) / 1000000)) ms; $(awk '{ sub(/.*\) /, ""); print ($12 + $13) / 100 }' "/proc/$gateway/stat") s of CPU without the launcher"
  stop_gateway
done
listen
for _ in $(seq "$starts"); do echo "jobs list, idle: $(milliseconds "$program" jobs list) ms"; done
wrk -t 2 -c 64 -d 60 "http://127.0.0.1:$s3_port/data/nothing" > /dev/null &
pids+=($!)
sleep 2
for _ in $(seq "$starts"); do echo "jobs list, under load: $(milliseconds "$program" jobs list) ms"; done
