#!/usr/bin/env python3
"""Compares the load generator with wrk on the same endpoints and keys, and its CPU a GET with that of boto3.

    agreement.py PYTHON_WITH_BOTO3 NAME=URL,pid=PID,key=ACCESS:SECRET...

The servers are on the first core and the clients on the second, so that a client's appetite does not slow the server. Wrk sends
requests that were signed before; the load generator signs each.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from cost_of_get import Target, family

LOADGEN = pathlib.Path(__file__).parent / "loadgen"
SECONDS, ROUNDS = 5, 3
CLIENT = ["taskset", "-c", "1"]
MILLIS = {"us": 1e-3, "ms": 1, "s": 1e3}

BOTO3 = """
import boto3, concurrent.futures, sys, time
from botocore.config import Config
url, access, secret, keys, count = sys.argv[1], sys.argv[2], sys.argv[3], open(sys.argv[4]).read().split(), int(sys.argv[5])
client = boto3.client("s3", endpoint_url=url, aws_access_key_id=access, aws_secret_access_key=secret, region_name="us-east-1",
                      config=Config(max_pool_connections=16, s3={"addressing_style": "path"}, response_checksum_validation="when_required"))
def read(n):
    client.get_object(Bucket="bench", Key=keys[n % len(keys)])["Body"].read()
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    list(pool.map(read, range(500)))
    cpu, start = time.process_time(), time.time()
    list(pool.map(read, range(count)))
    print((time.process_time() - cpu) / count, count / (time.time() - start))
"""


def wrk(target, script, connections, seconds):
    """(GETs a second, median ms)"""
    out = subprocess.run([*CLIENT, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(script),
                          f"http://{target.s3.host}:{target.s3.port}/"], capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in out and "Socket errors" not in out, out
    median, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", out).groups()
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), float(median) * MILLIS[unit]


def loadgen(target, keys, folder, connections):
    """(GETs a second, median ms, CPU of the client in us a GET)"""
    result = pathlib.Path(folder, "result.json")
    subprocess.run([*CLIENT, LOADGEN, "bench", "run", "--endpoint", f"http://{target.s3.host}:{target.s3.port}", "--bucket", "bench",
                    "--keys-file", keys, "--threads", "1", "--no-verify", "--warm-up", "7s", "-d", f"{SECONDS}s", "-c", str(connections),
                    "--json", result], check=True, capture_output=True)
    phase = json.loads(result.read_text())["phases"][0]
    gets = phase["operations"][0]
    return gets["right"] / phase["seconds"], gets["whole"]["percentilesMs"]["p50"], 1e6 * phase["clientCpuSeconds"] / gets["right"]


def both(target, size, connections, keys, script, folder):
    wrk(target, script, connections, 6)
    rounds = [(*wrk(target, script, connections, SECONDS), *loadgen(target, keys, folder, connections)) for _ in range(ROUNDS)]
    wrk_rate, wrk_ms, rate, ms, cpu = (statistics.median(column) for column in zip(*rounds))
    ratios = [own / other for other, _, own, _, _ in rounds]
    print(f"{size:>4} {target.name:<9} {connections:>3} connections  GETs/s: wrk {wrk_rate:7.0f}, loadgen {rate:7.0f}, ratio {statistics.median(ratios):.2f} "
          f"({' '.join(f'{ratio:.2f}' for ratio in ratios)})  median ms: wrk {wrk_ms:.3f}, loadgen {ms:.3f}  loadgen CPU {cpu:.1f} us/GET", flush=True)
    return cpu


def main():
    python, targets = sys.argv[1], [Target(spec) for spec in sys.argv[2:]]
    for target in targets:
        for pid in family(target.pid):
            subprocess.run(["taskset", "-apc", "0", str(pid)], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        keys = pathlib.Path(folder, "keys")
        for size, connections in (("4k", 1), ("4k", 16), ("4k", 64), ("64k", 16), ("1m", 16)):
            names = [f"{size}/same-{n:03}" for n in range(200)]
            keys.write_text("\n".join(names))
            for target in targets:
                cpu = both(target, size, connections, keys, target.script(names, folder), folder)
            if connections == 16 and size != "1m":
                target = targets[-1]
                url, access, secret = f"http://{target.s3.host}:{target.s3.port}", target.s3.access_key, target.s3.secret_key
                cost, rate = map(float, subprocess.run([*CLIENT, python, "-c", BOTO3, url, access, secret, keys, "3000"], check=True,
                                                       capture_output=True, text=True).stdout.split())
                print(f"{size:>4} {target.name:<9} boto3 {1e6 * cost:.0f} us/GET, {rate:.0f}/s; loadgen takes {cpu / 1e6 / cost:.3f} of its CPU", flush=True)


if __name__ == "__main__":
    main()
