#!/usr/bin/env python3
"""Uses a scratch bucket of a gateway, and prints what that costs beside an ordinary bucket and the disk itself, as rows of a table in
Markdown. Bodies are compared, but under the load of `reads`, before and behind it; the first wrong one, and a second winner, end the run.
Traffic goes to loopback only.

    scratch.py --url http://127.0.0.1:17272 ... reads|heads|puts|races|quota

bench/scratch.sh starts what it needs: a gateway with the bucket `data`, which is in a folder, and the scratch bucket `kv-blocks`.
"""
import bisect
import collections
import concurrent.futures
import hashlib
import html
import http.client
import itertools
import os
import random
import statistics
import threading
import time
import urllib.parse

import known
from cost_of_get import Target, cpu_seconds
from cost_of_put import Connection, Content, request
from cost_of_put import run as send_all
from kill_writes import BROKEN, Client, listed
from samples import GIB, KIB, MIB, Wrong, load, metric, options, row, run, settled, several

ORDINARY, SCRATCH = "data", "kv-blocks"
CONNECTIONS = 16
CLIENTS = 64


def put(args, bucket, key, body):
    status, _, text = args.s3.call("PUT", f"/{bucket}/{key}", body)
    if status != 200:
        raise Wrong(f"PUT of /{bucket}/{key} answers {status}: {text[:300]}")


def in_turns(args, names, measure):
    """The figures of each name: measured in rounds, of which every other one goes backwards."""
    figures = {name: [] for name in names}
    for number in range(args.rounds):
        for name in list(names)[::-1 if number % 2 else 1]:
            figures[name].append(measure(name))
    return figures


def beside(what, own, other, note=""):
    """The row of a ratio whose goal is 1, or less, give or take 5 %."""
    ratios = [mine / ordinary for mine, ordinary in zip(own, other)]
    ratio = statistics.median(ratios)
    row(f"{what}: server CPU ÷ that in an ordinary bucket",
        f"{ratio:.2f} ({several(ratios, '.2f')}); {statistics.median(own):.1f} µs beside {statistics.median(other):.1f} µs{note}", "≤ 1.05", ratio > 1.05)


# Each part that follows prints its rows.


def reads(args):
    """Server CPU of a GET from the scratch bucket, beside that of a cached object of as many bytes."""
    for size, count in ((4 * KIB, 500), (4 * MIB, 16)):
        keys = [f"reads/{size}/{number:04}" for number in range(count)]
        bodies = {key: known.content(key, size) for key in keys}
        expected = [(key, hashlib.sha256(body).hexdigest(), None) for key, body in bodies.items()]
        targets = {}
        for bucket in (ORDINARY, SCRATCH):
            targets[bucket] = Target(f"{bucket}={args.url},pid={args.pid},key={args.key},bucket={bucket}")
            for key, body in bodies.items():
                put(args, bucket, key, body)
            # Reads and compares each twice; and again at the end.
            targets[bucket].prepare(expected)
        for target in targets.values():
            load(args, target, keys, args.warmup)

        def measure(bucket, targets=targets, keys=keys):
            before = metric(args, "millrace_s3_fast_path_total")
            requests, cpu = load(args, targets[bucket], keys, args.seconds)
            return 1e6 * cpu / requests, min(1, (metric(args, "millrace_s3_fast_path_total") - before) / requests)

        figures = in_turns(args, targets, measure)
        for target in targets.values():
            target.prepare(expected)
        (own, fast), (other, _) = (zip(*figures[bucket]) for bucket in (SCRATCH, ORDINARY))
        beside(f"GET of {size // KIB:,} KiB", own, other, f"; {100 * statistics.median(fast):.0f} % on the fast path")


