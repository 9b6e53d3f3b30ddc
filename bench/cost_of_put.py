#!/usr/bin/env python3
"""What a PUT costs a server: CPU per GiB or per object, side by side with other ways to the same place in one run.

Each TARGET is NAME=URL,pid=PID[,behind=PID],key=ACCESS:SECRET[,bucket=NAME]; `behind` is a server that the first one
writes to. The first target is the yardstick. "server" is user plus system time of PID, "behind" that of the other, "machine"
the busy time of all cores, this client included. One thread sends over all connections, as fast as answers come; every answer
must be 200, and a run ends when all that was begun has been answered. No two bodies are alike. Traffic goes to loopback only.

FORMS are how the body is sent: `unsigned` (UNSIGNED-PAYLOAD), `hash` (SHA-256 in the head), `chunks` (signed chunks of 128 KiB
with a signed CRC-32 behind them), `trailer` (unsigned chunks with a CRC-32 behind them).

    cost_of_put.py --sizes 4k,1m,64m --forms unsigned,trailer direct=http://127.0.0.1:9000,pid=1,key=a:b ours=...
"""
import argparse
import base64
import collections
import hashlib
import hmac
import itertools
import math
import random
import selectors
import socket
import statistics
import sys
import time
import urllib.parse
import zlib

from cost_of_get import cpu_seconds, machine_seconds, size_of
from s3lite import EMPTY, S3

FORMS = ("unsigned", "hash", "chunks", "trailer")
CHUNK = 128 << 10
CHECKSUM = "x-amz-checksum-crc32"
TAIL = 16


class Content:
    """Bytes of an object but for the last, which differ each time: nobody may find that he has them already."""

    def __init__(self, size):
        self.size, self.common = size, random.randbytes(size - TAIL)
        self.sha256, self.crc32 = hashlib.sha256(self.common), zlib.crc32(self.common)
        view = memoryview(self.common)
        self.chunks = [(view[at:at + CHUNK], hashlib.sha256(view[at:at + CHUNK])) for at in range(0, len(view), CHUNK)]

    def fresh(self):
        return Fresh(self, random.randbytes(TAIL))


class Fresh:
    """One body: its pieces, and what is said of it."""

    def __init__(self, content, tail):
        self.content, self.tail, self.size = content, tail, content.size

    def pieces(self):
        return [self.content.common, self.tail]

    def sha256(self):
        whole = self.content.sha256.copy()
        whole.update(self.tail)
        return whole.hexdigest()

    def checksum(self):
        return base64.b64encode(zlib.crc32(self.tail, self.content.crc32).to_bytes(4, "big")).decode()

    def announced(self):
        return {"content-encoding": "aws-chunked", "x-amz-decoded-content-length": str(self.size), "x-amz-trailer": CHECKSUM}

    def framed(self, sign):
        """aws-chunked; `sign` makes what stands behind a chunk's size, and the line behind the trailer."""
        parts, last = [], len(self.content.chunks) - 1
        for number, (bytes_of, sha256) in enumerate(self.content.chunks):
            pieces = [bytes_of]
            if number == last:
                sha256 = sha256.copy()
                sha256.update(self.tail)
                pieces.append(self.tail)
            parts += [f"{sum(map(len, pieces)):x}{sign.chunk(sha256)}\r\n".encode(), *pieces, b"\r\n"]
        line = f"{CHECKSUM}:{self.checksum()}"
        parts.append(f"0{sign.chunk(hashlib.sha256())}\r\n{line}\r\n{sign.trailer(line)}\r\n".encode())
        return parts


class Unsigned:
    def chunk(self, _sha256):
        return ""

    def trailer(self, _line):
        return ""


class Signed:
    """The chain of signatures that begins with a request's own."""

    def __init__(self, s3, headers):
        self.stamp = headers["x-amz-date"]
        self.scope = f"{self.stamp[:8]}/{s3.region}/s3/aws4_request"
        key = ("AWS4" + s3.secret_key).encode()
        for part in self.scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        self.key, self.previous = key, headers["Authorization"].rsplit("=", 1)[1]

    def chunk(self, sha256):
        return ";chunk-signature=" + self.sign("PAYLOAD", EMPTY + "\n" + sha256.hexdigest())

    def trailer(self, line):
        return "x-amz-trailer-signature:" + self.sign("TRAILER", hashlib.sha256((line + "\n").encode()).hexdigest()) + "\r\n"

    def sign(self, what, text):
        to_sign = "\n".join([f"AWS4-HMAC-SHA256-{what}", self.stamp, self.scope, self.previous, text])
        self.previous = hmac.new(self.key, to_sign.encode(), hashlib.sha256).hexdigest()
        return self.previous


