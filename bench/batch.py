#!/usr/bin/env python3
"""Reads batches through a gateway, and prints what that costs beside its goals, as rows of a table in Markdown. Every item is compared,
but under the load of 16 connections of `warm`; the first wrong byte, order or code ends the run. Traffic goes to loopback only.

    batch.py --url http://127.0.0.1:17272 ... warm|clients|cold|faults|crowd

bench/batch.sh starts what it needs, and the gateway with buckets for it: `data-0` and so on, of backends for one server, so that what is
cached of one is cold of the next; `samples-0`, derived from `data-0`; `bad`, of a backend behind the proxy; and `closed`, which the
identity of --reader may not read.
"""
import collections
import concurrent.futures
import hashlib
import http.client
import json
import pathlib
import random
import re
import socket
import statistics
import struct
import sys
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "clients" / "python" / "src"))

import known
import millrace
from cost_of_get import Target, cpu_seconds, resident_mib
from kill_writes import Client
from millrace.client import fields_of
from millrace.tar import BrokenAnswerError, TarStream
from s3lite import S3
from samples import KIB, MIB, Shard, Wrong, load, metric, numbered, options, row, run, settled, several, store, timed

ITEMS = 512

# Codes of what may be had later.
NOT_NOW = {"BadGateway", "GatewayTimeout", "InternalError", "ServiceUnavailable", "SlowDown"}


class Objects:
    """Objects of one size below a prefix."""

    def __init__(self, prefix, count, size):
        self.keys, self.size = [f"{prefix}/{number:05}" for number in range(count)], size

    def content(self, key):
        return known.content(key, self.size)

    def store(self, args):
        # One connection: there are thousands of them.
        client = Client(args.origin)
        for key in self.keys:
            status, _, text = client.call("PUT", f"/data/{key}", [self.content(key)])
            if status != 200:
                raise RuntimeError(f"{key} could not be stored: {status} {text[:300]}")
        client.close()

    def compare(self, keys, contents):
        if len(contents) != len(keys):
            raise Wrong(f"{len(contents)} contents of {len(keys)}")
        for key, content in zip(keys, contents):
            if content != self.content(key):
                raise Wrong(f"{key} has wrong bytes: {content and content[:80]}")


def client_of(args):
    """The package's client. It tries once, so that no failure is hidden."""
    return millrace.Client(args.url, credentials=args.credentials, region="us-east-1", patience=0)


# Each part that follows prints its rows.


