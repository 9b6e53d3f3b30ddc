#!/usr/bin/env bash
# Millrace side by side with nginx (static files; proxy_cache with slices of 1 MiB), Varnish and an S3 server itself. Needs nginx,
# varnish, wrk, python3 and versitygw (.ci/origins/versitygw install). Keep the machine idle.
#
#   bench/side.sh warm [OPTION...]          hits by size; options of cost_of_get.py
#   bench/side.sh connections [N...]        hits of 4 KiB by connections: 2 16 256 2000 10000
#   bench/side.sh beside                    the slowest hits while ten large cold objects are read
#   bench/side.sh loadgen                   the load generator next to wrk, and its CPU next to boto3's
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The origin answers a listing, because the load generator asks for one first.
empty='<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bench</Name><Prefix/><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated></ListBucketResult>'
mode=${1:-warm}
shift || true
slices_port=$((s3_port + 3)) varnish_port=$((s3_port + 4)) versitygw_port=$((s3_port + 5)) static_port=$((s3_port + 6))
key=key=benchkey:benchsecret
export AWS_ACCESS_KEY_ID=benchkey AWS_SECRET_ACCESS_KEY=benchsecret

# start_nginx NAME HTTP_BLOCK: sets $nginx to its process.
start_nginx() {
  mkdir -p "$work/$1"
  cat > "$work/$1/nginx.conf" << EOF
worker_processes $(nproc); user root; pid $work/$1/pid; error_log $work/$1.log crit; daemon off;
events { worker_connections 16384; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; open_file_cache max=10000 inactive=600s;
client_body_temp_path $work/$1/b; proxy_temp_path $work/$1/p; fastcgi_temp_path $work/$1/f; uwsgi_temp_path $work/$1/u; scgi_temp_path $work/$1/s;
$2 }
EOF
  nginx -c "$work/$1/nginx.conf" &
  nginx=$!
  pids+=("$nginx")
}

