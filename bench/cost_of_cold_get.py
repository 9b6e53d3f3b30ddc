#!/usr/bin/env python3
"""What a cold GET costs: a gateway next to nginx proxy_cache with slices of 1 MiB, both in front of one nginx.

    cost_of_cold_get.py [--rounds 3] [--warmup 40000] URL PID KEY:SECRET ORIGIN_PORT SIZE:COUNT...

The origin listens on ORIGIN_PORT, nginx with slices on the next port. Each object is read once, whole, by 16 client threads,
a connection a request, in alternating order. The gateway is read twice, from other objects: as a plain client does, and as
SDKs do by default, with x-amz-checksum-mode. Prints medians of the server's CPU (its children's too) and of the machine's.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

from cost_of_get import cpu_seconds, machine_seconds
from s3lite import S3

UNITS = {"k": 2**10, "m": 2**20}
SDK = "gateway, checksum-mode"
SDK_HEADERS = {"x-amz-checksum-mode": "ENABLED"}


def nginx(folder, port, inner):
    folder.mkdir()
    conf = folder / "conf"
    conf.write_text(f"""daemon off; worker_processes 2; pid {folder}/pid; error_log {folder}/error crit; user root;
events {{ worker_connections 16384; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; client_body_temp_path {folder}/b;
proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
{inner.replace("FOLDER", str(folder)).replace("PORT", str(port))} }}""")
    return subprocess.Popen(["/usr/sbin/nginx", "-c", str(conf), "-p", str(folder)])


def read(client, name, count, size, headers=None):
    def one(number):
        status, _, got = client.call("GET", f"/cold/{name}-{number}", extra=headers)
        assert status == 200 and len(got) == size, (status, len(got), got[:200])

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(one, range(count)))


def measure(client, pid, name, count, size, headers):
    server, machine, began = cpu_seconds(pid), machine_seconds(), time.time()
    read(client, name, count, size, headers)
    seconds = time.time() - began
    return (cpu_seconds(pid) - server) / count * 1e6, (machine_seconds() - machine) / count * 1e6, count / seconds


def compare(targets, base, text, rounds, warmup):
    size, count = text.split(":")
    amount, count = int(size[:-1]) * UNITS[size[-1]], int(count)
    body = os.urandom(amount)
    cost = {name: [] for name in targets}
    for number in range(-1, rounds):
        name, of_this = f"{size}-{number}", warmup if number < 0 else count
        for each in range(of_this):
            (base / f"{name}-{each}").write_bytes(body)
            os.link(base / f"{name}-{each}", base / f"sdk-{name}-{each}")
        order = list(targets.items()) if number % 2 else list(targets.items())[::-1]
        for target, (client, pid) in order:
            sdk = target == SDK
            figures = measure(client, pid, "sdk-" * sdk + name, of_this, amount, SDK_HEADERS if sdk else None)
            if number >= 0:
                cost[target].append(figures)
        for each in range(of_this):
            (base / f"{name}-{each}").unlink()
            (base / f"sdk-{name}-{each}").unlink()
    medians = {name: [statistics.median(x) for x in zip(*rows)] for name, rows in cost.items()}
    for name, (server, machine, rate) in medians.items():
        reference = medians["slices"]
        spread = " ".join(f"{row[0]:.0f}" for row in cost[name])
        print(f"{size:>5} {name:22} server {server:8.0f} us/GET ({spread}) x slices {server / reference[0]:5.2f}"
              f"  machine {machine:8.0f} us/GET x slices {machine / reference[1]:5.2f}  {rate:6.0f} GET/s", flush=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--warmup", type=int, default=40_000, help="GETs of 4 KiB before the first figure")
    for name in ("url", "pid", "key", "port"):
        options.add_argument(name)
    options.add_argument("sizes", nargs="+", metavar="SIZE:COUNT")
    args = options.parse_args()
    base = pathlib.Path(tempfile.mkdtemp(prefix="cold-"))
    os.chmod(base, 0o755)
    objects = base / "www/cold"
    objects.mkdir(parents=True)
    port = int(args.port)
    origin = nginx(base / "origin", port, f"server {{ listen 127.0.0.1:PORT; root {base}/www; }}")
    slices = nginx(base / "slices", port + 1, f"""proxy_cache_path FOLDER/cache keys_zone=c:50m max_size=20g inactive=1d use_temp_path=off;
upstream o {{ server 127.0.0.1:{port}; keepalive 64; }}
server {{ listen 127.0.0.1:PORT; location / {{ slice 1m; proxy_cache c; proxy_cache_key $uri$slice_range; proxy_set_header Range $slice_range;
proxy_http_version 1.1; proxy_set_header Connection ""; proxy_cache_valid 200 206 1h; proxy_pass http://o; }} }}""")
    try:
        time.sleep(1)
        gateway = S3(args.url, *args.key.split(":"))
        targets = {
            "slices": (S3(f"http://127.0.0.1:{port + 1}"), slices.pid),
            "gateway": (gateway, int(args.pid)),
            SDK: (gateway, int(args.pid)),
        }
        for number in range(args.warmup):
            (objects / f"warmup-{number}").write_bytes(bytes(4096))
        read(gateway, "warmup", args.warmup, 4096)
        for each in args.sizes:
            size, count = each.split(":")
            compare(targets, objects, each, args.rounds, min(int(count), 500))
    finally:
        origin.terminate()
        slices.terminate()
        origin.wait()
        slices.wait()
        shutil.rmtree(base, ignore_errors=True)


main()
