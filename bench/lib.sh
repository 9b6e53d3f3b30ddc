# shellcheck shell=bash
# What the scripts here share: a folder that goes, processes that end with the script, a gateway over a computed origin. They
# take the port BENCH_PORT (17272) and the five after it, and make their folder in BENCH_FOLDER.

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

# use_clients: the clients of requirements.txt, installed once, before all others on the PATH.
use_clients() {
  install_python bench requirements.txt
  PATH=${MILLRACE_TOOLS:-$HOME/.cache/millrace-tools}/bench/bin:$PATH
}

# install_python NAME REQUIREMENTS: a virtual environment NAME among the tools, made once.
install_python() {
  (
    # shellcheck source=.ci/lib.sh
    source "$root/.ci/lib.sh"
    install_once "$1" "$bench/$2" python_venv "$1" "$bench/$2"
  )
}

# await URL [PID]: until it answers, for some minutes, since the first start of a gateway also archives its classes; not after the
# process has ended.
await() {
  local until=$((SECONDS + 300))
  while ((SECONDS < until)) && { [[ -z ${2:-} ]] || kill -0 "$2" 2> /dev/null; }; do
    if curl -fs --max-time 10 -o /dev/null "$1"; then return 0; fi
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

# start_versitygw: on $origin_port, over $work/objects-of-versitygw.
start_versitygw() {
  start_versitygw_at "$origin_port" "$work/objects-of-versitygw"
}

# start_versitygw_at PORT FOLDER: with $versitygw_options; sets $versitygw to its process.
start_versitygw_at() {
  local program=${VERSITYGW:-$(command -v versitygw || echo "${MILLRACE_TOOLS:-$HOME/.cache/millrace-tools}/bin/versitygw")}
  mkdir -p "$2"
  ROOT_ACCESS_KEY=benchkey ROOT_SECRET_KEY=benchsecret "$program" --port "127.0.0.1:$1" --health /healthz --quiet --keep-alive "${versitygw_options[@]}" \
    posix "$2" > "$work/versitygw-$1.log" 2>&1 &
  versitygw=$!
  pids+=("$versitygw")
  await "http://127.0.0.1:$1/healthz"
}

# make_objects NAME OBJECTS SIZE: NAME/000/000000 and so on, with the bytes that known.py has for their keys, in the bucket "data" of the
# server on $origin_port, which gives them ETags as it would not to files in its folder. Needs use_clients.
make_objects() {
  make_files "$@"
  s5cmd --log error --endpoint-url "http://127.0.0.1:$origin_port" cp --concurrency 4 "$work/source/$1/*" "s3://data/$1/"
  rm -rf "$work/source"
}

# make_files NAME OBJECTS SIZE: the same as files in $work/source.
make_files() {
  PYTHONPATH=$bench python3 - "$work/source" "$@" << 'PYTHON'
import known, pathlib, sys
folder, name, objects, size = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for number in range(objects):
    key = f"{name}/{number // 1000:03}/{number:06}"
    path = folder / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(known.content(key, size))
PYTHON
}

# settings BACKEND_PORT CACHE_SIZE [CACHE_FOLDER]: the settings file of a gateway whose bucket "data" never changes.
settings() {
  cat > "$work/millrace.yaml" << EOF
s3: { port: $s3_port }
admin: { port: $admin_port }
data: $work/millrace
cache: { disks: [ { path: ${3:-$work/cache}, size: $2 } ] }
backends: { origin: { type: s3, endpoint: "http://127.0.0.1:$1", region: us-east-1, path-style: true, access-key: benchkey, secret-key: benchsecret } }
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
  await "http://127.0.0.1:$admin_port/health" "$gateway"
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

# flip_bits FOLDER COUNT [SEED]: so many bits of the segments that a gateway which has ended left there; the seed is 1.
flip_bits() {
  python3 - "$1" "$2" "${3:-1}" << 'PYTHON'
import pathlib, random, sys
random.seed(int(sys.argv[3]))
segments = sorted(path for path in pathlib.Path(sys.argv[1]).glob("*.seg") if path.stat().st_size)
for _ in range(int(sys.argv[2])):
    with random.choice(segments).open("r+b") as segment:
        segment.seek(0, 2)
        at = random.randrange(segment.tell())
        segment.seek(at)
        byte = segment.read(1)[0]
        segment.seek(at)
        segment.write(bytes([byte ^ 1 << random.randrange(8)]))
print(f"{sys.argv[2]} bits flipped in {len(segments)} segments")
PYTHON
}

# value NAME: of the name=value lines on the input.
value() {
  sed -n "s/^$1=//p"
}

# metric NAME: the sum of a gateway's metric over its labels.
metric() {
  curl -fs "http://127.0.0.1:$admin_port/metrics" | awk -v name="$1" '$1 == name || index($1, name "{") == 1 { sum += $2 } END { printf "%.0f\n", sum }'
}