class Heads(Connection):
    """Sends requests whose answers have no body."""

    status = b"200"

    def receive(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise Wrong("a connection is closed instead of an answer")
        self.answer += piece
        head, end, _ = self.answer.partition(b"\r\n\r\n")
        if end and head.split(b" ", 2)[1] != self.status:
            raise Wrong(f"HEAD answers {head[:300]}")
        return bool(end)


class AbsentHeads(Heads):
    status = b"404"


def head(args, path):
    fields = "".join(f"{name}: {value}\r\n" for name, value in args.s3.headers("HEAD", path).items())
    return [f"HEAD {path} HTTP/1.1\r\n{fields}\r\n".encode()]


def heads(args):
    """Server CPU of a HEAD, beside that in an ordinary bucket; and of a key that is absent."""
    keys = [f"heads/{number:04}" for number in range(500)]
    for bucket, key in itertools.product((ORDINARY, SCRATCH), keys):
        put(args, bucket, key, known.content(key, 4 * KIB))
    kinds = {"ordinary": (ORDINARY, "heads", Heads), "scratch": (SCRATCH, "heads", Heads), "absent": (SCRATCH, "absent", AbsentHeads)}

    def measure(kind, seconds=args.seconds):
        bucket, folder, make = kinds[kind]
        requests = [head(args, f"/{bucket}/{folder}/{number:04}") for number in range(len(keys))]
        before = cpu_seconds(args.pid)
        done = send_all((args.s3.host, args.s3.port), requests, CONNECTIONS, seconds, make)
        return 1e6 * (cpu_seconds(args.pid) - before) / done

    for kind in kinds:
        measure(kind, args.warmup)
    figures = in_turns(args, kinds, measure)
    beside("HEAD of 4 KiB", figures["scratch"], figures["ordinary"])
    absent = statistics.median(figures["absent"])
    row("HEAD of an absent key: server CPU", f"{absent:.1f} µs ({several(figures['absent'], '.1f')})", "≤ 100 µs", absent > 100)


class TimedConnection(Connection):
    """A connection that notes how long each answer takes."""

    def __init__(self, address, seconds):
        super().__init__(address)
        self.seconds, self.began = seconds, 0.0

    def begin(self, pieces):
        self.began = time.perf_counter()
        super().begin(pieces)

    def receive(self):
        done = super().receive()
        if done:
            self.seconds.append(time.perf_counter() - self.began)
        return done


def sequential(args, count, piece):
    """Bytes a second of a file that is written piece by piece, until they are on the disk, as dd with conv=fdatasync does."""
    path = args.folder / "sequential"
    began = time.perf_counter()
    with path.open("wb", buffering=0) as file:
        for _ in range(count):
            file.write(piece)
        os.fdatasync(file.fileno())
    seconds = time.perf_counter() - began
    path.unlink()
    return count * len(piece) / seconds


def puts(args):
    """PUTs of 4 MiB over 16 connections, beside a sequential write to the same disk."""
    content, count, latencies = Content(4 * MIB), max(2 * CONNECTIONS, int(args.gib * GIB) // (4 * MIB)), []

    def write(folder, seconds):
        bodies = {f"/{SCRATCH}/{folder}/{number:05}": content.fresh() for number in range(count)}
        requests = [request(args.s3, path, body, "unsigned") for path, body in bodies.items()]
        before, began = cpu_seconds(args.pid), time.perf_counter()
        done = send_all((args.s3.host, args.s3.port), requests, CONNECTIONS, 3600, lambda address: TimedConnection(address, seconds), count)
        wall, spent = time.perf_counter() - began, cpu_seconds(args.pid) - before
        for path in random.sample(list(bodies), 8):
            status, _, stored = args.s3.call("GET", path)
            if status != 200 or stored != b"".join(map(bytes, bodies[path].pieces())):
                raise Wrong(f"{path} answers {status} and {len(stored)} bytes, or wrong ones")
        return done * content.size / wall, done * content.size / max(spent, 0.01)

    write("warm", [])
    rounds = itertools.count()

    def measure(kind):
        return sequential(args, count, b"".join(map(bytes, content.fresh().pieces()))) if kind == "disk" else write(f"round-{next(rounds)}", latencies)

    figures = in_turns(args, ("disk", "scratch"), measure)
    rates, of_a_core = zip(*figures["scratch"])
    ratios = [rate / disk for rate, disk in zip(rates, figures["disk"])]
    ratio, core = statistics.median(ratios), statistics.median(of_a_core) / GIB
    row(f"PUT of {count:,} × 4 MiB, {CONNECTIONS} connections: MiB/s; a sequential write of the same disk; the ratio",
        f"{several([rate / MIB for rate in rates], '.0f')}; {several([rate / MIB for rate in figures['disk']], '.0f')}; {several(ratios, '.2f')}",
        "≥ 0.8, or the next row", ratio < 0.8 and core < 1)
    latencies.sort()
    row("GiB a CPU-second of the server; p50 and p99 of a PUT",
        f"{core:.2f}; {1000 * latencies[len(latencies) // 2]:.0f} ms, {1000 * latencies[len(latencies) * 99 // 100]:.0f} ms", "≥ 1, or the row before")


class Racer:
    """A client with a connection of its own and its own content for each key."""

    def __init__(self, s3, number):
        self.s3, self.number = s3, number
        self.connection = http.client.HTTPConnection(s3.host, s3.port, timeout=60)

    def content(self, title):
        return known.content(f"{title} by {self.number}", 1000 + self.number)

    def put(self, start, key, title, condition):
        path, body = f"/{SCRATCH}/{key}", self.content(title)
        headers = self.s3.headers("PUT", path, payload_sha256="UNSIGNED-PAYLOAD", extra=condition)
        start.wait()
        self.connection.request("PUT", path, body, headers)
        response = self.connection.getresponse()
        response.read()
        return response.status, response.getheader("ETag")


def races(args):
    """Rounds in which 64 clients create a key, and then all of them take it over."""
    racers, start, refused = [Racer(args.s3, number) for number in range(CLIENTS)], threading.Barrier(CLIENTS), 0
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:

        def race(key, title, condition):
            answers = list(pool.map(lambda racer: racer.put(start, key, title, condition), racers))
            winners = [(racer, tag) for racer, (status, tag) in zip(racers, answers) if status == 200]
            if len(winners) != 1 or {status for status, _ in answers} - {200, 412}:
                raise Wrong(f"{key} with {condition}: {len(winners)} winners, and {collections.Counter(status for status, _ in answers)}")
            (winner, tag), = winners
            shown = html.unescape(args.s3.call("GET", f"/{SCRATCH}", query="list-type=2&prefix=" + urllib.parse.quote(key, safe=""))[2].decode())
            if f"<Key>{key}</Key>" not in shown or tag not in shown:
                raise Wrong(f"the list does not show {key} with {tag}: {shown}")
            status, _, body = args.s3.call("GET", f"/{SCRATCH}/{key}")
            if status != 200 or body != winner.content(title):
                raise Wrong(f"{key} answers {status}, or has not the content of its winner: {body[:80]}")
            return tag

        for number in range(args.races):
            key = f"locks/{number:05}"
            tag = race(key, f"{key} created", {"If-None-Match": "*"})
            race(key, f"{key} taken over", {"If-Match": tag})
            refused += 2 * (CLIENTS - 1)
    row(f"{CLIENTS} clients at once, {args.races:,} rounds with If-None-Match: * and with If-Match: winners; a list and a GET show the winner at once",
        f"1 each, {refused:,} refused; always", "1 each; always")


class Zipf:
    """Draws numbers below a count, small ones more often."""

    def __init__(self, most, seed):
        self.sums, self.chance = list(itertools.accumulate(1 / (number + 1) ** 0.99 for number in range(most))), random.Random(seed)

    def draw(self, count):
        return bisect.bisect_left(self.sums, self.chance.random() * self.sums[count - 1], 0, count - 1)


class Flood:
    """Writes to the scratch bucket, and reads of what was written, the latest most often, until so many bytes are there."""

    SIZE = 4 * MIB

    def __init__(self, args, name, count):
        self.args, self.name, self.count = args, name, count
        self.lock, self.begun, self.written, self.counts, self.most_used = threading.Lock(), 0, [], collections.Counter(), 0
        self.failures = []

    def key(self, number):
        return f"{self.name}/{number:06}"

    def over(self):
        return len(self.written) >= self.count or bool(self.failures)

    def threads(self):
        acts = [self.write] * 4 + [self.read] * 4 + [self.look]
        return [threading.Thread(target=self.guarded, args=(act,)) for act in acts]

    def guarded(self, act):
        try:
            act(Client(self.args.s3))
        except Exception as failure:  # a wrong answer, or a fault of this program
            self.failures.append(failure)

    def write(self, client):
        while not self.over():
            with self.lock:
                number, self.begun = self.begun, self.begun + 1
            if number >= self.count:
                return
            status, text = 503, b""
            while status == 503 and not self.failures:
                status, _, text = client.call("PUT", f"/{SCRATCH}/{self.key(number)}", [known.content(self.key(number), self.SIZE)])
                if status == 503:
                    self.counts["refused"] += 1
                    time.sleep(0.05)
            if status != 200:
                raise Wrong(f"a write of {self.key(number)} answers {status}: {text[:300]}")
            with self.lock:
                self.written.append(number)

    def read(self, client):
        zipf = Zipf(self.count, threading.get_ident())
        while not self.over():
            with self.lock:
                count = len(self.written)
                number = self.written[count - 1 - zipf.draw(count)] if count else None
            if number is None:
                time.sleep(0.01)
            else:
                self.counts[self.judged(client, number)] += 1

    def judged(self, client, number):
        try:
            status, _, body = client.call("GET", f"/{SCRATCH}/{self.key(number)}")
        except BROKEN:
            return "broken off"
        if status in (404, 503):
            return "absent" if status == 404 else "broken off"
        if status != 200 or body != known.content(self.key(number), self.SIZE):
            raise Wrong(f"{self.key(number)} answers {status} and {len(body)} bytes, or wrong ones")
        return "right"

    def look(self, _client):
        while not self.over():
            self.most_used = max(self.most_used, used(self.args))
            time.sleep(0.1)


def used(args):
    return metric(args, rf'millrace_cache_resident_bytes\{{[^}}]*bucket="{SCRATCH}"[^}}]*\}}')


def read_ordinary(args, keys, over):
    """(reads, hits) of zipf reads of an ordinary bucket by 4 threads, the same each time: `args.reads`, and more until `over()`."""
    def read(seed):
        client, zipf, hits = Client(args.s3), Zipf(len(keys), seed), 0
        for number in itertools.count():
            if number >= args.reads // 4 and over():
                client.close()
                return number, hits
            key = keys[zipf.draw(len(keys))]
            status, headers, body = client.call("GET", f"/{ORDINARY}/{key}")
            if status != 200 or body != known.content(key, 256 * KIB):
                raise Wrong(f"{key} answers {status} and {len(body)} bytes, or wrong ones")
            hits += "; hit" in headers.get("cache-status", "")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return tuple(map(sum, zip(*pool.map(read, range(4)))))


def flooded(args, name, count, meanwhile):
    """A flood, and what `meanwhile` returns, which is told when the flood is over."""
    flood = Flood(args, name, count)
    threads = flood.threads()
    for thread in threads:
        thread.start()
    try:
        result = meanwhile(flood.over)
    except BaseException as failure:
        flood.failures.append(failure)
        raise
    finally:
        for thread in threads:
            thread.join()
    if flood.failures:
        raise flood.failures[0]
    return flood, result


def quota(args):
    """Writes three times the quota, while another bucket is read, which has room beside it."""
    keys = [f"beside/{number:05}" for number in range(int(0.8 * (args.cache - args.quota)) // (256 * KIB))]
    for key in keys:
        put(args, ORDINARY, key, known.content(key, 256 * KIB))
    # The quota is used up before and behind.
    flooded(args, "before", args.quota // Flood.SIZE, lambda _over: None)
    for _ in range(2):
        read_ordinary(args, keys, lambda: True)
    settled(lambda: metric(args, "millrace_cache_fills", "millrace_cache_stored_bytes_total"))
    quiet = read_ordinary(args, keys, lambda: True)
    flood, noisy = flooded(args, "flood", 3 * args.quota // Flood.SIZE, lambda over: read_ordinary(args, keys, over))
    before, during = (100 * hits / number for number, hits in (quiet, noisy))
    beyond = (max(flood.most_used, used(args)) - args.quota) / MIB
    what = f"{3 * args.quota // MIB:,} MiB in objects of 4 MiB into a quota of {args.quota // MIB:,} MiB"
    row(f"{what}: MiB used beyond the quota at most", f"{beyond:.0f}", "≤ 64", beyond > 64)
    row("zipf reads of another bucket, as large as the cache leaves room for: hits before; meanwhile",
        f"{before:.2f} % of {quiet[0]:,}; {during:.2f} % of {noisy[0]:,}", "within 1 %", abs(before - during) > 1)
    settled(lambda: used(args))
    counts, client = flood.counts, Client(args.s3)
    here = [int(name.rpartition("/")[2]) for name in listed(args.s3, SCRATCH) if name.startswith("flood/")]
    ends = collections.Counter(flood.judged(client, number) for number in here)
    if ends["right"] != len(here):
        raise Wrong(f"of {len(here)} keys that the list has {dict(ends)} are read")
    row("zipf reads of what is written: right; absent; broken off; half or wrong; writes refused",
        f"{counts['right']:,}; {counts['absent']:,}; {counts['broken off']:,}; 0; {counts['refused']:,}", "0 half or wrong")
    part = len(here) * Flood.SIZE / args.quota
    row("keys that the list has then, each read whole; their part of the quota", f"{len(here):,}; {part:.2f}", "each; ≥ 0.8", part < 0.8)


PARTS = {"reads": reads, "heads": heads, "puts": puts, "races": races, "quota": quota}


def main():
    parser = options(__doc__, PARTS)
    parser.add_argument("--gib", type=float, default=1, help="what is written in a round of `puts`")
    parser.add_argument("--races", type=int, default=1000)
    parser.add_argument("--reads", type=int, default=20_000, help="of the other bucket in `quota`")
    parser.add_argument("--cache", type=int, default=0, help="its bytes")
    parser.add_argument("--quota", type=int, default=0, help="that of the scratch bucket, in bytes")
    random.seed(1)
    run(parser, PARTS)


if __name__ == "__main__":
    main()
