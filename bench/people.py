#!/usr/bin/env python3
"""What a reader notices of strangers: GETs of a cached object over TLS, alone, then beside HEADS connections that send the head of a
request by a byte a second, beside IDLE connections that have read once and do nothing, and beside processes that only handshake. The server
is PID. Fails if a GET fails, a slow head is not closed, or an idle connection is. Traffic goes to loopback only.

    people.py --url https://127.0.0.1:9443 --plain-port 9080 --pid 123 --key ACCESS:SECRET --path /bucket/key
"""
import argparse
import http.client
import multiprocessing
import pathlib
import re
import socket
import ssl
import sys
import time

from s3lite import S3

FLOODS = 2
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
    s3 = S3(args.url)
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.create_connection((s3.host, s3.port)) as plain, INSECURE.wrap_socket(plain):
            count += 1
    results.put(count)


class Strangers:
    """Connections to the plain port, each with what it has sent at first."""

    def __init__(self, port, count, first):
        self.open = {}
        self.longest = 0.0
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(first)
            connection.setblocking(False)
            self.open[connection] = time.monotonic()

    def tick(self, more):
        """Sends some more, and forgets those that the server has closed."""
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
                connection.close()
                del self.open[connection]

    def close(self):
        for connection in self.open:
            connection.close()


def beside(args, name, tick=lambda: None, processes=0):
    """Reads while the strangers are there; returns what the processes counted, and whether no GET failed."""
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
    return total, not failures


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
    fine = []

    _, right = beside(args, "alone")
    fine.append(right)
    heads = Strangers(args.plain_port, args.heads, b"GET /data/x HTTP/1.1\r\nx-slow: ")
    _, right = beside(args, f"{args.heads} slow heads", lambda: heads.tick(b"a"))
    # The last of them were begun just before; the limit is far beyond that of a head.
    end = time.monotonic() + 120
    while heads.open and time.monotonic() < end:
        heads.tick(b"a")
        time.sleep(1)
    print(f"  closed by the server: {args.heads - len(heads.open)}, after {heads.longest:.0f} s at the latest")
    fine += [right, not heads.open]
    heads.close()
    idle = Strangers(args.plain_port, args.idle, b"HEAD / HTTP/1.1\r\nhost: x\r\n\r\n")
    _, right = beside(args, f"{args.idle} idle connections", lambda: idle.tick(b""))
    print(f"  closed by the server: {args.idle - len(idle.open)}")
    fine += [right, len(idle.open) == args.idle]
    idle.close()
    count, right = beside(args, f"{FLOODS} processes that handshake", processes=FLOODS)
    print(f"  {count / args.seconds:.0f} handshakes a second")
    fine.append(right)
    sys.exit(0 if all(fine) else 1)


if __name__ == "__main__":
    main()
