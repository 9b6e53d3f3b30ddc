#!/usr/bin/env python3
"""Reads what a service makes of objects (docs/transforms.md) through a gateway, and prints what that costs beside its goals, as rows of a table
in Markdown. Every thumbnail is compared with one that this program makes itself, but under the load of `warm`; the first wrong byte or code
ends the run. Traffic goes to loopback only.

    transforms.py --url http://127.0.0.1:17272 ... cold|shared|warm|version|faults

bench/transforms.sh starts what it needs but the service, which is started here, and the gateway with the buckets `images`, `thumbs` of the
transform `thumb` of those, `few`, the same with a quota of 21 results of 3 MiB, and `plain`. All can be read without a signature.
"""
import collections
import concurrent.futures
import http.client
import io
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import threading
import time

from PIL import Image

from cost_of_get import Target
from kill_writes import Client
from s3lite import S3
from samples import KIB, MIB, Wrong, load, metric, options, row, run, several
from thumbnailer import thumbnail

CONNECTIONS = 16
BROKEN = (http.client.HTTPException, OSError)


class Reader:
    """One connection to a server, which is made anew when it broke."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def call(self, method, path, body=None):
        """(status, code of an error, body)."""
        self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            self.connection.request(method, path, body)
            answer = self.connection.getresponse()
            content = answer.read()
        except BROKEN:
            self.close()
            raise
        code = content.partition(b"<Code>")[2].partition(b"</Code>")[0].decode() if answer.status >= 400 else ""
        return answer.status, code, content

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Service:
    """The thumbnailer, in a process of its own."""

    def __init__(self, args):
        self.port, self.process = args.service, None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        program = [sys.executable, "-B", os.path.join(os.path.dirname(__file__), "thumbnailer.py"), "--port", str(self.port)]
        self.process = subprocess.Popen(program)
        latest = time.monotonic() + 60
        while not self.responds():
            if time.monotonic() > latest or self.process.poll() is not None:
                raise RuntimeError("the thumbnailer does not start")
            time.sleep(0.05)

    def responds(self):
        try:
            return self.ask("/health") == "Running"
        except BROKEN:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, path):
        reader = Reader(self.port)
        try:
            return reader.call("GET", path)[2].decode()
        finally:
            reader.close()

    def calls(self):
        return int(self.ask("/-/calls"))

    def mode(self, mode):
        self.ask(f"/-/mode/{mode}")


class Pictures:
    """JPEGs of about 95 KiB below a prefix, each another one, and their thumbnails."""

    def __init__(self, prefix, count):
        noise = [Image.effect_noise((600, 475), 30) for _ in range(3)]
        self.bodies = {}
        for number in range(count):
            # Another part of the same noise each time: that itself takes longer than all else.
            parts = [channel.crop((at, at, at + 500, at + 375)) for channel, at in zip(noise, random.sample(range(100), 3))]
            file = io.BytesIO()
            Image.merge("RGB", parts).save(file, "JPEG", quality=85, comment=f"{prefix}/{number}".encode())
            self.bodies[f"{prefix}/{number:05}.jpg"] = file.getvalue()
        self.keys = list(self.bodies)
        self.thumbnails = {key: thumbnail(body) for key, body in self.bodies.items()}

    def store(self, args):
        store(args, "data", self.bodies)

    def compare(self, key, status, body):
        if status != 200 or body != self.thumbnails[key]:
            raise Wrong(f"{key} answers {status} with {len(body)} bytes: {body[:300]}")


def store(args, bucket, bodies):
    client = Client(args.origin)
    for key, body in bodies.items():
        status, _, text = client.call("PUT", f"/{bucket}/{key}", [body])
        if status != 200:
            raise RuntimeError(f"{key} could not be stored: {status} {text[:300]}")
    client.close()


def at_once(port, keys, read):
    """Seconds in which all keys are read by 16 connections; `read` gets a reader and a key."""
    waiting, lock = list(keys), threading.Lock()

    def worker(_):
        reader = Reader(port)
        while True:
            with lock:
                if not waiting:
                    reader.close()
                    return
                key = waiting.pop()
            read(reader, key)

    began = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(worker, range(CONNECTIONS)))
    return time.perf_counter() - began


# Each part that follows prints its rows.


def cold(args):
    """Thumbnails a second through the gateway, of objects that are not cached either, beside the service asked by the same clients."""
    count = 400 // args.part
    with Service(args) as service:
        rates = collections.defaultdict(list)
        # The first round is none: code is compiled, and connections are opened.
        for number in range(args.rounds + 1):
            pictures = Pictures(f"cold/{number}", count)
            pictures.store(args)

            def directly(reader, key):
                status, _, body = reader.call("PUT", f"/images/{key}", pictures.bodies[key])
                pictures.compare(key, status, body)

            def through(reader, key):
                status, _, body = reader.call("GET", f"/thumbs/{key}")
                pictures.compare(key, status, body)

            ways = {"directly": (service.port, directly), "through": (args.s3.port, through)}
            for label in list(ways)[::-1 if number % 2 else 1]:
                port, read = ways[label]
                before = service.calls()
                seconds = at_once(port, pictures.keys, read)
                if service.calls() != before + count:
                    raise Wrong(f"{count} thumbnails {label} cost {service.calls() - before} calls")
                if number:
                    rates[label].append(count / seconds)
    ratios = [own / other for own, other in zip(rates["through"], rates["directly"])]
    row(f"{count} cold thumbnails of pictures of 95 KiB, {CONNECTIONS} connections: a second, through; the service asked directly, with the bytes "
        "at hand", f"{several(rates['through'], '.0f')}; {several(rates['directly'], '.0f')}")
    row("through ÷ directly", f"{statistics.median(ratios):.2f} ({several(ratios, '.2f')})", "≥ 0.9", statistics.median(ratios) < 0.9)


def shared(args):
    """Calls for 100 readers at once of one cold thumbnail."""
    readers, rounds = 100, max(2, args.rounds)
    pictures = Pictures("shared", rounds)
    pictures.store(args)
    calls = []
    with Service(args) as service:
        for key in pictures.keys:
            before, start = service.calls(), threading.Barrier(readers)

            def read(_):
                reader = Reader(args.s3.port)
                # Connected before: they come at once.
                reader.call("GET", "/plain/absent")
                start.wait(60)
                status, _, body = reader.call("GET", f"/thumbs/{key}")
                reader.close()
                pictures.compare(key, status, body)

            with concurrent.futures.ThreadPoolExecutor(readers) as pool:
                list(pool.map(read, range(readers)))
            calls.append(service.calls() - before)
    row(f"calls of the service for {readers} readers at once of one cold thumbnail", several(calls, "d"), "1", max(calls) > 1)


def warm(args):
    """Server CPU of cached thumbnails beside that of objects of as many bytes, in turns."""
    pictures = Pictures("warm", 200 // args.part)
    pictures.store(args)
    store(args, "plain", pictures.thumbnails)
    reader = Reader(args.s3.port)
    with Service(args):
        for _ in range(2):
            for key in pictures.keys:
                for bucket in ("thumbs", "plain"):
                    status, _, body = reader.call("GET", f"/{bucket}/{key}")
                    pictures.compare(key, status, body)
    targets = {name: Target(f"{name}={args.url},pid={args.pid},key={args.key},bucket={name}") for name in ("thumbs", "plain")}
    for target in targets.values():
        load(args, target, pictures.keys, args.warmup)
    cpu = collections.defaultdict(list)
    for number in range(args.rounds):
        for name in list(targets)[::-1 if number % 2 else 1]:
            requests, spent = load(args, targets[name], pictures.keys, args.seconds)
            cpu[name].append(1e6 * spent / requests)
    ratios = [own / other for own, other in zip(cpu["thumbs"], cpu["plain"])]
    size = statistics.mean(map(len, pictures.thumbnails.values()))
    row(f"server CPU of a warm thumbnail of {size / KIB:.1f} KiB ÷ that of an object of as many bytes, {CONNECTIONS} connections",
        f"{statistics.median(ratios):.2f} ({several(ratios, '.2f')}); {statistics.median(cpu['thumbs']):.1f} µs", "≤ 1.05",
        statistics.median(ratios) > 1.05)


def version(args):
    """New results once the version is raised, by a reload."""
    pictures = Pictures("version", 20)
    pictures.store(args)
    with Service(args) as service:

        def read_all():
            tags, before = {}, service.calls()
            for key in pictures.keys:
                status, headers, body = S3(args.url).call("GET", f"/thumbs/{key}")
                pictures.compare(key, status, body)
                tags[key] = {name.lower(): value for name, value in headers.items()}["etag"]
            return tags, service.calls() - before

        first, made = read_all()
        again, none = read_all()
        if made != len(pictures.keys) or none or first != again:
            raise Wrong(f"{made} calls, then {none}")
        raised = args.settings.read_text().replace('version: "1"', 'version: "2"')
        args.settings.write_text(raised)
        applied = metric(args, "millrace_settings_reloads_total")
        os.kill(int(args.pid), signal.SIGHUP)
        latest = time.monotonic() + 60
        while metric(args, "millrace_settings_reloads_total") == applied:
            if time.monotonic() > latest:
                raise Wrong("the settings are not reloaded")
            time.sleep(0.1)
        second, anew = read_all()
        kept, none = read_all()
        alike = [key for key in pictures.keys if first[key] == second[key]]
        if anew != len(pictures.keys) or none or alike or kept != second:
            raise Wrong(f"after the version was raised: {anew} calls, then {none}; {len(alike)} ETags of before")
    row("calls for 20 thumbnails: cold, warm, after `version` was raised, warm", f"{made}, 0, {anew}, 0; no ETag of before", "20, 0, 20, 0")


# Those of what may be had later; the second if there was no turn in time.
NOT_NOW = {"ServiceUnavailable", "SlowDown"}

# What the gateway answers while the service does this.
FAULTS = {
    "hang": (NOT_NOW, "hangs"),
    "cut": (NOT_NOW, "breaks off in its bodies"),
    "fail": (NOT_NOW, "responds with 500"),
    "refuse": ({"TransformFailed"}, "responds with 415"),
    "much": ({"TransformFailed"}, "makes more than `max-size`"),
}


class Beside:
    """A reader of warm objects of another bucket, ten milliseconds apart."""

    def __init__(self, args, bodies):
        self.port, self.bodies, self.seconds, self.over = args.s3.port, bodies, [], threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.read)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        if self.failure:
            raise self.failure

    def read(self):
        reader, keys = Reader(self.port), list(self.bodies)
        try:
            while not self.over.wait(0.01):
                key = random.choice(keys)
                began = time.perf_counter()
                status, _, body = reader.call("GET", f"/plain/{key}")
                self.seconds.append(time.perf_counter() - began)
                if status != 200 or body != self.bodies[key]:
                    raise Wrong(f"{key} of another bucket answers {status}: {body[:300]}")
        except (Wrong, *BROKEN) as failure:
            self.failure = failure
        reader.close()

    def p99(self):
        return 1000 * statistics.quantiles(self.seconds, n=100)[98]


def faults(args):
    """Codes of a service in trouble, and how long a reader of another bucket waits meanwhile."""
    pictures = Pictures("faults", 60)
    pictures.store(args)
    store(args, "plain", pictures.thumbnails)
    fresh = iter(pictures.keys)
    with Service(args) as service:
        with Beside(args, pictures.thumbnails) as before:
            time.sleep(args.seconds)
        well = before.p99()
        for mode, (expected, what) in FAULTS.items():
            service.mode(mode)
            row_of(args, what, expected, [next(fresh) for _ in range(8)], pictures, well, lambda: service.mode("well"))
        service.kill()
        row_of(args, "is not there", NOT_NOW, [next(fresh) for _ in range(8)], pictures, well, service.start)
        other(args, service, pictures, well)


def row_of(args, what, expected, keys, pictures, well, mend):
    with Beside(args, pictures.thumbnails) as beside:
        found = collections.Counter()
        latest = time.monotonic() + args.seconds
        lock = threading.Lock()

        def read(key):
            reader = Reader(args.s3.port)
            while True:
                _, code, _ = reader.call("GET", f"/thumbs/{key}")
                with lock:
                    found[code] += 1
                if time.monotonic() > latest:
                    reader.close()
                    return
                time.sleep(0.05)

        with concurrent.futures.ThreadPoolExecutor(len(keys)) as pool:
            list(pool.map(read, keys))
    mend()
    if not set(found) <= expected:
        raise Wrong(f"of a service that {what}: {dict(found)}")
    reader, began = Reader(args.s3.port), time.monotonic()
    for key in keys:
        status, _, body = reader.call("GET", f"/thumbs/{key}")
        while status == 503 and time.monotonic() < began + 60:
            time.sleep(0.1)
            status, _, body = reader.call("GET", f"/thumbs/{key}")
        pictures.compare(key, status, body)
    # A reader that comes each 10 ms hears of a stall of a few: the goal is about the hundreds that a queue would cost.
    row(f"the service {what}: code; p99 of a GET of another bucket meanwhile, before; all thumbnails right after",
        f"{'/'.join(sorted(found))}; {beside.p99():.1f} ms, {well:.1f} ms; {time.monotonic() - began:.1f} s", "≤ 3 ×, or 10 ms",
        beside.p99() > max(3 * well, 10))


def other(args, service, pictures, well):
    """Results that differ each time, of a bucket whose quota has room for a third of them: no response is of two."""
    service.mode("other")
    keys, found, lock = pictures.keys, collections.Counter(), threading.Lock()
    reads = 60 // args.part

    def read(number):
        reader, chance = Reader(args.s3.port), random.Random(number)
        for _ in range(reads):
            try:
                status, code, body = reader.call("GET", f"/few/{chance.choice(keys)}")
            except BROKEN:
                status, code, body = 0, "broken off", b""
            if status == 200 and (len(body) != 3 * MIB or body.count(body[0]) != len(body)):
                raise Wrong(f"a response is of two results, or a part of one: {len(body)} bytes, {sorted(set(body))}")
            with lock:
                found[code or "whole"] += 1
        reader.close()

    before = service.calls()
    with Beside(args, pictures.thumbnails) as beside, concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(read, range(4)))
    calls = service.calls() - before
    service.mode("well")
    outcomes = ", ".join(f"{count} {what}" for what, count in sorted(found.items()))
    row(f"the service makes something else each time, 3 MiB, of which 21 have room: {4 * reads} GETs of {len(keys)} keys; calls; "
        "p99 of another bucket, before",
        f"{outcomes}; {calls}; {beside.p99():.1f} ms, {well:.1f} ms", "none of two results", not found["whole"])


PARTS = {"cold": cold, "shared": shared, "warm": warm, "version": version, "faults": faults}


def main():
    parser = options(__doc__, PARTS)
    parser.add_argument("--service", type=int, required=True, help="the port that the service takes")
    parser.add_argument("--settings", type=pathlib.Path, required=True, help="the gateway's settings file")
    run(parser, PARTS)


if __name__ == "__main__":
    main()
