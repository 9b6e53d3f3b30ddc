#!/usr/bin/env python3
"""What clients see of a backend in trouble, and the clients of another backend. Traffic goes to loopback only.

Reads unsigned from two buckets of one gateway, `bad` and `good`; the backend of `bad` is behind faulty_proxy.py.

    faults.py --s3 17272 --admin 17273 --control 17281 --loadgen bench/loadgen seed | see | others | dead

Objects are computed by the origin; a real server is filled by `seed` first, and then each byte of `see` is compared. `see` fails if a
client sees what it may not with a fault: a wrong byte above all.
"""
import argparse
import asyncio
import http.client
import itertools
import random
import re
import statistics
import subprocess
import threading
import time
import urllib.request

from s3lite import S3

WHOLE, BROKEN, ARRIVES, REFUSED = "whole", "broken connection", "still arrives", "503"

# The name, what the proxy does, and what clients may see.
FAULTS = [
    ("none", "none", {WHOLE}),
    ("first byte after 30 s", "delay:30", {WHOLE, REFUSED}),
    ("10 KB/s", "slow:10000", {ARRIVES}),
    ("reset", "reset", {REFUSED}),
    ("cut after 100 kB", "cut:100000", {WHOLE}),
    ("refused", "refuse", {REFUSED}),
    ("503 in 1 %", "status:503:1", {WHOLE}),
    ("503 in 10 %", "status:503:10", {WHOLE, REFUSED}),
    ("503 in 50 %", "status:503:50", {WHOLE, REFUSED}),
    ("wrong length", "length", {BROKEN, REFUSED}),
    ("wrong range", "range", {BROKEN, REFUSED}),
    ("changed in mid-read", "replaced:100000", {BROKEN, REFUSED}),
]
# With this fault clients ask for the third quarter of an object.
RANGED = "range"
numbers = itertools.count(int(time.time()))


