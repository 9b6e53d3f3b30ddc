#!/usr/bin/env python3
"""What a reader notices of strangers: GETs of a cached object over TLS beside HEADS connections that send the head of a request by a byte
a second and come back when they are closed, beside IDLE connections that have read once and do nothing, and beside processes that only
handshake; each between two windows without them. The server is PID. Fails if a GET fails, a slow head is not closed, an idle connection is,
a p99 is more than twice that of the windows around it, or a connection costs more than 64 KiB of resident memory. The processes that
handshake have a low priority, since they would have a machine of their own. Traffic goes to loopback only.

    people.py --url https://127.0.0.1:9443 --plain-port 9080 --pid 123 --key ACCESS:SECRET --path /bucket/key
"""
import argparse
import http.client
import multiprocessing
import os
import pathlib
import re
import socket
import ssl
import sys
import time

from s3lite import S3

FLOODS = 2
MOST = 2.0  # times the p99 of the quiet windows
KIB_A_CONNECTION = 64
INSECURE = ssl._create_unverified_context()  # a certificate made for the run


def resident_mib(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) // 1024


def read(args, seconds, results):
    """Reads one object after the other, and says how long each took."""
    s3 = S3(args.url, *args.key.split(":", 1))
    size = int(args.path.rpartition("/")[2])
    connection = http.client.HTTPSConnection(s3.host, s3.port, timeout=60, context=INSECURE)
    times, failures = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begun = time.monotonic()
        try:
            connection.request("GET", args.path, headers=s3.headers("GET", args.path))
            response = connection.getresponse()
            body = response.read()
            if response.status != 200 or len(body) != size:
                failures.append(f"{response.status}, {len(body)} bytes")
        except (OSError, http.client.HTTPException) as failure:
            failures.append(repr(failure))
            connection.close()
        times.append(time.monotonic() - begun)
    results.put((sorted(times), failures))


def flood(args, seconds, results):
    """Handshakes as often as it can."""
    os.nice(10)
    s3 = S3(args.url)
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.create_connection((s3.host, s3.port)) as plain, INSECURE.wrap_socket(plain):
            count += 1
    results.put(count)


class Strangers:
    """Connections to the plain port, each with what it has sent at first."""

    def __init__(self, port, count, first):
        self.port, self.first = port, first
        self.open = {}
        self.closed, self.longest = 0, 0.0
        for _ in range(count):
            self.connect()

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall(self.first)
        connection.setblocking(False)
        self.open[connection] = time.monotonic()

    def tick(self, more, come_back=False):
        """Sends some more, and forgets those that the server has closed, or connects as many again."""
        for connection, since in list(self.open.items()):
            try:
                if more:
                    connection.send(more)
                closed = connection.recv(65536) == b""
            except BlockingIOError:
                closed = False
            except OSError:
                closed = True
            if closed:
                self.longest = max(self.longest, time.monotonic() - since)
                self.closed += 1
                connection.close()
                del self.open[connection]
                if come_back:
                    self.connect()

    def close(self):
        for connection in self.open:
            connection.close()


def beside(args, name, tick=lambda: None, processes=0):
    """Reads while the strangers are there; returns the p99 in ms, what the processes counted, and whether no GET failed."""
    results, counted = multiprocessing.Queue(), multiprocessing.Queue()
    running = [multiprocessing.Process(target=read, args=(args, args.seconds, results))]
    running += [multiprocessing.Process(target=flood, args=(args, args.seconds, counted)) for _ in range(processes)]
    for process in running:
        process.start()
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        tick()
        time.sleep(1)
    times, failures = results.get()
    total = sum(counted.get() for _ in range(processes))
    for process in running:
        process.join()
    quantiles = ", ".join(f"p{share} {1000 * times[len(times) * share // 100]:.1f}" for share in (50, 99))
    print(f"{name}: {len(times)} GETs, {quantiles}, max {1000 * times[-1]:.0f} ms, {len(failures)} failed; {resident_mib(args.pid)} MiB resident",
          *sorted(set(failures))[:5], sep="\n  ", flush=True)
    return 1000 * times[len(times) * 99 // 100], total, not failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--url", "--key", "--path"):
        parser.add_argument(name, required=True)
    for name in ("--plain-port", "--pid"):
        parser.add_argument(name, required=True, type=int)
    parser.add_argument("--heads", type=int, default=5000)
    parser.add_argument("--idle", type=int, default=10000)
    parser.add_argument("--seconds", type=int, default=20)
    args = parser.parse_args()
    beside(args, "warming up")
    quiet, fine = [], []

    def alone():
        p99, _, right = beside(args, "alone")
        quiet.append(p99)
        fine.append(right)
        return resident_mib(args.pid)

    def judge(p99, right, before=0, connections=0):
        """Compares with the windows before and after."""
        most = resident_mib(args.pid)
        alone()
        ratio = p99 / (sum(quiet[-2:]) / 2)
        each = max(0, most - before) * 1024 / connections if connections else 0
        print(f"  p99 {ratio:.2f} x of that alone" + (f", {each:.1f} KiB of resident memory a connection" if connections else ""), flush=True)
        fine.extend([right, ratio <= MOST, each <= KIB_A_CONNECTION])

    before = alone()
    heads = Strangers(args.plain_port, args.heads, b"GET /data/x HTTP/1.1\r\nx-slow: ")
    p99, _, right = beside(args, f"{args.heads} slow heads", lambda: heads.tick(b"a", come_back=True))
    # The limit is far beyond that of a head.
    end = time.monotonic() + 120
    while heads.open and time.monotonic() < end:
        heads.tick(b"a")
        time.sleep(1)
    print(f"  closed by the server: {heads.closed}, after {heads.longest:.0f} s at the latest")
    fine.append(not heads.open)
    heads.close()
    judge(p99, right, before, args.heads)
    before = resident_mib(args.pid)
    idle = Strangers(args.plain_port, args.idle, b"HEAD / HTTP/1.1\r\nhost: x\r\n\r\n")
    p99, _, right = beside(args, f"{args.idle} idle connections", lambda: idle.tick(b""))
    print(f"  closed by the server: {idle.closed}")
    fine.append(idle.closed == 0)
    idle.close()
    judge(p99, right, before, args.idle)
    p99, count, right = beside(args, f"{FLOODS} processes that handshake", processes=FLOODS)
    print(f"  {count / args.seconds:.0f} handshakes a second")
    judge(p99, right)
    sys.exit(0 if all(fine) else 1)


if __name__ == "__main__":
    main()
