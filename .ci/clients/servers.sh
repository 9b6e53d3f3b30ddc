# The servers of a run: the origin with the data set in it, and Millrace in front of it. Sourced by run.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the settings of the clients are exported by run
: "${tools:?}" "${clients:?}" "${work:?}"

ORIGIN_ACCESS_KEY=origin-admin
ORIGIN_SECRET_KEY=origin-secret
DATASET=dataset
# With --prefix: the one bucket at the origin that holds all others, each below a prefix of its own.
WHOLE=whole
REGION=us-east-1

# start_origin NAME: sets EXPECTED, and origin_endpoint unless the origin is the file backend.
start_origin() {
  EXPECTED=$work/dataset
  origin_endpoint=
  if [[ $1 == file ]]; then
    start_file_origin
    return
  fi
  origin_endpoint=$(ACCESS_KEY=$ORIGIN_ACCESS_KEY SECRET_KEY=$ORIGIN_SECRET_KEY "$clients/../origins/$1" start "$work/$1") ||
    return
  local bucket=$DATASET below=
  [[ -z $prefix ]] || bucket=$WHOLE below=teams/$DATASET/
  ENDPOINT=$origin_endpoint ACCESS_KEY=$ORIGIN_ACCESS_KEY SECRET_KEY=$ORIGIN_SECRET_KEY REGION=$REGION BUCKET=$bucket PREFIX=$below \
    "$tools/python/bin/python" -B "$clients/dataset.py" upload "$work/dataset"
}

# Plain files, put there by hand: nobody told anything of their metadata.
start_file_origin() {
  EXPECTED=$work/plain
  mkdir -p "$EXPECTED"
  cp "$work"/dataset/{objects,ranges}.tsv "$EXPECTED"
  : >"$EXPECTED/metadata.tsv"
  cp -al "$work/dataset/tree" "$EXPECTED/tree"
  local at=$work/file/$DATASET
  [[ -z $prefix ]] || at=$work/file/$WHOLE/teams/$DATASET
  mkdir -p "$(dirname "$at")"
  cp -al "$work/dataset/tree" "$at"
}

stop_origin() {
  if [[ $1 != file ]]; then
    "$clients/../origins/$1" stop "$work/$1"
  fi
}

# start_millrace ORIGIN: sets ENDPOINT, ACCESS_KEY and SECRET_KEY to what clients of it use.
start_millrace() {
  local port backend cache=
  port=$(free_port 1)
  admin_port=$(free_port 1)
  ENDPOINT=http://127.0.0.1:$port ACCESS_KEY=millrace-client SECRET_KEY=millrace-secret
  [[ -z $cached ]] || cache="cache: { disks: [ { path: ./cache-$1, size: 4GiB } ] }"
  backend="type: file, path: ./file"
  if [[ $1 != file ]]; then
    backend="type: s3, endpoint: '$origin_endpoint', region: $REGION, path-style: true"
    backend+=", access-key: $ORIGIN_ACCESS_KEY, secret-key: $ORIGIN_SECRET_KEY"
  fi
  cat >"$work/millrace.yaml" <<END
s3:    { address: 127.0.0.1, port: $port }
admin: { address: 127.0.0.1, port: $admin_port }
data: ./millrace-$1
backends:
  origin: { $backend }
buckets:
$(views)
  - { name: "*", backend: origin }
$cache
identities:
  - { name: client, access-key: $ACCESS_KEY, secret-key: $SECRET_KEY, allow: [ "*" ] }
END
  "$clients/../../millrace" serve --config "$work/millrace.yaml" >"$work/millrace.log" 2>&1 &
  echo $! >"$work/millrace.pid"
  # Minutes, because the script builds when there is nothing built yet.
  wait_ready "http://127.0.0.1:$admin_port/health" "$!" 600 "$work/millrace.log"
}

# An entry for each bucket that is a prefix of another; nothing without --prefix.
views() {
  [[ -n $prefix ]] || return 0
  local name
  for name in "$DATASET" "${writing[@]/#/written-}"; do
    echo "  - { name: $name, backend: origin, bucket: $WHOLE, prefix: teams/$name/ }"
  done
}

# bucket make | judge: the bucket that a client writes to.
bucket() {
  local behind=()
  if [[ $direct == no && -n $origin_endpoint ]]; then
    behind=(ORIGIN_ENDPOINT="$origin_endpoint" ORIGIN_ACCESS_KEY="$ORIGIN_ACCESS_KEY" ORIGIN_SECRET_KEY="$ORIGIN_SECRET_KEY")
    [[ -z $prefix ]] || behind+=(ORIGIN_BUCKET="$WHOLE" ORIGIN_PREFIX="teams/$BUCKET/")
  elif [[ $direct == no ]]; then
    behind=(ORIGIN_FOLDER="$work/file/${prefix:+$WHOLE/teams/}$BUCKET" ${prefix:+ORIGIN_PREFIX=teams/})
  fi
  env "${behind[@]}" "$tools/python/bin/python" -B "$clients/written.py" "$1"
}

stop_millrace() { stop_by_pid_file "$work/millrace.pid"; }
