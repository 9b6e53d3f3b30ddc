#!/usr/bin/env python3
"""Reads members of tars and zips through a gateway, and prints what that costs beside its goals, as rows of a table in Markdown. Every
body is compared, but under the load of `warm`, before and behind it; the first wrong one ends the run. Traffic goes to loopback only.

    samples.py --url http://127.0.0.1:17272 ... warm|cold|shared|index|restarted|list|fill|random|kills

bench/samples.sh starts what it needs: an S3 server (--origin) with the bucket `data`; a proxy before it (--control) that counts; and the
gateway, with backends for the same server, so that what is warm for one is cold for the next: `data-0` and so on are the bucket by
each of them, and `samples-0` and so on are derived from these.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import html
import http.client
import io
import itertools
import json
import mmap
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import zipfile

import known
from cost_of_get import Target, cpu_seconds
from kill_writes import BROKEN, Client, await_backend
from s3lite import S3

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

# 10,000 of this size are a tar, or a zip, of 1 GiB.
LARGE = 106_900


class Wrong(Exception):
    """An answer that is not what was stored."""


@dataclasses.dataclass(frozen=True)
class Shard:
    """An archive, whose bytes follow from its key and version."""

    key: str
    names: tuple
    size: int
    deflated: bool = False
    version: int = 0

    def content(self, name):
        """The bytes of a member, which tell what they are of."""
        return known.content(f"{self.key}/{name} {self.version}", self.size)

    def write(self, file):
        if self.key.endswith(".tar"):
            self.write_tar(file)
        else:
            method = zipfile.ZIP_DEFLATED if self.deflated else zipfile.ZIP_STORED
            with zipfile.ZipFile(file, "w") as archive:
                for name in self.names:
                    archive.writestr(zipfile.ZipInfo(name), self.content(name), method)

    def write_tar(self, file):
        padding = bytes(-self.size % tarfile.BLOCKSIZE)
        for name in self.names:
            entry = tarfile.TarInfo(name)
            entry.size = self.size
            file.write(entry.tobuf(tarfile.GNU_FORMAT, "utf-8", "strict") + self.content(name) + padding)
        file.write(bytes(2 * tarfile.BLOCKSIZE))

    def place(self, number):
        """The first byte of a member of a tar, and the one behind it."""
        padded = self.size + -self.size % tarfile.BLOCKSIZE
        first = number * (tarfile.BLOCKSIZE + padded) + tarfile.BLOCKSIZE
        return first, first + self.size

    def bytes(self):
        """The bytes of the archive."""
        archive = io.BytesIO()
        self.write(archive)
        return archive.getvalue()

    def compare(self, name, status, body):
        if status != 200:
            raise Wrong(f"{self.key}/{name} answers {status}: {body[:300]}")
        if body != self.content(name):
            raise Wrong(f"{self.key}/{name} has wrong bytes, {len(body)} of {self.size}: {body[:80]}")


def numbered(count):
    return tuple(f"{number:05}.jpg" for number in range(count))


def large(args, key):
    return Shard(key, numbered(10_000 // args.part), LARGE)


def put(args, key, body):
    status, _, text = args.origin.call("PUT", f"/data/{key}", body)
    if status != 200:
        raise RuntimeError(f"{key} could not be stored: {status} {text[:300]}")


def store(args, shard):
    """Makes an archive at the server, past the gateway; returns its size and SHA-256."""
    with tempfile.TemporaryFile(dir=args.folder) as file:
        shard.write(file)
        file.flush()
        body = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        put(args, shard.key, body)
        return body.nbytes, hashlib.sha256(body).hexdigest()


def metric(args, *names):
    """The sums of meters of the gateway over their labels."""
    with urllib.request.urlopen(f"{args.admin}/metrics", timeout=30) as response:
        lines = [line for line in response.read().decode().splitlines() if not line.startswith("#")]
    values = [sum(float(line.split()[-1]) for line in lines if re.match(rf"{name}[{{ ]", line)) for name in names]
    return values if len(values) > 1 else values[0]


def sent(args):
    """What came to the server so far, and what it sent: requests, and bytes of bodies."""
    with urllib.request.urlopen(f"{args.control}/-/stats", timeout=30) as response:
        text = response.read().decode()
    return tuple(int(re.search(rf"^{name}=(\d+)$", text, re.M)[1]) for name in ("requests", "bytes"))


def settled(read):
    """What does not change any more."""
    latest = read()
    while True:
        time.sleep(0.5)
        now = read()
        if now == latest:
            return now
        latest = now


def row(what, measured, goal="", missed=False):
    print(f"| {what} | {measured} | {goal}{': missed' if missed else ''} |", flush=True)


def several(values, form):
    return ", ".join(format(value, form) for value in values)


def timed(client, shard, bucket, name):
    """Reads a member; returns the seconds."""
    began = time.perf_counter()
    status, _, body = client.call("GET", f"/{bucket}/{shard.key}/{name}")
    seconds = time.perf_counter() - began
    shard.compare(name, status, body)
    return seconds


# Each part that follows prints its rows.


def warm(args):
    """Server CPU a GET of members of 10 KiB, beside that of an object of as many bytes, in turns."""
    names, size = numbered(500), 10 * KIB
    shards = {
        "tar": Shard("warm/a.tar", names, size),
        "stored-zip": Shard("warm/b.zip", names, size),
        "deflated-zip": Shard("warm/c.zip", names, size, deflated=True),
    }
    objects = Shard("warm/objects", names, size)
    for name in names:
        put(args, f"{objects.key}/{name}", objects.content(name))
    for shard in shards.values():
        store(args, shard)
    loads, expected = {}, {}
    for label, shard in {"object": objects, **shards}.items():
        bucket = "data-0" if shard is objects else "samples-0"
        target = Target(f"{label}={args.url},pid={args.pid},key={args.key},bucket={bucket}")
        keys = [f"{shard.key}/{name}" for name in names]
        # Reads and compares each twice; and again at the end.
        expected[label] = [(key, hashlib.sha256(shard.content(name)).hexdigest(), None) for key, name in zip(keys, names)]
        target.prepare(expected[label])
        loads[label] = (target, keys, [])
    for target, keys, _ in loads.values():
        load(args, target, keys, args.warmup)
    for number in range(args.rounds):
        for target, keys, figures in list(loads.values())[::-1 if number % 2 else 1]:
            before = metric(args, "millrace_s3_fast_path_total")
            requests, cpu = load(args, target, keys, args.seconds)
            fast = metric(args, "millrace_s3_fast_path_total") - before
            figures.append((1e6 * cpu / requests, min(1, fast / requests)))
    for label, (target, _, _) in loads.items():
        target.prepare(expected[label])
    ordinary = [cost for cost, _ in loads["object"][2]]
    for label in shards:
        costs, fast = zip(*loads[label][2])
        ratios = [own / other for own, other in zip(costs, ordinary)]
        row(f"warm member of 10 KiB of a {label.replace('-', ' ')}: server CPU ÷ that of an object of 10 KiB",
            f"{statistics.median(ratios):.2f} ({several(ratios, '.2f')}); {statistics.median(costs):.1f} µs beside "
            f"{statistics.median(ordinary):.1f} µs; {100 * statistics.median(fast):.0f} % on the fast path",
            "≤ 1.10", statistics.median(ratios) > 1.10)


def load(args, target, keys, seconds):
    """(requests, CPU seconds of the server) of a run of wrk, or else of the load generator."""
    if shutil.which("wrk"):
        requests, _, spent, _, _, errors = target.load(target.script(keys, args.folder), 16, seconds)
    else:
        requests, spent, errors = load_by_loadgen(args, target, keys, seconds)
    if errors or not requests:
        raise Wrong(f"{target.name}: {requests} requests, {errors}")
    return requests, spent


def load_by_loadgen(args, target, keys, seconds):
    listed_keys, result = args.folder / "keys", args.folder / "load.json"
    listed_keys.write_text("\n".join(keys) + "\n")
    result.unlink(missing_ok=True)
    before = cpu_seconds(target.pid)
    done = subprocess.run(
        [args.loadgen, "bench", "run", "--endpoint", args.url, "--bucket", target.bucket, "--source", "file", "--keys-file", listed_keys,
         "--no-verify", "-c", "16", "-d", f"{seconds}s", "--warm-up", "0s", "--json", result],
        capture_output=True, text=True, check=False)
    spent = cpu_seconds(target.pid) - before
    if not result.exists():
        raise RuntimeError(done.stderr[-500:])
    gets = json.loads(result.read_text())["phases"][0]["operations"][0]
    return gets["right"], spent, [f"{gets[what]} {what}" for what in ("failed", "wrong") if gets[what]]


def cold(args):
    """One member of a cold zip."""
    shard = large(args, "cold/large.zip")
    size, _ = store(args, shard)
    earlier = [Shard(f"cold/earlier-{number:02}.zip", numbered(20), 10 * KIB) for number in range(40)]
    for one in earlier:
        store(args, one)
    client, requests, received, seconds = Client(args.s3), [], [], []
    for copy in range(args.copies):
        # The code is compiled, and the connections are open.
        for one in earlier:
            timed(client, one, f"samples-{copy}", one.names[-1])
        before = settled(lambda: sent(args))
        seconds.append(1000 * timed(client, shard, f"samples-{copy}", shard.names[len(shard.names) // 2 + copy]))
        after = settled(lambda: sent(args))
        requests.append(after[0] - before[0])
        received.append((after[1] - before[1]) / MIB)
    what = f"member of a cold stored zip of {size / GIB:.2f} GiB with {len(shard.names):,} entries, 20 ms away"
    row(f"{what}: requests to the backend", several(requests, "d"), "≤ 4", max(requests) > 4)
    row("MiB from it", several(received, ".2f"), "≤ 3", max(received) > 3)
    row("ms", several(seconds, ".0f"))


def shared(args):
    """Many readers of a cold tar at once."""
    shard = large(args, "shared/large.tar")
    size, _ = store(args, shard)
    count = len(shard.names)
    # Evenly over the tar, and the last one.
    chosen = [shard.names[count - 1 - number * count // 100] for number in range(100)]
    ratios, first, last, scans = [], [], [], []
    for copy in range(args.copies):
        before, scanned = settled(lambda: sent(args)), metric(args, "millrace_archive_scan_seconds_sum")
        times = read_at_once(args, shard, f"samples-{copy}", chosen)
        after = settled(lambda: sent(args))
        ratios.append((after[1] - before[1]) / size)
        scans.append(metric(args, "millrace_archive_scan_seconds_sum") - scanned)
        first.append(min(times))
        last.append(max(times))
    what = f"cold tar of {size / GIB:.2f} GiB with {count:,} members, 100 readers of different ones at once"
    row(f"{what}: bytes from the backend ÷ those of the tar", several(ratios, ".3f"), "1.0", max(ratios) > 1.005)
    row("the first answer after; the last; the scan takes",
        f"{several(first, '.2f')} s; {several(last, '.2f')} s; {several(scans, '.2f')} s",
        "the first before the end of the scan", any(begun >= scan for begun, scan in zip(first, scans)))


def read_at_once(args, shard, bucket, names):
    """Seconds until each has its member."""
    start = threading.Barrier(len(names))

    def read(name):
        client = Client(args.s3)
        start.wait()
        try:
            return timed(client, shard, bucket, name)
        finally:
            client.close()

    with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
        return list(pool.map(read, names))


def index(args):
    """The index of a tar whose bytes are cached. The first copy warms the code."""
    shard = large(args, "index/large.tar")
    size, digest = store(args, shard)
    client, seconds, fetched = Client(args.s3), [], []
    for copy in range(args.copies):
        read_whole(args, f"/data-{copy}/{shard.key}", size, digest)
        settled(lambda: metric(args, "millrace_cache_fills", "millrace_cache_stored_bytes_total"))
        before = sent(args)[1]
        took = timed(client, shard, f"samples-{copy}", shard.names[-1])
        if copy:
            seconds.append(took)
            fetched.append(sent(args)[1] - before)
    # Indexes are stored.
    settled(lambda: metric(args, "millrace_cache_fills", "millrace_cache_stored_bytes_total"))
    row(f"index of a cached tar of {size / GIB:.2f} GiB with {len(shard.names):,} members: until its last member is read",
        f"{several(seconds, '.2f')} s", "≤ 0.5 s", max(seconds) > 0.5)
    row("bytes from the backend meanwhile", several(fetched, ",d"), "0", any(fetched))


def read_whole(args, path, size, digest):
    connection = http.client.HTTPConnection(args.s3.host, args.s3.port, timeout=120)
    try:
        connection.request("GET", path, None, args.s3.headers("GET", path))
        response = connection.getresponse()
        if response.status != 200:
            raise Wrong(f"{path} answers {response.status}: {response.read(300)}")
        sha256, received = hashlib.sha256(), 0
        while piece := response.read(MIB):
            sha256.update(piece)
            received += len(piece)
    finally:
        connection.close()
    if received != size or sha256.hexdigest() != digest:
        raise Wrong(f"{path} has wrong bytes: {received} of {size}")


def restarted(args):
    """HEADs of members after a restart, whose indexes are in the cache, and not in memory."""
    shard = large(args, "index/large.tar")
    client, before, milliseconds = Client(args.s3), settled(lambda: sent(args)), []
    for copy in range(args.copies):
        began = time.perf_counter()
        status, headers, _ = client.call("HEAD", f"/samples-{copy}/{shard.key}/{shard.names[copy]}")
        milliseconds.append(1000 * (time.perf_counter() - began))
        if status != 200 or headers.get("content-length") != str(shard.size):
            raise Wrong(f"HEAD of {shard.key}/{shard.names[copy]} answers {status}: {headers}")
    after = settled(lambda: sent(args))
    scans = metric(args, "millrace_archive_scan_seconds_count")
    row("HEAD of a member after a restart: bytes from the backend; requests to it; scans",
        f"{after[1] - before[1]:,}; {after[0] - before[0]}; {scans:.0f}", "0; 0; 0", after != before or scans > 0)
    row("ms, the first by a process that has just started", several(milliseconds, ".0f"))
    for copy in range(args.copies):
        timed(client, shard, f"samples-{copy}", shard.names[copy])


def listing(args):
    """A flat list of all members of many tars."""
    names = numbered(494) + ("a b+c.txt", "a&b.txt", "z/0.txt", "é.txt", "\uff5e.txt", "\U0001f600.txt")
    keys = [f"list/{number:03}.tar" for number in range(200 // args.part - 2)] + ["list/a.tar", "list/a.tar-b.tar"]
    shards = [Shard(key, names, 300) for key in keys]
    for shard in shards:
        store(args, shard)
    expected = sorted((f"{shard.key}/{name}" for shard in shards for name in names), key=str.encode)
    client, rates = Client(args.s3), []
    for number in range(args.rounds + 2):
        found, seconds = listed(client, "samples-0")
        if found != expected:
            differ = next((pair for pair in zip(found, expected) if pair[0] != pair[1]), "the end")
            raise Wrong(f"the list has {len(found)} keys of {len(expected)}, and differs at {differ}")
        if number >= 2:
            rates.append(len(found) / seconds)
    for shard in shards:
        timed(client, shard, "samples-0", shard.names[0])
    row(f"flat list of {len(expected):,} members of {len(shards)} tars, warm: keys a second, in the order of their UTF-8",
        f"{statistics.median(rates):,.0f} ({several(rates, ',.0f')})", "≥ 20,000", statistics.median(rates) < 20_000)


def listed(client, bucket):
    """The keys in their order, and the seconds that the requests took."""
    keys, seconds, query = [], 0.0, "list-type=2"
    while True:
        began = time.perf_counter()
        status, _, body = client.call("GET", f"/{bucket}", query=query)
        seconds += time.perf_counter() - began
        if status != 200:
            raise Wrong(f"the list of {bucket} answers {status}: {body[:300]}")
        keys += [html.unescape(key.decode()) for key in re.findall(rb"<Key>(.*?)</Key>", body)]
        more = re.search(rb"<NextContinuationToken>(.*?)</NextContinuationToken>", body)
        if not more:
            return keys, seconds
        query = f"continuation-token={urllib.parse.quote(html.unescape(more[1].decode()), safe='')}&list-type=2"


def random_shards(args):
    count = 5000 // args.part // 8
    return [Shard(f"random/{number}.tar", numbered(count), 100 * KIB) for number in range(8)]


def fill(args):
    """Makes what `random` reads; prints how many bytes that is."""
    print(sum(store(args, shard)[0] for shard in random_shards(args)))


def random_members(args):
    """Epochs over more than the cache holds: each member once, in a random order, or shuffled in a window of shards."""
    shards = random_shards(args)
    members = [(shard, number) for shard in shards for number in range(len(shard.names))]
    reads = epochs(shards, members, args.window)
    read_all(args, itertools.islice(reads, len(members)))

    def received():
        return metric(args, "millrace_backend_received_bytes_total", "millrace_cache_fills")

    before = settled(received)[0]
    measured = list(itertools.islice(reads, args.reads or len(members)))
    read_all(args, measured)
    fetched = settled(received)[0] - before
    read = sum(shard.size for shard, _ in measured)
    whole = sum(shard.place(len(shard.names))[0] + tarfile.BLOCKSIZE for shard in shards)
    if args.window:
        order = f"shuffled in a window of {args.window} of {len(shards)} tars"
        bound, why = whole / (len(members) * shards[0].size), "each block is fetched once an epoch"
    else:
        places = [shard.place(number) for shard, number in measured]
        touched = sum((end - 1) // args.block - first // args.block + 1 for first, end in places) * args.block
        order = "in any order"
        bound, why = touched / read * (1 - args.cache / whole), "as many blocks are hits as the cache holds"
    row(f"{len(measured):,} random members of 100 KiB, {order}, blocks of {args.block // KIB:,} KiB, "
        f"a cache of {100 * args.cache / whole:.0f} % of the data: bytes fetched ÷ read", f"{fetched / read:.2f}", f"{bound:.2f} if {why}")


def epochs(shards, members, window):
    """(shard, number of a member) without an end."""
    chance = random.Random(7)
    while True:
        if not window:
            yield from chance.sample(members, len(members))
            continue
        order = chance.sample(shards, len(shards))
        for first in range(0, len(order), window):
            within = [(shard, number) for shard in order[first:first + window] for number in range(len(shard.names))]
            chance.shuffle(within)
            yield from within


def read_all(args, members):
    """Eight readers, each with the next member."""
    lock = threading.Lock()

    def read(_):
        client = Client(args.s3)
        while True:
            with lock:
                shard, number = next(members_left, (None, 0))
            if shard is None:
                client.close()
                return
            timed(client, shard, "samples-0", shard.names[number])

    members_left = iter(members)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(read, range(8)))


class Rewritten:
    """An archive that may be written anew under its readers."""

    def __init__(self, key, deflated=False):
        self.key, self.deflated = key, deflated
        # The last versions that were acknowledged and begun. Any between them may be read.
        self.acknowledged = self.begun = 0

    def at(self, version):
        """In each version the members lie elsewhere. So many that the index is stored."""
        return Shard(self.key, KILL_NAMES, 8000 + 777 * (version % 9), self.deflated, version)

    def judge(self, name, body, oldest):
        """Raises if a body is of no version that it may be of."""
        told = re.match(rb"\S+ (\d+) \d+\n", body)
        version = int(told[1]) if told else -1
        if not oldest <= version <= self.begun or body != self.at(version).content(name):
            raise Wrong(f"{self.key}/{name} has wrong bytes, or those of a version that is not {oldest} to {self.begun}: {body[:80]}")


KILL_NAMES = numbered(150)


class Readers:
    """Reads and rewrites while the gateway is killed, until SIGTERM or the first wrong answer."""

    def __init__(self, args):
        self.args, self.over, self.lock = args, threading.Event(), threading.Lock()
        self.counts, self.wrong = collections.Counter(), []
        kinds = (("tar", False), ("zip", False), ("deflated.zip", True))
        self.still = [Rewritten(f"kills/still.{kind}", deflated) for kind, deflated in kinds]
        self.changing = [Rewritten(f"kills/changing.{kind}", deflated) for kind, deflated in kinds]

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def run(self):
        for one in self.still + self.changing:
            store(self.args, one.at(0))
        # Before threads begin, which inherit it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        threads = [threading.Thread(target=self.guarded, args=(self.read,)) for _ in range(6)]
        threads.append(threading.Thread(target=self.guarded, args=(self.rewrite,)))
        for thread in threads:
            thread.start()
        signal.sigwait({signal.SIGTERM})
        self.over.set()
        for thread in threads:
            thread.join()
        if self.wrong:
            raise self.wrong[0]

    def guarded(self, act):
        client = Client(self.args.s3)
        try:
            while not self.over.is_set():
                act(client)
        except Exception as failure:  # a wrong answer, or a fault of this program
            self.wrong.append(failure)
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            client.close()

    def read(self, client):
        shard, name = random.choice(self.still + self.changing), random.choice(KILL_NAMES)
        oldest = shard.acknowledged
        try:
            status, _, body = client.call("GET", f"/samples-0/{shard.key}/{name}")
        except BROKEN:
            self.count("broken")
            self.over.wait(0.1)
            return
        if status == 200:
            shard.judge(name, body, oldest)
            self.count("right")
        elif status in (500, 502, 503, 504):
            self.count("failed")
            self.over.wait(0.1)
        else:
            raise Wrong(f"{shard.key}/{name} answers {status}: {body[:300]}")

    def rewrite(self, client):
        self.over.wait(0.3)
        shard = random.choice(self.changing)
        shard.begun += 1
        version = shard.begun
        try:
            status, _, body = client.call("PUT", f"/data-0/{shard.key}", [shard.at(version).bytes()])
        except BROKEN:
            # It may happen yet: nothing newer before that.
            await_backend(self.args.origin)
            self.over.wait(0.5)
            return
        if status == 200:
            shard.acknowledged = version
            self.count("rewritten")
        elif status < 500:
            raise Wrong(f"a write of {shard.key} answers {status}: {body[:300]}")


def kills(args):
    readers = Readers(args)
    readers.run()
    counts = readers.counts
    if not counts["right"] or not counts["rewritten"]:
        raise RuntimeError(f"nothing was read, or nothing rewritten: {dict(counts)}")
    row(f"kill -9, {args.kills} times, under readers of members, each with {args.flips} bits flipped in the cache; "
        f"archives rewritten {counts['rewritten']:,} times: wrong answers",
        f"0 of {counts['right']:,}; {counts['failed']:,} answers with an error, {counts['broken']:,} broken connections", "0")


PARTS = {
    "warm": warm, "cold": cold, "shared": shared, "index": index, "restarted": restarted, "list": listing, "fill": fill,
    "random": random_members, "kills": kills,
}


def options(description, parts):
    """The options of programs that measure a gateway part by part."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=parts)
    for name in ("--url", "--admin", "--origin", "--key", "--folder"):
        parser.add_argument(name, required=True)
    parser.add_argument("--control", help="that of the proxy before the server")
    parser.add_argument("--loadgen", help="the load generator")
    parser.add_argument("--pid", help="of the gateway")
    parser.add_argument("--part", type=int, default=1, help="read a part of the data only: not what the goals are about")
    parser.add_argument("--copies", type=int, default=3, help="backends for the server, and so tries")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--warmup", type=int, default=8)
    return parser


def run(parser, parts):
    """Does what is asked for; ends the process with an error if an answer is wrong."""
    args = parser.parse_args()
    args.folder = pathlib.Path(args.folder)
    args.credentials = args.key.split(":", 1)
    args.s3, args.origin = S3(args.url, *args.credentials), S3(args.origin, *args.credentials)
    try:
        parts[args.what](args)
    except Wrong as wrong:
        sys.exit(f"WRONG: {wrong}")


def main():
    parser = options(__doc__, PARTS)
    parser.add_argument("--reads", type=int, default=0, help="random members; each once otherwise")
    parser.add_argument("--block", type=int, default=MIB)
    parser.add_argument("--cache", type=int, default=0, help="its bytes")
    parser.add_argument("--window", type=int, default=0, help="the tars of a window")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--flips", type=int, default=0)
    run(parser, PARTS)


if __name__ == "__main__":
    main()