def control(options, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{options.control}{path}", timeout=10) as response:
        return response.read().decode()


def arrived(options):
    """Requests that have come to the proxy."""
    return int(re.search("requests=([0-9]+)", control(options, "/-/stats"))[1])


def fault(options, name):
    control(options, f"/-/fault?{name}")


def content(name):
    """The bytes of a seeded object, whose size its name ends in."""
    return random.Random(name).randbytes(int(name.rpartition("/")[2]))


def read(options, name, limit=40.0, part=slice(None)):
    """(what came, seconds to the response's head, seconds) of one GET from the bad bucket."""
    begin, head = time.monotonic(), None
    connection = http.client.HTTPConnection("127.0.0.1", options.s3, timeout=limit)
    try:
        connection.request("GET", f"/bad/{name}", headers={} if part.start is None else {"Range": f"bytes={part.start}-{part.stop - 1}"})
        response = connection.getresponse()
        head = time.monotonic() - begin
        body = bytearray()
        while piece := response.read(8192):
            body += piece
            if time.monotonic() - begin > limit:
                return ARRIVES, head, time.monotonic() - begin
        return outcome(options, response, body, name, part), head, time.monotonic() - begin
    except http.client.IncompleteRead:
        return BROKEN, head, time.monotonic() - begin
    except OSError as e:
        return type(e).__name__, head, time.monotonic() - begin
    finally:
        connection.close()


def outcome(options, response, body, name, part):
    """http.client reports no body that ends early if it is read in pieces."""
    if response.status not in (200, 206):
        return str(response.status)
    size = len(range(*part.indices(int(name.rpartition("/")[2]))))
    if options.server and body != content(name)[part][: len(body)]:
        return "WRONG BYTES"
    if len(body) != int(response.getheader("Content-Length")):
        return BROKEN
    return WHOLE if len(body) == size else "WRONG LENGTH"


SEEN, AGAIN = 8, 400


def seed(options):
    """Puts what `see` reads."""
    client = S3(f"http://127.0.0.1:{options.s3}", "benchkey", "benchsecret")
    assert client.call("PUT", "/seeded")[0] == 200
    names = [f"see-{fault}-{i}/{4 << 20}" for fault in range(len(FAULTS)) for i in range(SEEN)]
    for name in ["warm/65536"] + [f"again-{i}/1000" for i in range(AGAIN)] + names:
        status, _, body = client.call("PUT", f"/seeded/{name}", content(name))
        assert status == 200, (name, status, body)


def see(options):
    """Eight cold objects of 4 MiB and a cached one for each fault, at the same time."""
    fault(options, "none")
    read(options, "warm/65536")
    wrong = []
    print("| fault | 8 cold reads of 4 MiB | head after (s) | end after (s) | cached |")
    for number, (name, setting, expected) in enumerate(FAULTS):
        part = slice(2 << 20, 3 << 20) if setting == RANGED else slice(None)
        if setting == RANGED:
            for i in range(SEEN):  # The version is known, so the part is asked for and nothing else.
                read(options, f"see-{number}-{i}/{4 << 20}", part=slice(0, 1000))
        fault(options, setting)
        results, before = [], arrived(options)
        limit = 12 if setting.startswith("slow") else 40
        threads = [
            threading.Thread(target=lambda i=i: results.append(read(options, f"see-{number}-{i}/{4 << 20}", limit, part))) for i in range(SEEN)
        ]
        for thread in threads:
            thread.start()
        cached = read(options, "warm/65536")[0]
        for thread in threads:
            thread.join()
        kinds = {kind: sum(result[0] == kind for result in results) for kind in sorted({result[0] for result in results})}
        heads = [result[1] for result in results if result[1] is not None]
        head = f"{max(heads):.1f}" if heads else "–"
        if setting.startswith("cut"):
            name += f", {(arrived(options) - before) / SEEN:.0f} requests each"
        print(f"| {name} | {'; '.join(f'{count} × {kind}' for kind, count in kinds.items())} | {head} | {max(r[2] for r in results):.1f} | {cached} |", flush=True)
        if options.server == "hub" and setting.startswith("replaced"):
            expected = {WHOLE}  # A file is named by its hash, and the ETag of the server that sends it says nothing.
        if not set(kinds) <= expected or cached != WHOLE:
            wrong.append(name)
        fault(options, "none")
        recovered(options)
    if wrong:
        raise SystemExit("clients saw what they may not: " + ", ".join(wrong))


def recovered(options, limit=10.0):
    """Seconds until reads of the bad bucket succeed, five in a row."""
    begin, good = time.monotonic(), 0
    while good < 5 and time.monotonic() - begin < limit:
        if read(options, f"again-{next(numbers) % AGAIN}/1000", 5)[0] == WHOLE:
            good += 1
        else:
            good = 0
            time.sleep(0.05)
    return time.monotonic() - begin


class Hammer:
    """Readers of cold objects of the bad bucket, each at most RATE a second."""

    def __init__(self, options, readers=32, rate=4.0):
        self.options, self.readers, self.rate = options, readers, rate
        self.outcomes = []  # (time, right)
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.thread.join()

    async def run(self):
        tasks = [asyncio.ensure_future(self.reader(i)) for i in range(self.readers)]
        while not self.stopping.is_set():
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def reader(self, index):
        await asyncio.sleep(index / self.readers / self.rate)
        while True:
            begin = time.monotonic()
            self.outcomes.append((time.monotonic(), await self.one()))
            await asyncio.sleep(max(0, 1 / self.rate - (time.monotonic() - begin)))

    async def one(self):
        writer = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.options.s3)
            writer.write(f"GET /bad/hammer-{next(numbers)}/65536 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.read(-1)
            return b" 200 " in head[:20] and len(body) == 65536
        except (OSError, asyncio.IncompleteReadError):
            return False
        finally:
            if writer:
                writer.close()


def load(options, name, objects, workers):
    """p99 of reads from the good bucket, in ms."""
    output = subprocess.run(
        [options.loadgen, "read", "--url", f"http://127.0.0.1:{options.s3}/good", "--name", name, "--objects", str(objects),
         "--size", "16KiB", "--workers", str(workers)], check=True, capture_output=True, text=True).stdout
    assert "failed=0" in output and "wrong=0" in output, output
    return float(re.search(r"^whole_ms_p99=([0-9.]+)", output, re.M)[1])


ALTERNATIONS = 5
MOST = 1.5  # times the p99 of the quiet windows


def others(options):
    """p99 of warm and cold reads of the other backend, with each fault in turns with quiet windows, under the same load of the bad bucket."""
    for _ in range(3):
        load(options, "warm", options.objects, 8)
    print(f"| fault, {ALTERNATIONS} times | warm p99 (ms), quiet and with it | | cold p99 (ms) | |")
    wrong = []
    for name, setting, _ in [FAULTS[i] for i in (1, 2, 5, 8)]:
        windows = {"none": [], setting: []}
        with Hammer(options):
            for _ in range(ALTERNATIONS):
                for now, seen in windows.items():
                    fault(options, now)
                    time.sleep(1)
                    warm = load(options, "warm", options.objects, 8)
                    seen.append((warm, load(options, f"cold-{next(numbers)}", options.objects // 4, 8)))
                fault(options, "none")
                recovered(options)
        cells = []
        for kind in (0, 1):
            quiet, loud = (statistics.median(window[kind] for window in seen) for seen in windows.values())
            cells.append(f"{quiet:.1f}, {loud:.1f} | {loud / quiet:.2f} x")
            if loud > MOST * quiet:
                wrong.append(f"{name}, {('warm', 'cold')[kind]}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    if wrong:
        raise SystemExit(f"more than {MOST} x of the quiet windows: " + "; ".join(wrong))


def sent(options):
    """Requests that the gateway has sent to the bad backend, refused connections among them."""
    with urllib.request.urlopen(f"http://127.0.0.1:{options.admin}/metrics", timeout=10) as response:
        lines = response.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if re.match(r'millrace_backend_call_seconds_count\{.*backend="bad"', line))


# What a dead server does, the seconds until it must count as down, and readers: those that wait for one that hangs read nothing else.
DEAD = [("reset", 6, 32), ("refuse", 6, 32), ("status:503:100", 8, 32), ("delay:3600", 65, 256)]


def dead(options):
    """Requests to a dead backend, and the time to full speed after it is back."""
    wrong = []
    for name, wait, readers in DEAD:
        fault(options, "none")
        recovered(options)
        with Hammer(options, readers, 128 / readers) as hammer:
            time.sleep(4)
            begin = time.monotonic()
            before = len([1 for at, right in hammer.outcomes if at > begin - 2 and right])
            fault(options, name)
            time.sleep(wait)
            count, begin = sent(options), time.monotonic()
            time.sleep(10)
            count, asked = sent(options) - count, len([1 for at, _ in hammer.outcomes if at > begin])
            back = time.monotonic()
            fault(options, "none")
            time.sleep(5)
            end = time.monotonic()
            failed = [at - back for at, right in hammer.outcomes if at > back and not right]
            after = len([1 for at, right in hammer.outcomes if end - 2 < at <= end and right])
        print(f"{name}: {count:.0f} requests in 10 s ({asked} of clients); last failure {max(failed, default=0):.1f} s after it was back; "
              f"{before / 2:.0f} reads a second before, {after / 2:.0f} from the third to the fifth second after", flush=True)
        # One a second, and one for where the ten seconds begin.
        if count > 11 or after < 0.8 * before:
            wrong.append(name)
    if wrong:
        raise SystemExit("too many requests, or too slow afterwards: " + ", ".join(wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["seed", "see", "others", "dead"])
    parser.add_argument("--s3", type=int, required=True)
    parser.add_argument("--control", type=int, required=True)
    parser.add_argument("--admin", type=int, required=True)
    parser.add_argument("--loadgen", required=True)
    parser.add_argument("--server", help="the real server behind the proxy; without it the origin")
    parser.add_argument("--objects", type=int, default=8000)
    options = parser.parse_args()
    {"seed": seed, "see": see, "others": others, "dead": dead}[options.what](options)


main()