# An origin that has every key bench/SIZE/..., and those that are files in $work/objects.
start_caches() {
  local size
  chmod 755 "$work"
  mkdir -p "$work/objects/bench" "$work/any"
  for size in 4k 64k 256k 1m 16m 256m; do head -c "$(numfmt --from=iec "${size^^}")" /dev/urandom > "$work/any/$size"; done
  start_nginx origin "server { listen 127.0.0.1:$origin_port reuseport; root $work/objects;
    location = /bench { default_type application/xml; return 200 '$empty'; }
    location ~ ^/bench/(?<size>[0-9]+[km])/ { root $work/any; try_files /\$size =404; } }"
  await "http://127.0.0.1:$origin_port/bench"
  start_nginx slices "proxy_cache_path $work/slices/cache keys_zone=c:100m max_size=20g inactive=1d use_temp_path=off;
    upstream o { server 127.0.0.1:$origin_port; keepalive 64; keepalive_requests 1000000000; }
    server { listen 127.0.0.1:$slices_port reuseport; location = /bench { proxy_pass http://o; }
    location / { slice 1m; proxy_cache c; proxy_cache_key \$uri\$slice_range; proxy_set_header Range \$slice_range;
    proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_cache_valid 200 206 1h; proxy_pass http://o; } }"
  slices=$nginx
  cat > "$work/varnish.vcl" << EOF
vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "$origin_port"; }
sub vcl_recv { unset req.http.Authorization; return (hash); }
sub vcl_backend_response { set beresp.ttl = 1h; }
EOF
  varnishd -F -j none -n "$work/varnish" -a "127.0.0.1:$varnish_port" -T none -s malloc,8g -f "$work/varnish.vcl" > "$work/varnish.log" 2>&1 &
  varnish=$!
  pids+=("$varnish")
  settings "$origin_port" 16GiB
  sed -i 's/name: data/name: bench/' "$work/millrace.yaml"
  start_gateway
  await "http://127.0.0.1:$slices_port/bench"
  await "http://127.0.0.1:$varnish_port/bench"
}

warm() {
  start_caches
  start_versitygw_at "$versitygw_port" "$work/objects"
  python3 "$bench/cost_of_get.py" --folder "$work/objects" --nginx-port "$static_port" --seconds 4 --warmup 10 --sizes 4k,64k,1m,16m "$@" \
    "slices=http://127.0.0.1:$slices_port,pid=$slices" "varnish=http://127.0.0.1:$varnish_port,pid=$varnish" \
    "store=http://127.0.0.1:$versitygw_port,pid=$versitygw,$key" "millrace=http://127.0.0.1:$s3_port,pid=$gateway,$key"
}

connections() {
  local count
  ulimit -n "$(ulimit -H -n)"
  start_caches
  (($# > 0)) || set -- 2 16 256 2000 10000
  for count in "$@"; do
    echo "connections: $count"
    python3 "$bench/cost_of_get.py" --folder "$work/objects" --nginx-port "$static_port" --sizes 4k --seconds 4 --warmup 8 --connections "$count" \
      "slices=http://127.0.0.1:$slices_port,pid=$slices" "millrace=http://127.0.0.1:$s3_port,pid=$gateway,$key" | grep -v '^ *size'
  done
}

# slowest PORT LABEL: hits of 4 KiB, 200 a second on a schedule, for 10 s.
slowest() {
  rm -f "$work/slowest.json"
  "$loadgen" bench run --endpoint "http://127.0.0.1:$1" --bucket bench --source file --keys-file "$work/keys" --no-verify --rate 200 -c 16 -d 10s --warm-up 2s \
    --json "$work/slowest.json" > "$work/slowest.log" 2>&1 || true
  python3 -c '
import json, sys
phase = json.load(open(sys.argv[2]))["phases"][0]["operations"][0]
p = phase["whole"]["percentilesMs"]
print("%-36s %6d GETs, %d failed   p50 %7.2f ms   p99 %7.2f ms   p99.9 %7.2f ms" % (sys.argv[1], phase["right"], phase["failed"], p["p50"], p["p99"], p["p99.9"]))' \
    "$2" "$work/slowest.json"
}

# read_all PORT READS: warms the keys.
read_all() {
  "$loadgen" bench run --endpoint "http://127.0.0.1:$1" --bucket bench --source file --keys-file "$work/keys" --no-verify -n "$2" --warm-up 0s > "$work/warm.log" 2>&1 ||
    die "warming port $1 failed: $(tail -n 5 "$work/warm.log")"
}

# The same for nginx with slices, whose clients, origin and cores are the same. Each of the ten readers reads one object after the other.
beside() {
  local round name port reader
  start_caches
  seq -f '4k/small-%04g' 0 999 > "$work/keys"
  read_all "$s3_port" 60000
  read_all "$slices_port" 5000
  for round in 1 2 3; do
    for name in slices millrace; do
      port=$s3_port
      [[ $name == millrace ]] || port=$slices_port
      slowest "$port" "$name $round, alone"
      seq -f "256m/$name-$round-%04g" 0 1999 > "$work/large"
      "$loadgen" bench run --endpoint "http://127.0.0.1:$port" --bucket bench --source file --keys-file "$work/large" --no-verify -c 10 -d 60s --order sequential > "$work/large.log" 2>&1 &
      reader=$!
      pids+=("$reader")
      sleep 2
      slowest "$port" "$name $round, beside ten cold readers"
      kill "$reader" 2> /dev/null || true
      wait "$reader" 2> /dev/null || true
      grep -o 'get .*' "$work/large.log" | tail -1 | awk '{ print "    the ten read " $4 " MiB/s" }'
    done
  done
}

# Over the link each GET takes at least 5 ms, so that both clients wait for it and not for themselves.
loadgen_check() {
  local link_port=$((s3_port + 7)) link
  use_clients
  start_caches
  "$loadgen" link --port "$link_port" --to "$origin_port" --round-trip PT0.005S > "$work/link.log" 2>&1 &
  link=$!
  pids+=("$link")
  await "http://127.0.0.1:$link_port/bench"
  python3 "$bench/agreement.py" "$(command -v python)" "link=http://127.0.0.1:$link_port,pid=$link,$key" \
    "millrace=http://127.0.0.1:$s3_port,pid=$gateway,$key"
}

case $mode in
  warm | connections | beside) "$mode" "$@" ;;
  loadgen) loadgen_check "$@" ;;
  *) die "there are warm, connections, beside and loadgen" ;;
esac
