#!/usr/bin/env python3
"""What a crowd leaves to others: times and failures of another identity's requests while the crowd holds what it can get.

    shares.py table --url http://127.0.0.1:9080 --admin http://127.0.0.1:9081 --pid 123 --seconds 12 --part 1
    shares.py silent PORT       a server that takes connections and never answers
"""
import argparse
import asyncio
import collections
import itertools
import multiprocessing
import pathlib
import re
import socket
import sys
import threading
import time
import urllib.request

from s3lite import S3

MIB = 1 << 20
LARGE = 64 * MIB
CROWD = ("crowdkey", "crowdsecret")
OTHER = ("benchkey", "benchsecret")

# What the crowd does, how many it is, where it and the others go, and what those do there.
SCENARIOS = [
    ("unsigned readers that take nothing", "hold", 4150, "data", None, "data", ("GET", "PUT", "LIST")),
    ("readers of one identity that take nothing, type http", "hold", 530, "web", CROWD, "web", ("GET",)),
    ("PUTs of a byte a second", "drip", 300, "data", CROWD, "data", ("GET", "PUT", "LIST")),
    ("cold readers of one identity, max-requests 16", "read", 600, "narrow", CROWD, "narrow", ("GET", "PUT", "LIST")),
    ("cold readers of one identity", "read", 3500, "data", CROWD, "data", ("GET", "PUT", "LIST")),
    ("readers of a backend that hangs", "read", 200, "silent", CROWD, "data", ("GET", "PUT", "LIST")),
]


def request(s3, method, path, length=0, **extra):
    payload = {"payload_sha256": "UNSIGNED-PAYLOAD"} if method == "PUT" else {}
    headers = s3.headers(method, path, extra={name.replace("_", "-"): value for name, value in extra.items()}, **payload)
    lines = [f"{method} {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers.items()]
    if length:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def connect(s3, small):
    own = socket.socket()
    if small:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    own.connect((s3.host, s3.port))
    return own


def crowd(url, key, kind, count, bucket, begun, over, statuses):
    """A process of its own, so that it does not slow down those who measure."""
    s3 = S3(url, *(key or ()))
    seen = collections.Counter()
    if kind == "read":
        asyncio.run(readers(s3, count, bucket, begun, over, seen))
    else:
        drip = kind == "drip"
        held = []
        for number in range(count):
            one = connect(s3, True)
            one.sendall(request(s3, "PUT", f"/{bucket}/drip-{number}", MIB) if drip
                        else request(s3, "GET", f"/{bucket}/held/{LARGE}", Cache_Control="no-store"))
            held.append(one)
        begun.set()
        while not over.wait(1):
            for one in held if drip else ():
                try:
                    one.send(b"s")
                except OSError:
                    pass
        for one in held:
            one.setblocking(False)
            try:
                seen[one.recv(12)[9:12].decode() or "closed"] += 1
            except BlockingIOError:
                seen["none"] += 1
            except OSError:
                seen["closed"] += 1
            one.close()
    statuses.put(dict(seen))


async def readers(s3, count, bucket, begun, over, seen):
    numbers = itertools.count()

    async def reader():
        while not over.is_set():
            path = f"/{bucket}/crowd-{time.time_ns()}-{next(numbers)}/{MIB}"
            try:
                source, sink = await asyncio.open_connection(s3.host, s3.port)
                sink.write(request(s3, "GET", path, Connection="close"))
                head = await source.readuntil(b"\r\n\r\n")
                while await source.read(MIB):
                    pass
                seen[head[9:12].decode()] += 1
                sink.close()
            except (OSError, asyncio.IncompleteReadError):
                seen["closed"] += 1

    async def watch():
        begun.set()
        while not over.is_set():
            await asyncio.sleep(0.2)

    all_of_them = [asyncio.create_task(reader()) for _ in range(count)]
    await watch()
    for one in all_of_them:
        one.cancel()
    await asyncio.gather(*all_of_them, return_exceptions=True)


def measure(url, bucket, operations, seconds):
    """By operation the times and the failures of another identity, one request at a time each."""
    results = {operation: ([], []) for operation in operations}

    def work(operation):
        s3, (times, failures) = S3(url, *OTHER), results[operation]
        until = time.monotonic() + seconds
        for number in itertools.count():
            if time.monotonic() > until:
                return
            stamp, begin = f"{time.time_ns()}-{number}", time.monotonic()
            try:
                if operation == "GET":
                    status = s3.call("GET", f"/{bucket}/other-{stamp}/102400")[0]
                elif operation == "PUT":
                    status = s3.call("PUT", f"/{bucket}/new-{stamp}", b"s" * 1000)[0]
                else:
                    status = s3.call("GET", f"/{bucket}", query=f"list-type=2&prefix={stamp}")[0]
            except OSError as failure:
                status = failure
            times.append(time.monotonic() - begin)
            if status != 200:
                failures.append(status)
            time.sleep(0.02)

    workers = [threading.Thread(target=work, args=(operation,)) for operation in operations]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return results


def percentile(times):
    return sorted(times)[int(len(times) * 0.99)] * 1000 if times else 0


def resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) // 1024


def gauge(admin, name):
    with urllib.request.urlopen(f"{admin}/metrics", timeout=30) as response:
        lines = response.read().decode().splitlines()
    return int(sum(float(line.split()[-1]) for line in lines if line.startswith(name + "{")))


def table(args):
    measure(args.url, "data", ("GET", "PUT", "LIST"), args.seconds)  # warms the machine up
    failed = 0
    print(f"{'crowd':58} {'others':6} {'p99 ms alone':>12} {'beside it':>10} {'requests':>9} {'failed':>7} {'RSS MiB':>12} "
          "{:>8}  crowd's responses".format("streams"))
    for name, kind, count, where, key, bucket, operations in SCENARIOS:
        count = max(1, count // args.part)
        alone, before = measure(args.url, bucket, operations, args.seconds / 2), resident(args.pid)
        begun, over, statuses = multiprocessing.Event(), multiprocessing.Event(), multiprocessing.Queue()
        process = multiprocessing.Process(target=crowd, args=(args.url, key, kind, count, where, begun, over, statuses))
        process.start()
        begun.wait()
        beside = measure(args.url, bucket, operations, args.seconds)
        streams, during = gauge(args.admin, "millrace_backend_client_streams"), resident(args.pid)
        over.set()
        answered = statuses.get()
        process.join()
        for operation in operations:
            times, failures = beside[operation]
            failed += len(failures)
            print(f"{f'{count} {name}':58} {operation:6} {percentile(alone[operation][0]):12.0f} {percentile(times):10.0f} "
                  f"{len(times):9} {len(failures):7} {f'{before} > {during}':>12} {streams:8}  {answered} "
                  f"{collections.Counter(map(str, failures)) if failures else ''}", flush=True)
        time.sleep(3)
    down = gauge(args.admin, "millrace_backend_down")
    print(f"requests of others that failed: {failed}; backends down: {down} (the one that hangs)")
    return 1 if failed else 0


def silent(port):
    server = socket.create_server(("127.0.0.1", port), backlog=1024)
    kept = []
    while True:
        kept.append(server.accept()[0])


def main():
    if sys.argv[1:2] == ["silent"]:
        silent(int(sys.argv[2]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("table",))
    parser.add_argument("--url", required=True)
    parser.add_argument("--admin", required=True)
    parser.add_argument("--pid", required=True, type=int)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--part", type=int, default=1)
    sys.exit(table(parser.parse_args()))


if __name__ == "__main__":
    main()
