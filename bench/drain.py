#!/usr/bin/env python3
"""Reads and writes until SIGTERM, and repeats nothing: a request that was sent must get its whole response. Where no connection is accepted,
or its handshake is not completed, nothing was sent yet, and the client waits. Traffic goes to loopback only.

    drain.py --url https://127.0.0.1:9443 --key ACCESS:SECRET --bucket NAME
"""
import argparse
import collections
import datetime
import hashlib
import http.client
import multiprocessing
import random
import signal
import ssl
import sys
import time

from s3lite import S3

CLIENTS = 12
SIZES = (4 << 10, 256 << 10, 4 << 20)
INSECURE = ssl._create_unverified_context()  # a certificate made for the run


class Client:
    """A client with a connection, objects of its own, and counts."""

    def __init__(self, args, number, stopping):
        self.s3 = S3(args.url, *args.key.split(":", 1))
        self.stopping = stopping
        self.random = random.Random(number)
        self.prefix = f"/{args.bucket}/{number}/"
        self.connection = None
        self.counts = collections.Counter()
        self.failures = []
        self.longest = 0.0

    def connect(self):
        """False if there was no connection until the end."""
        begun = time.monotonic()
        while not self.stopping.is_set():
            connection = http.client.HTTPSConnection(self.s3.host, self.s3.port, timeout=120, context=INSECURE)
            try:
                connection.connect()
                self.connection = connection
                self.longest = max(self.longest, time.monotonic() - begun)
                return True
            except OSError:
                connection.close()
                self.counts["not connected"] += 1
                time.sleep(0.02)
        return False

    def send(self, method, path, body=b""):
        if (not self.connection or not self.connection.sock) and not self.connect():
            return
        try:
            headers = self.s3.headers(method, path, "", hashlib.sha256(body).hexdigest())
            self.connection.request(method, path, body or None, headers)
            response = self.connection.getresponse()
            read = response.read()
            if response.status != 200:
                self.failures.append(f"{method}: {response.status} {read[:200]}")
            elif method == "GET" and len(read) != int(path.rpartition("-")[2]):
                self.failures.append(f"{method}: {len(read)} bytes of {path}")
            self.counts[method] += 1
        except (OSError, http.client.HTTPException) as failure:
            self.failures.append(f"{datetime.datetime.now():%T.%f} {method} of {path}: {failure!r}")
            self.connection.close()

    def run(self):
        for size in SIZES:
            self.send("PUT", f"{self.prefix}read-{size}", self.random.randbytes(size))
        while not self.stopping.is_set():
            size = self.random.choice(SIZES)
            if self.random.random() < 0.2:
                self.send("PUT", f"{self.prefix}written-{size}", self.random.randbytes(size))
            else:
                self.send("GET", f"{self.prefix}read-{size}")


def run(args, number, stopping, results):
    client = Client(args, number, stopping)
    client.run()
    results.put((client.counts, client.failures, client.longest))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--url", "--key", "--bucket"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    stopping, results = multiprocessing.Event(), multiprocessing.Queue()
    clients = [multiprocessing.Process(target=run, args=(args, number, stopping, results)) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    signal.sigwait({signal.SIGTERM})
    stopping.set()
    counts, failures, longest = collections.Counter(), [], 0.0
    for _ in clients:
        more, failed, waited = results.get()
        counts += more
        failures += failed
        longest = max(longest, waited)
    print(f"GETs: {counts['GET']}, PUTs: {counts['PUT']}, failed: {len(failures)}; tries to connect while none listened: "
          f"{counts['not connected']}, the longest wait {longest:.1f} s")
    print(*sorted(failures)[:20], sep="\n")
    sys.exit(1 if failures or not counts["GET"] else 0)


if __name__ == "__main__":
    main()