def warm(args):
    """Server CPU of members of 10 KiB by batches, beside that of as many GETs, in turns."""
    shards = [Shard(f"warm/{number:03}.tar", numbered(20), 10 * KIB) for number in range(200)]
    for shard in shards:
        store(args, shard)
    members = [(shard, name) for shard in shards for name in shard.names]
    batches, gets, chance = client_of(args), Client(args.s3), random.Random(7)
    target = Target(f"gets={args.url},pid={args.pid},key={args.key},bucket=samples-0")
    keys = [f"{shard.key}/{name}" for shard, name in members]

    def by_batch():
        wanted = chance.sample(members, ITEMS)
        found = batches.get_batch("data-0", [(shard.key, name) for shard, name in wanted])
        for (shard, name), content in zip(wanted, found, strict=True):
            shard.compare(name, 200, content)
        return ITEMS

    def by_get():
        for shard, name in chance.sample(members, 64):
            timed(gets, shard, "samples-0", name)
        return 64

    def spent(read, seconds):
        """(CPU seconds of the server an item, seconds an item)."""
        items, before, began = 0, cpu_seconds(args.pid), time.monotonic()
        while time.monotonic() < began + seconds:
            items += read()
        return (cpu_seconds(args.pid) - before) / items, (time.monotonic() - began) / items

    def by_16(seconds):
        began = time.monotonic()
        requests, cpu = load(args, target, keys, seconds)
        return cpu / requests, (time.monotonic() - began) / requests

    ways = {
        "batch": lambda seconds: spent(by_batch, seconds), "get": lambda seconds: spent(by_get, seconds), "16": by_16,
    }
    for number in range(0, len(members), ITEMS):
        part = members[number:number + ITEMS]
        for (shard, name), content in zip(part, batches.get_batch("data-0", [(s.key, n) for s, n in part]), strict=True):
            shard.compare(name, 200, content)
    for way in ways.values():
        way(args.warmup)
    figures = collections.defaultdict(list)
    for number in range(args.rounds):
        for label in list(ways)[::-1 if number % 2 else 1]:
            figures[label].append(ways[label](args.seconds))
    cpu = {label: [one for one, _ in both] for label, both in figures.items()}
    rates = [1 / one for one in cpu["batch"]]
    wall = statistics.median(seconds for _, seconds in figures["batch"])
    row(f"{ITEMS} members of 10 KiB of {len(shards)} tars in a batch, warm, one connection: items a second of server CPU",
        f"{statistics.median(rates):,.0f} ({several(rates, ',.0f')}); {1e6 * statistics.median(cpu['batch']):.1f} µs each; "
        f"{1 / wall:,.0f} items a second by one Python process", "≥ 20,000", statistics.median(rates) < 20_000)
    for label, what, goal in (("get", "one connection", 0.5), ("16", "16 connections", None)):
        ratios = [own / other for own, other in zip(cpu["batch"], cpu[label])]
        row(f"server CPU ÷ that of as many GETs by {what}",
            f"{statistics.median(ratios):.2f} ({several(ratios, '.2f')}); {1e6 * statistics.median(cpu[label]):.1f} µs a GET",
            f"≤ {goal:.2f}" if goal else "", bool(goal) and statistics.median(ratios) > goal)


