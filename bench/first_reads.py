"""Reads each key of a file once, signed, over one connection, and prints the milliseconds until the last byte, p50, p99 and mean, and
the reads that the device has completed meanwhile, median and mean. Signatures are computed before the clock starts.

  first_reads.py ENDPOINT KEYS_FILE DEVICE
"""
import http.client
import os
import statistics
import sys
import time

from s3lite import S3

endpoint, keys_file, device = sys.argv[1:]
server = S3(endpoint, os.environ["LOADGEN_ACCESS_KEY"], os.environ["LOADGEN_SECRET_KEY"])
with open(keys_file) as lines:
    paths = [f"/data/{line.strip()}" for line in lines]
requests = [(path, server.headers("GET", path)) for path in paths]


def device_reads():
    with open("/proc/diskstats") as disks:
        return next(int(fields[3]) for fields in map(str.split, disks) if fields[2] == device)


connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
milliseconds, reads = [], []
before = device_reads()
for path, headers in requests:
    began = time.perf_counter()
    connection.request("GET", path, None, headers)
    response = connection.getresponse()
    body = response.read()
    milliseconds.append(1000 * (time.perf_counter() - began))
    now = device_reads()
    reads.append(now - before)
    before = now
    if response.status != 200 or not body or "; hit" not in response.getheader("Cache-Status", ""):
        sys.exit(f"{path} was no hit: {response.status} {response.getheaders()}")
cuts = statistics.quantiles(milliseconds, n=100)
print(f"p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms, mean {statistics.mean(milliseconds):.2f} ms")
print(f"reads of the device a GET: median {statistics.median(reads):g}, mean {statistics.mean(reads):.2f}")
