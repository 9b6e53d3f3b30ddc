#!/usr/bin/env python3
"""What slow readers cost a server: memory, and the speed of another reader.

Opens READERS connections that each GET the same object and read it at RATE bytes a second, waits SECONDS, and prints the
growth of the server's resident memory and the rate of one fast reader, before and during. The server is PID; the object is
PATH (/bucket/key), or SLOW_PATH for the slow ones. Traffic goes to loopback only.

    slow_readers.py --url http://127.0.0.1:9080 --pid 123 --key ACCESS:SECRET --path /bench/64m --readers 1000 --rate 2048
"""
import argparse
import http.client
import pathlib
import re
import selectors
import socket
import ssl
import time

from s3lite import S3

INSECURE = ssl._create_unverified_context()  # a certificate made for the run


def resident_mib(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def head_of(s3, path):
    lines = [f"GET {path} HTTP/1.1"] + [f"{k}: {v}" for k, v in s3.headers("GET", path).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def fast_rate(s3, path):
    """MiB a second of one reader that reads as fast as it can."""
    if s3.scheme == "https":
        connection = http.client.HTTPSConnection(s3.host, s3.port, timeout=120, context=INSECURE)
    else:
        connection = http.client.HTTPConnection(s3.host, s3.port, timeout=120)
    start, size = time.monotonic(), 0
    connection.request("GET", path, headers=s3.headers("GET", path))
    response = connection.getresponse()
    assert response.status == 200, response.status
    while piece := response.read(1 << 20):
        size += len(piece)
    connection.close()
    return size / 2**20 / (time.monotonic() - start)


def median_rate(s3, path, runs=5):
    return sorted(fast_rate(s3, path) for _ in range(runs))[runs // 2]


def open_readers(s3, path, count):
    selector = selectors.DefaultSelector()
    for _ in range(count):
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        reader.connect((s3.host, s3.port))
        if s3.scheme == "https":
            reader = INSECURE.wrap_socket(reader)
        reader.sendall(head_of(s3, path))
        reader.setblocking(False)
        selector.register(reader, selectors.EVENT_READ)
    return selector


def read_slowly(selector, rate, seconds):
    """Lets every reader take RATE bytes a second; returns how many were closed by the server."""
    closed = 0
    for _ in range(seconds):
        tick = time.monotonic()
        for key in list(selector.get_map().values()):
            try:
                if not key.fileobj.recv(rate):
                    closed += 1
                    selector.unregister(key.fileobj)
            except (BlockingIOError, ssl.SSLWantReadError):
                pass
        time.sleep(max(0.0, 1 - (time.monotonic() - tick)))
    return closed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--pid", required=True, type=int)
    parser.add_argument("--key", required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--slow-path", default="")
    parser.add_argument("--readers", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=2048)
    parser.add_argument("--seconds", type=int, default=30)
    args = parser.parse_args()
    s3 = S3(args.url, *args.key.split(":", 1))
    for _ in range(20):
        fast_rate(s3, args.path)
    before, rate_before = resident_mib(args.pid), median_rate(s3, args.path)
    before = max(before, resident_mib(args.pid))
    selector = open_readers(s3, args.slow_path or args.path, args.readers)
    closed = read_slowly(selector, args.rate, args.seconds)
    rate_during = median_rate(s3, args.path)
    closed += read_slowly(selector, args.rate, 3)
    during = resident_mib(args.pid)
    print(f"readers {args.readers} at {args.rate} B/s, closed by the server: {closed}")
    print(f"resident MiB: before {before:.0f}, during {during:.0f}, growth {during - before:.0f}")
    print(f"another reader MiB/s: before {rate_before:.0f}, during {rate_during:.0f}, ratio {rate_during / rate_before:.2f}")


if __name__ == "__main__":
    main()