def clients(args):
    """Samples a second of one Python process, by boto3, http.client and batches, in turns."""
    ways = {"boto3": by_boto3(args), "http.client": by_http(args), "batch": by_batches(args)}
    for size, count, at_once, goals in ((10 * KIB, 2048, 512, (8, 3)), (112 * KIB, 512, 256, None), (MIB, 128, 64, (1.2, 1.2))):
        objects = Objects(f"clients/{size}", count // (2 if args.part > 1 else 1), size)
        objects.store(args)
        rates, chance = collections.defaultdict(list), random.Random(7)
        for read in ways.values():
            for _ in range(2):
                objects.compare(objects.keys, read(objects.keys))
        for number in range(args.rounds):
            for label in list(ways)[::-1 if number % 2 else 1]:
                took = seen = 0
                while took < args.seconds:
                    keys = chance.sample(objects.keys, at_once)
                    began = time.perf_counter()
                    found = ways[label](keys)
                    took += time.perf_counter() - began
                    objects.compare(keys, found)
                    seen += len(keys)
                rates[label].append(seen / took)
        ratios = [[own / other for own, other in zip(rates["batch"], rates[label])] for label in ("boto3", "http.client")]
        medians = [statistics.median(one) for one in ratios]
        row(f"one Python process, warm objects of {size // KIB:,} KiB: samples a second by boto3; http.client; batches of {at_once}",
            "; ".join(f"{statistics.median(rates[label]):,.0f} ({several(rates[label], ',.0f')})" for label in ways))
        row("batches ÷ boto3; ÷ http.client",
            "; ".join(f"{median:.1f} ({several(one, '.1f')})" for median, one in zip(medians, ratios)),
            f"≥ {goals[0]}; ≥ {goals[1]}" if goals else "", bool(goals) and any(own < goal for own, goal in zip(medians, goals)))


def by_boto3(args):
    import boto3
    from botocore.config import Config

    access_key, secret_key = args.credentials
    s3 = boto3.client(
        "s3", endpoint_url=args.url, region_name="us-east-1", aws_access_key_id=access_key, aws_secret_access_key=secret_key,
        config=Config(s3={"addressing_style": "path"}))
    return lambda keys: [s3.get_object(Bucket="data-0", Key=key)["Body"].read() for key in keys]


def by_http(args):
    client = Client(args.s3)

    def read(keys):
        found = []
        for key in keys:
            status, _, body = client.call("GET", f"/data-0/{key}")
            if status != 200:
                raise Wrong(f"{key} answers {status}: {body[:300]}")
            found.append(body)
        return found

    return read


def by_batches(args):
    client = client_of(args)
    return lambda keys: client.get_batch("data-0", keys)


def cold(args):
    """Time and requests to the backend of a batch of cold objects, 20 ms away. The server's own log counts."""
    earlier, objects = (Objects(name, ITEMS, 112 * KIB) for name in ("earlier", "cold"))
    for one in (earlier, objects):
        one.store(args)
    client, seconds, requests = client_of(args), [], []
    for copy in range(args.copies):
        # The code is compiled, and the connections are open.
        earlier.compare(earlier.keys, client.get_batch(f"data-{copy}", earlier.keys))
        before = settled(lambda: asked(args, "cold"))
        began = time.perf_counter()
        found = client.get_batch(f"data-{copy}", objects.keys)
        seconds.append(time.perf_counter() - began)
        objects.compare(objects.keys, found)
        came = settled(lambda: asked(args, "cold"))[len(before):]
        requests.append(len(came))
        expect("what the server was asked for", sorted(set(came)), objects.keys)
    row(f"{ITEMS} cold objects of 112 KiB in a batch, 20 ms away: seconds", several(seconds, ".2f"), "≤ 0.6",
        statistics.median(seconds) > 0.6)
    row("requests to the backend", several(requests, "d"), f"{ITEMS}", max(requests) > ITEMS)


def asked(args, prefix):
    """The keys below a prefix that the server was asked for by anybody so far, one for each request."""
    return re.findall(rf" s3_(?:Get|Head)Object ({prefix}/\S+) ", args.log.read_text())


class Batch:
    """A batch on a connection of its own, whose entries are read one by one."""

    def __init__(self, s3, bucket, items, goes_on=True):
        self.items, self.code, self.item = items, None, None
        self.connection = http.client.HTTPConnection(s3.host, s3.port, timeout=120)
        body = json.dumps({"in": [fields_of(item) for item in items], "coer": goes_on, "onob": True}).encode()
        headers = s3.headers("POST", f"/{bucket}", "batch=", hashlib.sha256(body).hexdigest())
        self.connection.request("POST", f"/{bucket}?batch=", body, headers)
        self.answer = self.connection.getresponse()
        if self.answer.status != 200:
            text = self.answer.read().decode()
            self.code = re.search("<Code>(.*?)</Code>", text)[1]
            self.item = re.search("<Item>(.*?)</Item>", text)
            self.item = int(self.item[1]) if self.item else None
        else:
            self.tar = TarStream(self.answer.read1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def entry(self):
        """(name, code or None, content) of the next item."""
        name, code, content = self.tar.entry()
        name = name.decode()
        if code:
            if not name.startswith("__404__/") or content:
                raise Wrong(f"an item that answers {code} is {name} of {len(content)} bytes")
            name = name.removeprefix("__404__/")
        return name, code, content

    def rest(self, begun=0):
        """(the entries from `begun` on, whether the answer is whole)."""
        entries = []
        try:
            for item in self.items[begun:]:
                name, code, content = self.entry()
                expected = "/".join(fields_of(item)[part] for part in ("objname", "archpath") if part in fields_of(item))
                if name != expected:
                    raise Wrong(f"{name} stands where {expected} is due")
                entries.append((name, code, content))
            self.tar.end()
        except (BrokenAnswerError, http.client.HTTPException, OSError):
            return entries, False
        return entries, True


def codes(args, bucket, items, contents, s3=None):
    """The codes of a batch that goes on, which must be whole; what has none must have its content."""
    with Batch(s3 or args.s3, bucket, items) as batch:
        entries, is_whole = batch.rest() if batch.code is None else ([], False)
    if not is_whole:
        raise Wrong(f"the batch is not whole: {batch.answer.status} {batch.code}, {len(entries)} entries of {len(items)}")
    check(entries, contents)
    return [code for _, code, _ in entries]


def check(entries, contents):
    for (name, code, content), right in zip(entries, contents):
        if code is None and content != right:
            raise Wrong(f"{name} has wrong bytes: {content[:80]}")


def refusal(args, bucket, items, s3=None):
    """(status, code, number of the item) of a batch that does not go on."""
    with Batch(s3 or args.s3, bucket, items, goes_on=False) as batch:
        return batch.answer.status, batch.code, batch.item


def expect(what, found, expected):
    if found != expected:
        raise Wrong(f"{what}: {str(found)[:500]}, not {str(expected)[:500]}")


def set_fault(args, fault):
    with urllib.request.urlopen(f"{args.control}/-/fault?{fault}", timeout=30) as response:
        response.read()


def faults(args):
    """The codes of what is missing, denied, hanging and gone."""
    good, tar = Objects("faults/good", 20, 10 * KIB), Shard("faults/a.tar", numbered(20), 10 * KIB)
    good.store(args)
    store(args, tar)
    first, second = good.keys[:2]
    right = [good.content(first), b"", b"", tar.content(tar.names[3]), good.content(second)]

    missing = [first, "faults/absent", (tar.key, "absent.jpg"), (tar.key, tar.names[3]), second]
    expect("codes of missing items", codes(args, "data-0", missing, right), [None, "NoSuchKey", "NoSuchKey", None, None])
    expect("a missing item", refusal(args, "data-0", missing), (404, "NoSuchKey", 1))
    closed = {"objname": first, "bucket": "closed"}
    reader = S3(args.url, *args.reader.split(":", 1))
    denied = [first, closed, (tar.key, tar.names[3]), second]
    expect("codes of denied items", codes(args, "data-0", denied, [right[0], b"", right[3], right[4]], reader),
           [None, "AccessDenied", None, None])
    expect("a denied item", refusal(args, "data-0", denied, reader), (403, "AccessDenied", 1))
    row("missing objects and members, and what the caller may not read", "NoSuchKey, AccessDenied; 404 and 403 with the item's number "
        "without `coer`; all others right", "their codes")
    hanging(args, good)
    cut(args, good)
    deleted(args)
    expect("codes after all of it", codes(args, "data-0", good.keys, map(good.content, good.keys)), [None] * len(good.keys))


def hanging(args, good):
    """Items of a backend that says nothing."""
    bad = Objects("faults/bad", 40, 10 * KIB)
    bad.store(args)
    few = [*good.keys[:5], *({"objname": key, "bucket": "bad"} for key in bad.keys[:3]), *good.keys[5:]]
    contents = [*map(good.content, good.keys[:5]), b"", b"", b"", *map(good.content, good.keys[5:])]
    set_fault(args, "delay:40")
    began = time.monotonic()
    found = codes(args, "data-0", few, contents)
    seconds = time.monotonic() - began
    expect("items of a backend that does not hang", found[:5] + found[8:], [None] * len(good.keys))
    if not set(found[5:8]) <= NOT_NOW:
        raise Wrong(f"items of a backend that hangs are {found[5:8]}")
    many = [good.keys[0], *({"objname": key, "bucket": "bad"} for key in bad.keys[:30]), good.keys[1]]
    with Batch(args.s3, "data-0", many) as batch:
        entries, is_whole = batch.rest() if batch.code is None else ([], False)
    if is_whole:
        raise Wrong("a batch that lacks 30 items just now looks whole")
    check(entries, [good.content(good.keys[0])])
    status, code, item = refusal(args, "data-0", [{"objname": bad.keys[30], "bucket": "bad"}, good.keys[0]])
    if status < 500 or code not in NOT_NOW or item != 0:
        raise Wrong(f"a batch of what hangs answers {status} {code}, item {item}")
    set_fault(args, "none")
    row("three items of a backend that hangs, among 20 others; 30 of them; one without `coer`",
        f"{'/'.join(sorted(set(found[5:8])))} after {seconds:.1f} s, the others right; the batch breaks; {status} {code}",
        "codes of the kind *not now*; no batch that looks whole")
    recover(args, bad.keys[-1], bad)


def recover(args, key, objects):
    """Until the backend is read again, whose circuit is open."""
    latest = time.monotonic() + 60
    while codes(args, "bad", [key], [objects.content(key)]) != [None]:
        if time.monotonic() > latest:
            raise Wrong("the backend is still not read a minute after it has come back")
        time.sleep(0.5)


def cut(args, good):
    """Bodies that the backend cuts after their first bytes."""
    large = Objects("faults/large", 1, 6 * MIB)
    large.store(args)
    set_fault(args, "cut:1000")
    with Batch(args.s3, "bad", [{"objname": good.keys[0], "bucket": "data-0"}, large.keys[0]]) as batch:
        entries, is_whole = batch.rest() if batch.code is None else ([], False)
    check(entries, [good.content(good.keys[0]), large.content(large.keys[0])])
    outcome = "the answer breaks"
    if is_whole:
        # Without a code its bytes are right: it was fetched piece by piece.
        outcome = entries[1][1] or "whole and right"
        if entries[1][1] and outcome not in NOT_NOW:
            raise Wrong(f"an object whose bytes do not come is {outcome}")
    set_fault(args, "none")
    recover(args, large.keys[0], large)
    row("an object of 6 MiB whose body is cut after 1,000 bytes, each time", outcome, "no batch that looks whole, or a code")


def deleted(args):
    """Objects that go while the batch is read: behind more bytes than sockets and those opened ahead have."""
    objects, gone = Objects("faults/gone", 240, 256 * KIB), 40
    objects.store(args)
    with Batch(args.s3, "data-0", objects.keys) as batch:
        entries = [batch.entry()]
        for key in objects.keys[-gone:]:
            status = args.origin.call("DELETE", f"/data/{key}")[0]
            expect("a DELETE at the server", status, 204)
        rest, is_whole = batch.rest(1)
    entries += rest
    if not is_whole:
        raise Wrong(f"a batch of which some objects went breaks after {len(entries)} of {len(objects.keys)}")
    check(entries, map(objects.content, objects.keys))
    expect("codes of objects that went", [code for _, code, _ in entries],
           [None] * (len(objects.keys) - gone) + ["NoSuchKey"] * gone)
    row(f"{gone} of {len(objects.keys)} objects deleted at the backend while the batch is read", "NoSuchKey, the others right", "their codes")


class Memory:
    """The most memory of the gateway, watched by a thread."""

    def __init__(self, args):
        self.args, self.over, self.resident, self.direct = args, threading.Event(), 0.0, 0.0
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(0.1):
            self.take()

    def take(self):
        self.resident = max(self.resident, resident_mib(self.args.pid))
        self.direct = max(self.direct, metric(self.args, 'jvm_buffer_memory_used_bytes\\{id="direct"[^ ]*') / MIB)


def memory(args):
    """(resident, direct) MiB now."""
    now = Memory(args)
    now.take()
    return now.resident, now.direct


def crowd(args):
    """Batches at once, whose clients read, stand still or leave: what memory of the gateway that takes."""
    objects = Objects("crowd", 2048, 10 * KIB)
    objects.store(args)
    client = client_of(args)
    for number in range(0, len(objects.keys), ITEMS):
        for _ in range(2):
            part = objects.keys[number:number + ITEMS]
            objects.compare(part, client.get_batch("data-0", part))
    before, figures, seconds = memory(args), [], []
    for number in range(3):
        began = time.monotonic()
        with Memory(args) as most:
            whole = at_once(args, objects, 128)
        seconds.append(time.monotonic() - began)
        figures.append((most.resident, most.direct))
    expect("whole batches", whole, 128)
    flat(f"128 batches at once of {ITEMS} warm objects of 10 KiB, thrice; {several(seconds, '.1f')} s", before, figures, args)

    standing, figures = settled_memory(args), []
    for number in range(3):
        go = threading.Event()
        with Memory(args) as most, concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(at_once, args, objects, 128, go)
            time.sleep(4)
            if waiting.done():
                raise Wrong(f"nobody stands still: {waiting.exception()}")
            go.set()
            expect("whole batches after their clients stood still", waiting.result(), 128)
        figures.append((most.resident, most.direct))
    flat("128 batches at once whose clients stand still after the first item for 4 s, thrice", standing, figures, args)

    gone = Objects("gone", 1024, 112 * KIB)
    gone.store(args)
    leaving, figures = settled_memory(args), []
    for number in range(3):
        with Memory(args) as most:
            leave(args, gone.keys if number else gone.keys[:ITEMS])
        figures.append((most.resident, most.direct))
    flat(f"128 clients that leave in the middle of a batch of {ITEMS}, cold at first, thrice", leaving, figures, args)
    began = time.monotonic()
    objects.compare(objects.keys[:ITEMS], client.get_batch("data-0", objects.keys[:ITEMS]))
    seconds = time.monotonic() - began
    row("the next batch after that is whole in", f"{seconds:.2f} s", "1 s", seconds > 1)


def at_once(args, objects, count, go=None):
    """How many of so many batches are whole; all others are wrong. Before `go` is set, clients stand still after the first item."""

    def read(number):
        keys = random.Random(number).sample(objects.keys, ITEMS)
        start.wait()
        with Batch(args.s3, "data-0", keys) as batch:
            if batch.code:
                raise Wrong(f"batch {number} answers {batch.answer.status} {batch.code}")
            entries = [batch.entry()]
            if go:
                go.wait()
            rest, is_whole = batch.rest(1)
        entries += rest
        if not is_whole:
            raise Wrong(f"batch {number} breaks after {len(entries)} items")
        if any(code for _, code, _ in entries):
            raise Wrong(f"batch {number} has codes: {collections.Counter(code for _, code, _ in entries)}")
        check(entries, map(objects.content, keys))
        return 1

    start = threading.Barrier(count)
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return sum(pool.map(read, range(count)))


def leave(args, keys):
    """128 clients that close their connections after the first item."""

    def read(number):
        with Batch(args.s3, "data-0", random.Random(number).sample(keys, ITEMS)) as batch:
            batch.entry()
            batch.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with concurrent.futures.ThreadPoolExecutor(128) as pool:
        list(pool.map(read, range(128)))
    latest = time.monotonic() + 30
    while any(metric(args, "millrace_s3_in_flight", "millrace_cache_fills")):
        if time.monotonic() > latest:
            raise Wrong("requests of clients that have left, or their fetches, go on after 30 s")
        time.sleep(0.1)


def settled_memory(args):
    settled(lambda: metric(args, "millrace_s3_in_flight", "millrace_cache_fills", "millrace_cache_stored_bytes_total"))
    return memory(args)


def flat(what, before, figures, args):
    """A row of resident and direct memory. The first time fills pools and caches; further times may take no more."""
    after = settled_memory(args)
    grown = [figures[-1][kind] - figures[0][kind] for kind in (0, 1)]
    row(f"{what}: MiB before; at most, each time; after; resident (direct)",
        "; ".join(f"{resident:.0f} ({direct:.0f})" for resident, direct in (before, *figures, after)),
        "the last time no more than the first, but for 64", max(grown) > 64)


PARTS = {"warm": warm, "clients": clients, "cold": cold, "faults": faults, "crowd": crowd}


def main():
    parser = options(__doc__, PARTS)
    parser.add_argument("--log", type=pathlib.Path, required=True, help="the server's access log")
    parser.add_argument("--reader", default="readerkey:readersecret", help="an identity that may not read the bucket `closed`")
    run(parser, PARTS)


if __name__ == "__main__":
    main()