def request(s3, path, body, form):
    """Head and body of one PUT, in pieces."""
    stated, extra = {
        "unsigned": lambda: ("UNSIGNED-PAYLOAD", {}),
        "hash": lambda: (body.sha256(), {}),
        "chunks": lambda: ("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", body.announced()),
        "trailer": lambda: ("STREAMING-UNSIGNED-PAYLOAD-TRAILER", body.announced()),
    }[form]()
    headers = s3.headers("PUT", path, payload_sha256=stated, extra=extra)
    if form in ("chunks", "trailer"):
        pieces = body.framed(Signed(s3, headers) if form == "chunks" else Unsigned())
    else:
        pieces = body.pieces()
    lines = [f"PUT {urllib.parse.quote(path)} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers.items()]
    lines.append(f"Content-Length: {sum(map(len, pieces))}")
    return [("\r\n".join(lines) + "\r\n\r\n").encode(), *pieces]


class Connection:
    """Sends one request after the other."""

    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.left, self.answer = collections.deque(), b""

    def begin(self, pieces):
        self.left, self.answer = collections.deque(map(memoryview, pieces)), b""
        self.send()

    def send(self):
        try:
            while self.left:
                self.sent(self.socket.sendmsg(itertools.islice(self.left, 64)))
        except BlockingIOError:
            pass

    def sent(self, count):
        while self.left and count >= len(self.left[0]):
            count -= len(self.left.popleft())
        if count:
            self.left[0] = self.left[0][count:]

    def receive(self):
        """Whether the answer is here."""
        piece = self.socket.recv(65536)
        assert piece, "closed instead of an answer"
        self.answer += piece
        head, end, rest = self.answer.partition(b"\r\n\r\n")
        if not end:
            return False
        length = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        if len(rest) < (length or [0])[0]:
            return False
        assert head.split(b" ", 2)[1] == b"200" and not self.left, self.answer[:500]
        return True


def run(address, requests, connections, seconds, make=Connection, most=math.inf):
    """How many requests were answered; no more than `most` are sent, over connections that `make` makes."""
    selector, sent, done, end = selectors.DefaultSelector(), 0, 0, time.monotonic() + seconds
    for _ in range(min(connections, len(requests))):
        connection = make(address)
        connection.begin(requests[sent % len(requests)])
        sent += 1
        selector.register(connection.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.left else 0), connection)
    while done < sent:
        for key, ready in selector.select():
            connection = key.data
            if ready & selectors.EVENT_WRITE:
                connection.send()
            if ready & selectors.EVENT_READ and connection.receive():
                done += 1
                if time.monotonic() < end and sent < most:
                    connection.begin(requests[sent % len(requests)])
                    sent += 1
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.left else 0)
            if wanted != key.events:
                selector.modify(connection.socket, wanted, connection)
    for key in list(selector.get_map().values()):
        key.fileobj.close()
    return done


class Target:
    def __init__(self, spec):
        self.name, rest = spec.split("=", 1)
        url, *options = rest.split(",")
        options = dict(option.partition("=")[::2] for option in options)
        self.pid, self.behind, self.bucket = options["pid"], options.get("behind"), options.get("bucket", "bench")
        self.s3 = S3(url, *options["key"].split(":", 1))
        self.rate = 0.0  # of the last run

    def load(self, objects, form, connections, seconds):
        """(PUTs a second; CPU seconds a PUT of the server, of the one behind it, of the machine) of one run."""
        count = max(len(objects), int(self.rate * seconds * 1.3))
        requests = [request(self.s3, f"{self.s3.base}/{self.bucket}/{key}", content.fresh(), form)
                    for key, content in itertools.islice(itertools.cycle(objects), count)]
        before, start = self.spent(), time.monotonic()
        done = run((self.s3.host, self.s3.port), requests, connections, seconds)
        wall = time.monotonic() - start
        self.rate = done / wall
        return (done / wall, *((after - at) / done for at, after in zip(before, self.spent())))

    def spent(self):
        return cpu_seconds(self.pid), cpu_seconds(self.behind) if self.behind else 0.0, machine_seconds()


def measure(args, targets, objects, size, form):
    samples = {target.name: [] for target in targets}
    for target in targets:
        for _ in range(2):  # the first one tells how many requests it takes
            target.load(objects, form, args.connections, args.warmup / 2)
    for _ in range(args.rounds):
        for target in targets:
            samples[target.name].append(target.load(objects, form, args.connections, args.seconds))
    base = None
    unit = (1e6, "us") if size_of(size) < 2**20 else (2**30 / size_of(size), "s/GiB")
    for target in targets:
        rate, server, behind, machine = (statistics.median(figures) for figures in zip(*samples[target.name]))
        base = base or (rate, server, machine)
        print(f"{size:>4} {form:<8} {target.name:<18} {server * unit[0]:>9.3f} {behind * unit[0]:>9.3f} {machine * unit[0]:>9.3f} "
              f"{unit[1]:<5} {server / base[1]:>9.2f} {(server + behind) / base[1]:>9.2f} {machine / base[2]:>9.2f} "
              f"{rate:>9.1f} {rate / base[0]:>6.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--sizes", default="4k,1m,64m")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=10, help="seconds of unmeasured load per target, size and form, for a JIT")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--total-mib", type=int, default=256, help="bytes of objects per size, at most 500 objects")
    args = parser.parse_args()
    random.seed(1)
    targets = [Target(spec) for spec in args.targets]
    for target in targets:
        target.s3.call("PUT", f"/{target.bucket}")
    print(f"{'':>32} {'server':>9} {'behind':>9} {'machine':>9} {'':<5} {'x server':>9} {'x both':>9} {'x machine':>9} "
          f"{'PUT/s':>9} {'x':>6}")
    for size in args.sizes.split(","):
        count = max(2, min(500, args.total_mib * 2**20 // size_of(size)))
        objects = [(f"{size}-{i:04}", Content(size_of(size))) for i in range(count)]
        for form in args.forms.split(","):
            measure(args, targets, objects, size, form)


if __name__ == "__main__":
    sys.exit(main())
