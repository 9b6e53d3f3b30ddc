# shellcheck shell=bash
# What the scripts here share: a folder that goes, processes that end with the script, a gateway over a computed origin. They
# take the port BENCH_PORT (17272) and the three behind it, and make their folder in BENCH_FOLDER.

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$bench")
work=$(mktemp -d "${BENCH_FOLDER:-${TMPDIR:-/tmp}}/millrace-bench.XXXXXX")
pids=()
loops=()
s3_port=${BENCH_PORT:-17272}
admin_port=$((s3_port + 1)) origin_port=$((s3_port + 2))
loadgen=$bench/loadgen
versitygw_options=()
export LOADGEN_ACCESS_KEY=benchkey LOADGEN_SECRET_KEY=benchsecret

finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT

die() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

"$loadgen" help > /dev/null # builds it

# await URL: until it answers.
await() {
  for _ in $(seq 600); do
    if curl -fs -o /dev/null "$1"; then return 0; fi
    sleep 0.1
  done
  tail -n 5 "$work"/*.log >&2; die "nothing answers at $1"
}

# start_origin PORT [OPTION...]
start_origin() {
  "$loadgen" origin --port "$@" > "$work/origin.log" 2>&1 &
  pids+=($!)
  await "http://127.0.0.1:$1/-/stats"
}

# start_versitygw: with $versitygw_options, on $origin_port, over $work/objects-of-versitygw; sets $versitygw to its process.
start_versitygw() {
  local program=${VERSITYGW:-$(command -v versitygw || echo "${MILLRACE_TOOLS:-$HOME/.cache/millrace-tools}/bin/versitygw")}
  mkdir -p "$work/objects-of-versitygw"
  ROOT_ACCESS_KEY=benchkey ROOT_SECRET_KEY=benchsecret "$program" --port "127.0.0.1:$origin_port" --health /healthz --quiet --keep-alive "${versitygw_options[@]}" \
    posix "$work/objects-of-versitygw" > "$work/versitygw.log" 2>&1 &
  versitygw=$!
  pids+=("$versitygw")
  await "http://127.0.0.1:$origin_port/healthz"
}

# settings BACKEND_PORT CACHE_SIZE [CACHE_FOLDER]: the operator's file of a gateway whose bucket "data" never changes.
settings() {
  cat > "$work/millrace.yaml" << EOF
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: ${3:-$work/cache}, size: $2 } ] }
backends: { origin: { type: s3, endpoint: "http://127.0.0.1:$1", region: us-east-1, path-style: true, access-key: o, secret-key: o } }
buckets: [ { name: data, backend: origin, freshness: { mode: immutable } } ]
identities: [ { name: bench, access-key: benchkey, secret-key: benchsecret, allow: "*" } ]
EOF
}

# start_gateway: sets $gateway to its process, in the control group $group if one is set.
start_gateway() {
  (
    if [[ -n ${group:-} ]]; then echo "$BASHPID" > "$group/cgroup.procs"; fi
    exec "$root/millrace" serve --config "$work/millrace.yaml"
  ) >> "$work/millrace.log" 2>&1 &
  gateway=$!
  pids+=("$gateway")
  await "http://127.0.0.1:$admin_port/health"
}

# make_disk NAME SIZE FILE_SYSTEM [OPTION...]: a file system of its own, mounted at $work/NAME, on a loop device; sets $loop, and adds it to
# $loops for whoever detaches them.
make_disk() {
  truncate -s "$2" "$work/$1.image"
  loop=$(losetup --find --show "$work/$1.image")
  loops+=("$loop")
  "mkfs.$3" -q "${@:4}" "$loop"
  mkdir -p "$work/$1"
  mount "$loop" "$work/$1"
}

# stop_gateway: and wait until it has ended.
stop_gateway() {
  kill "$gateway"
  wait "$gateway" || true
}

# value NAME: of the name=value lines on the input.
value() {
  sed -n "s/^$1=//p"
}

# metric NAME: the sum of a gateway's metric over its labels.
metric() {
  curl -fs "http://127.0.0.1:$admin_port/metrics" | awk -v name="$1" '$1 == name || index($1, name "{") == 1 { sum += $2 } END { printf "%.0f\n", sum }'
}
