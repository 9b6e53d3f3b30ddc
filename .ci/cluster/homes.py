"""One cache of three disks: what `placement: shared` promises behind HAProxy that gives each request to the next member, and what a relayed read costs.

What the store has sent is counted by its process, in whatever it wrote to its connections; what members have received, by their meters.
"""

import bisect
import collections
import concurrent.futures
import http.client
import itertools
import os
import pathlib
import random
import re
import signal
import statistics
import sys
import threading
import time
import uuid

from balancer import Balancer
from costs import costing, idle_of, signed_gets, wrk
from kill_writes import BROKEN, Client
from load import Load
from members import ACCESS_KEY, ANNOUNCED, SECRET_KEY, STRONG, Cluster, await_all
from s3lite import S3

STRICT = "exact"
# As the page of the cluster has it, but that objects have homes, that no time ends while this runs, and with a strict bucket.
SETTINGS = [
    ("secret-file: join", "secret-file: join\n  placement: shared"),
    (
        "{ name: checkpoints, backend: store, coherence: strong }",
        f"{{ name: {STRICT}, backend: store, freshness: {{ mode: strict }} }}, {{ name: checkpoints, backend: store, coherence: strong, freshness: {{ ttl: 1h }} }}",
    ),
    ('{ name: "*", backend: store }', '{ name: "*", backend: store, freshness: { ttl: 1h } }'),
]
GETS, READERS = 10_000, 32
COLD, RANGE, WHOLE = 64 << 20, 1 << 20, 0.002  # of some GETs all is read, and a range of the others
LONGEST_FIRST_BYTE, AFTER = 0.7, 10
# A fill whose source has broken off pauses before it goes on elsewhere, and its readers wait for that too.
FROZEN_BODY = 0.2
# Too much for the disk of a member, not for those of three, nor for the one that a gateway alone has.
DISK, ONE_DISK, SMALL, OBJECTS = "256MiB", "768MiB", 128 << 10, 3_584
# Each with how many objects are read once in a round, and the goal.
RELAYED = [("4 KiB", 4 << 10, 1_500, "6"), ("1 MiB", 1 << 20, 60, "8, better 4"), ("16 MiB", 16 << 20, 24, "8, better 4")]
LONG_READERS, LONG, PIECE = 100, 64 << 20, 1 << 20
WRITERS, SLOTS = 4, 100  # a key is written again when its home is asked for it again, 2.25 leases later
STRICT_READERS = 1_000

# One GET: when it began, when its first byte came and when it ended, the member by HAProxy's name, "ok", "failed" or "wrong", whether the member that
# was asked had all of it, and what was responded if not all is well.
Read = collections.namedtuple("Read", "begun first ended member outcome local said")


class Reader(Client):
    """A client that compares what it reads."""

    def read(self, path, wanted, first=None):
        """Of an object, or of its range from `first` on."""
        extra = None if first is None else {"Range": f"bytes={first}-{first + len(wanted) - 1}"}
        begun, at, outcome, member, cache = time.monotonic(), None, "failed", "", ""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.s3.host, self.s3.port, timeout=60)
            self.connection.request("GET", path, headers=self.s3.headers("GET", path, payload_sha256="UNSIGNED-PAYLOAD", extra=extra))
            response = self.connection.getresponse()
            member, cache = response.getheader("x-member", ""), response.getheader("cache-status", "")
            if response.length:
                response.peek(1)
            at = time.monotonic()
            body = response.read()
            if response.status == (200 if first is None else 206):
                outcome = "ok" if body == wanted else "wrong"
            said = "" if outcome == "ok" else f"{response.status} {body[:300]}"
        except BROKEN as failure:
            said = repr(failure)
            self.close()
        # The status of the member that was asked is the last one.
        return Read(begun, at, time.monotonic(), member, outcome, "; hit" in cache.rpartition(",")[2], said)


def run_homes(place):
    for part in (run_colds, run_shares, run_relays, run_long_readers, run_freshness):
        if not place.only or re.search(place.only, part.__name__):
            place.attempt(part)


def each(s3, items, work, clients=4):
    """What `work` returns of a client and each of the items, in their order, by clients at the same time."""

    def part(first):
        reader = Reader(s3)
        return [work(reader, item) for item in items[first::clients]]

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        parts = list(pool.map(part, range(clients)))
    return [parts[number % clients][number // clients] for number in range(len(items))]


def fill(place, items, content):
    """Puts objects into the store, of which no member hears."""

    def put(client, item):
        path, body = content(item)
        status, _, said = client.s3.call("PUT", path, body)
        assert status == 200, (status, said)

    each(S3(place.store, *place.store_key), items, put)


def sent_by(place):
    """The bytes that the process of the store has written anywhere, by the kernel's count."""
    process = (place.store_folder.parent / "pid").read_text().strip()
    fields = dict(line.split(": ") for line in pathlib.Path(f"/proc/{process}/io").read_text().splitlines())
    return int(fields["wchar"])


def figures(cluster, meter, label=""):
    """Of each member, None of one that does not respond."""
    time.sleep(1)  # what a member says of itself is some tenths of a second old
    return [cluster.figure(number, meter, label) for number in range(cluster.count)]


def relayed(cluster):
    return figures(cluster, "millrace_cluster_relayed_reads_total")


def received(cluster):
    return figures(cluster, "millrace_backend_received_bytes_total")


def grown(after, before):
    """By how much, over the members that respond."""
    return sum(one - earlier for one, earlier in zip(after, before) if None not in (one, earlier))


def await_relays(place, cluster):
    """Until each member reads from homes: one that has just begun, or that missed something, asks none for a while."""

    def all_relay():
        before, paths = relayed(cluster), [f"/{ANNOUNCED}/homes/{uuid.uuid4()}" for _ in range(8)]
        fill(place, paths, lambda path: (path, b"probe"))
        for number in range(cluster.count):
            each(cluster.s3(number), paths, lambda reader, path: reader.read(path, b"probe"))
        return all(None not in pair and pair[0] > pair[1] for pair in zip(relayed(cluster), before))

    place.hold(await_all(all_relay, 90), f"homes: not all members of {cluster.folder.name} read from homes 90 s after they were ready")


def await_balanced(place, cluster, balancer):
    """Until all members get requests of the balancer."""

    def gets_all():
        headers = [S3(balancer.endpoint).call("GET", "/")[1] for _ in range(2 * cluster.count)]
        return len({one["x-member"] for one in headers if "x-member" in one}) == cluster.count

    place.hold(await_all(gets_all, 60), f"homes: {balancer.name} does not send requests to all {cluster.count} members")


def percentile(times, part):
    return sorted(times)[len(times) * part // 100] if times else float("nan")


def first_bytes(reads):
    return [one.first - one.begun for one in reads if one.outcome == "ok"]


def run_colds(place):
    gets = 2_000 if place.brief else GETS
    rows = [["", "GETs", "sent by the store, to its size", "received by members that respond", "fallbacks", "wrong", "failed at the dead", "failed elsewhere"]]
    rows[0] += ["first byte ms, p50, p99", f"p99 in {AFTER} s after", "s"]
    with Cluster(place, "colds", SETTINGS) as cluster, Balancer(place, cluster, "haproxy", in_turn=True) as balancer:
        front = [balancer.endpoint]
        await_relays(place, cluster)
        await_balanced(place, cluster, balancer)
        usual = Storm(place, cluster, front, *cold_object(place)).run(gets)
        rows.append(usual.row("nothing else"))
        once = usual.sent / COLD, usual.received / COLD
        why = f"by the store's process, by the members' meters, with {usual.fallbacks:.0f} fallbacks"
        place.hold(all(0.99 <= one <= 1.01 for one in once), f"homes: a cold object cost {once[0]:.3f}, {once[1]:.3f} times its bytes {why}")
        place.hold(usual.wrong == usual.elsewhere == 0, f"homes: {usual.wrong} reads were wrong, {usual.elsewhere} failed: {usual.told()}")
        for name, count, after in ("killed after 20 GETs", gets // 5, 20), ("killed in the middle", gets, gets // 2):
            path, body, home = object_with_home(place, cluster)
            storm = Storm(place, cluster, front, path, body, home)
            storm.run(count, after, lambda: cluster.end(home, signal.SIGKILL))
            rows.append(judged(place, storm, f"home {name}", usual))
            cluster.start(home)
            cluster.await_ready([home])
            await_relays(place, cluster)
            await_balanced(place, cluster, balancer)
        # A balancer is silent as long as the member is, so its clients ask the others.
        path, body, home = object_with_home(place, cluster)
        storm = Storm(place, cluster, [cluster.endpoint(number) for number in range(3) if number != home], path, body, home)
        storm.run(gets // 5, 20, lambda: cluster.signal(home, signal.SIGSTOP))
        cluster.signal(home, signal.SIGCONT)
        rows.append(judged(place, storm, "home frozen after 20 GETs, without HAProxy", usual, FROZEN_BODY))
    place.say(f"homes: GETs of one cold object of {COLD >> 20} MiB by {READERS} readers, of ranges of {RANGE >> 20} MiB but for {WHOLE:.1%} that read all")
    place.table(rows)


def judged(place, storm, name, usual, patience=0):
    place.hold(storm.sent <= 3 * COLD, f"homes: {name}: the store sent {storm.sent / COLD:.2f} times the object's bytes")
    place.hold(storm.wrong == storm.elsewhere == 0, f"homes: {name}: {storm.wrong} wrong, {storm.elsewhere} failed elsewhere: {storm.told()}")
    # What a machine with other work may add is in the reads of the same object without a fault.
    slowest = LONGEST_FIRST_BYTE + patience + percentile(first_bytes(usual.reads), 99)
    place.hold(storm.first_after() <= slowest, f"homes: {name}: the first byte took {storm.first_after():.2f} s at p99, more than {slowest:.2f} s")
    return storm.row(name)


def cold_object(place):
    path, body = f"/{ANNOUNCED}/homes/cold-{uuid.uuid4()}", os.urandom(COLD)
    fill(place, [path], lambda path: (path, body))
    return path, body


def object_with_home(place, cluster):
    """A cold object and its home: the member that asks no other for its metadata."""
    for _ in range(5):
        path, body = cold_object(place)
        before = relayed(cluster)
        for number in range(3):
            status, _, said = cluster.s3(number).call("HEAD", path)
            assert status == 200, (status, said)
        asked = [after > earlier for after, earlier in zip(relayed(cluster), before)]
        if asked.count(False) == 1:
            return path, body, asked.index(False)
    sys.exit(f"of five objects none has one home: the members that asked another are {asked}")


class Storm:
    """GETs of a cold object by readers who begin at once, what they saw, and what it cost. Its `home` may die meanwhile."""

    def __init__(self, place, cluster, endpoints, path, body, home=None):
        self.place, self.cluster, self.endpoints, self.path, self.body = place, cluster, endpoints, path, body
        self.dead = None if home is None else "abc"[home]
        self.reads, self.struck = [], None

    def run(self, gets, after=0, fault=None):
        """Calls `fault` when `after` of the GETs have ended."""
        before, fallbacks, sent, begun = received(self.cluster), self.fell_back(), sent_by(self.place), time.monotonic()
        together = threading.Barrier(READERS)
        with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(self.reader, number, gets, together) for number in range(READERS)]
            if fault:
                while len(self.reads) < after and not all(one.done() for one in readers):
                    time.sleep(0.005)
                self.struck = time.monotonic()
                fault()
            for reader in readers:
                reader.result()
        self.took, self.sent = time.monotonic() - begun, sent_by(self.place) - sent
        self.received, self.fallbacks = grown(received(self.cluster), before), grown(self.fell_back(), fallbacks)
        self.wrong = sum(one.outcome == "wrong" for one in self.reads)
        self.failed = [one for one in self.reads if one.outcome == "failed"]
        self.elsewhere = sum(not self.is_of_the_dead(one) for one in self.failed)
        return self

    def reader(self, number, gets, together):
        chance = random.Random(f"{self.place.seed} {self.path} {number}")
        reader = Reader(S3(self.endpoints[number % len(self.endpoints)], ACCESS_KEY, SECRET_KEY))
        together.wait(60)
        for turn in range(number, gets, READERS):
            first = None if turn < 3 or chance.random() < WHOLE else chance.randrange(len(self.body) - RANGE)
            wanted = self.body if first is None else self.body[first : first + RANGE]
            self.reads.append(reader.read(self.path, wanted, first))
        reader.close()

    def fell_back(self):
        return figures(self.cluster, "millrace_cluster_fallbacks_total")

    def is_of_the_dead(self, read):
        """Of a response that does not begin HAProxy does not say whom it had asked."""
        if self.struck is None or len(self.endpoints) > 1:
            return False
        return read.member == self.dead or (not read.member and read.begun < self.struck + 1 and read.ended > self.struck)

    def first_after(self):
        """The 99th percentile of the times of first bytes, of what was read just after the fault."""
        return percentile(first_bytes(one for one in self.reads if self.struck <= one.begun < self.struck + AFTER), 99)

    def told(self):
        return [one for one in self.reads if one.outcome == "wrong" or (one.outcome == "failed" and not self.is_of_the_dead(one))][:2]

    def row(self, name):
        usual = first_bytes(one for one in self.reads if self.struck is None or one.begun < self.struck)
        costs = [f"{one / COLD:.3f}" for one in (self.sent, self.received)]
        counts = [f"{self.fallbacks:.0f}", self.wrong, len(self.failed) - self.elsewhere, self.elsewhere]
        times = [f"{1e3 * percentile(usual, 50):.0f}, {1e3 * percentile(usual, 99):.0f}", f"{1e3 * self.first_after():.0f}" if self.struck else ""]
        return [name, f"{len(self.reads):,}", *costs, *counts, *times, f"{self.took:.0f}"]


def run_shares(place):
    """All objects once, so that there is something for each place on a disk, then as Zipf has it. The same for both."""
    chance = random.Random(f"{place.seed} shares")
    weights = list(itertools.accumulate(1 / rank for rank in range(1, OBJECTS + 1)))
    order = chance.sample(range(OBJECTS), OBJECTS)
    gets = 12_000 if place.brief else 40_000
    order += [bisect.bisect_left(weights, chance.random() * weights[-1]) for _ in range(gets)]
    random_bytes = os.urandom(SMALL + 64 * OBJECTS)

    def content(number):
        return f"/{ANNOUNCED}/shares/{number}", random_bytes[64 * number : 64 * number + SMALL]

    fill(place, list(range(OBJECTS)), content)
    rows = [["", "GETs", "MiB sent by the store", "MiB received from it", "to one gateway", "served locally, of the last half", "wrong or failed"]]

    def measured(name, cluster, s3):
        before, sent = received(cluster), sent_by(place)
        reads = each(s3, order, lambda reader, number: reader.read(*content(number)), 8)
        sent, bytes_received = sent_by(place) - sent, grown(received(cluster), before)
        last = reads[-gets // 2 :]
        local, bad = sum(one.local for one in last) / len(last), [one for one in reads if one.outcome != "ok"]
        rows.append([name, f"{len(reads):,}", f"{sent / 2**20:,.0f}", f"{bytes_received / 2**20:,.0f}", "", f"{local:.0%}", len(bad)])
        place.hold(not bad, f"homes: {name}: {len(bad)} reads were wrong or failed, as {bad[:1]}")
        return bytes_received, local

    with Cluster(place, "shares-one", [*SETTINGS, ("size: 1GiB", f"size: {ONE_DISK}")], count=1, joined=False) as one:
        of_one, _ = measured(f"one gateway with a disk of {ONE_DISK}", one, one.s3(0))
    with Cluster(place, "shares", [*SETTINGS, ("size: 1GiB", f"size: {DISK}")]) as three, Balancer(place, three, "haproxy", in_turn=True) as balancer:
        await_relays(place, three)
        of_three, local = measured(f"three members with {DISK} each", three, S3(balancer.endpoint, ACCESS_KEY, SECRET_KEY))
    rows[-1][4] = f"{of_three / of_one:.2f}"
    place.say(f"homes: {OBJECTS:,} objects of {SMALL >> 10} KiB, {OBJECTS * SMALL >> 20} MiB, each once and then by Zipf's law")
    place.table(rows)
    place.hold(of_three <= 1.1 * of_one, f"homes: three members received {of_three / of_one:.2f} times what one gateway with their disks does")
    place.hold(local >= 0.6, f"homes: {local:.0%} of reads were served by the member that was asked")


def run_relays(place, kinds=RELAYED, name="relays"):
    """The ratios at the median, by the sizes' names. Each object is relayed once in a round, since a member keeps what it relays again and again. The
    first round compiles."""
    rows = [["a hit of", "GETs, local, relayed", "µs of processor of all, local", "relayed", "of that the member that is asked", "ratio: p25, p50, p75", "goal"]]
    rows[0].append("requests to homes, to relayed GETs")
    found = {}
    # Room for all that is read, so that each home has it.
    with Cluster(place, name, [*SETTINGS, ("size: 1GiB", "size: 4GiB")]) as cluster:
        await_relays(place, cluster)
        idle = idle_of({"": cluster}, 5 if place.brief else 20)[""]
        for kind, size, count, goal in kinds:
            body, rounds = os.urandom(size), []
            for turn in range(4 if place.brief else 8):
                rounds.append(one_round(place, cluster, idle, f"/{ANNOUNCED}/relays/{turn}-{size}", body, min(count, 500) if place.brief else count))
            gets, requests, near, far, asked = zip(*rounds[1:])
            ratios = statistics.quantiles([one / other for one, other in zip(far, near)], n=4)
            found[kind] = ratios[1]
            medians = [f"{1e6 * statistics.median(one):,.0f}" for one in (near, far, asked)]
            share = sum(requests) / sum(gets)
            rows.append([kind, f"{sum(gets):,} each", *medians, ", ".join(f"{one:.1f}" for one in ratios), goal, f"{share:.2f}"])
            place.hold(share >= 0.9, f"homes: of {sum(gets)} GETs of {kind} that should have been relayed homes served {share:.0%}")
    place.say("homes: what a relayed hit costs beside a local one, by the processor's time of all members; all processes share this machine")
    place.table(rows)
    return found


def one_round(place, cluster, idle, prefix, body, count):
    """How many GETs were relayed, by how many requests; then seconds of processor of all members for a local one and a relayed one, and of the member asked."""
    local, remote = placed(place, cluster, prefix, body, count)
    # As many, so that neither has less of what a processor keeps.
    local = list(itertools.islice(itertools.cycle(local), len(remote)))
    before, fetched = relayed(cluster)[0], received(cluster)
    (near, _), (far, asked) = (spent_on(place, cluster, idle, paths, body) for paths in (local, remote))
    place.hold(grown(received(cluster), fetched) < len(body), f"homes: what should have been hits of {len(body)} bytes was fetched from the store")
    return len(remote), relayed(cluster)[0] - before, near, far, asked


def placed(place, cluster, prefix, body, count):
    """Paths of objects that are cached at their homes: of those whose home is the first member, and of others, whose metadata it knows."""
    paths = [f"{prefix}-{number}" for number in range(count)]
    fill(place, paths, lambda path: (path, body))

    def is_relayed(client, path):
        """The first response of another member than the home has the status of both."""
        status, headers, found = client.call("GET", path)
        assert status == 200 and found == body, (status, found[:300])
        return "," in headers.get("cache-status", "")

    through = list(zip(*(each(cluster.s3(number), paths, is_relayed) for number in (1, 2))))
    local = [path for path, both in zip(paths, through) if all(both)]
    remote = [path for path, both in zip(paths, through) if both.count(True) == 1]
    if not local or not remote:
        sys.exit(f"of {count} objects {len(local)} have their home at the first member, and {len(remote)} at others")
    each(cluster.s3(0), remote, lambda client, path: client.call("HEAD", path))
    return local, remote


def spent_on(place, cluster, idle, paths, body):
    """Seconds of processor a GET through the first member: of all members, and of that one."""
    begun, before = time.monotonic(), cluster.cpu_of(0)
    reads, spent = costing(cluster, idle, lambda: each(cluster.s3(0), paths, lambda reader, path: reader.read(path, body)))
    of_first = cluster.cpu_of(0) - before - idle / cluster.count * (time.monotonic() - begun)
    bad = [one for one in reads if one.outcome != "ok"]
    place.hold(not bad, f"homes: {len(bad)} of {len(paths)} GETs were wrong or failed, as {bad[:1]}")
    return spent / len(paths), of_first / len(paths)


def run_long_readers(place):
    """Readers wait after the first piece until the object has another content. The rest is more than what connections hold."""
    readers = 30 if place.brief else LONG_READERS
    rows = [["overwritten while it is read", "", "readers", "read all of the old one", "broken", "wrong"]]
    with (
        Cluster(place, "long-one", SETTINGS, count=1, joined=False) as one,
        Cluster(place, "long", SETTINGS) as three,
        Balancer(place, three, "haproxy", in_turn=True) as balancer,
    ):
        await_relays(place, three)
        await_balanced(place, three, balancer)
        for state in ("cached", "cold"):
            broken = {}
            for name, cluster, endpoint in ("one gateway", one, one.endpoint(0)), ("three members", three, balancer.endpoint):
                outcomes = overwritten(place, cluster, S3(endpoint, ACCESS_KEY, SECRET_KEY), readers, state == "cached")
                counts = collections.Counter(outcomes)
                broken[name] = counts["broken"]
                rows.append([state, name, readers, counts["whole"], counts["broken"], counts["wrong"]])
                place.hold(not counts["wrong"], f"homes: {counts['wrong']} of {readers} long readers of {name} got a mixture, {state}")
            more = f"{broken['three members']} of {readers} long readers were broken by a write, of one gateway {broken['one gateway']}"
            place.hold(broken["three members"] <= broken["one gateway"], f"homes: {state}: {more}")
    place.say(f"homes: long readers of an object of {LONG >> 20} MiB that is overwritten after they have read {PIECE >> 20} MiB")
    place.table(rows)


def overwritten(place, cluster, s3, readers, cached):
    """What became of each reader: it got the "whole" old content, was "broken", or got something "wrong"."""
    path, old, new = f"/{ANNOUNCED}/homes/long-{uuid.uuid4()}", os.urandom(LONG), os.urandom(LONG)
    fill(place, [path], lambda path: (path, old))
    if cached:
        assert Reader(s3).read(path, old).outcome == "ok"
        time.sleep(2)  # until it is on a disk
    begun, written = threading.Barrier(readers + 1), threading.Event()

    def pieces(connection):
        connection.request("GET", path, headers=s3.headers("GET", path, payload_sha256="UNSIGNED-PAYLOAD"))
        response = connection.getresponse()
        while response.status == 200 and (piece := response.read(PIECE)):
            yield piece

    def read(_):
        connection, at, outcome = http.client.HTTPConnection(s3.host, s3.port, timeout=110), 0, "whole"
        try:
            for piece in pieces(connection):
                if piece != old[at : at + len(piece)]:
                    outcome = "wrong"
                if not at:
                    begun.wait(100)
                    written.wait(100)
                at += len(piece)
        except BROKEN:
            pass
        connection.close()
        if not at:
            begun.wait(100)
        return outcome if outcome == "wrong" or at == len(old) else "broken"

    with concurrent.futures.ThreadPoolExecutor(readers) as pool:
        running = [pool.submit(read, number) for number in range(readers)]
        try:
            begun.wait(100)
            status, _, said = cluster.s3(0).call("PUT", path, new)
            assert status == 200, (status, said)
        finally:
            written.set()
        outcomes = [one.result() for one in running]
    stale = [number for number in range(cluster.count) if Reader(cluster.s3(number)).read(path, new).outcome != "ok"]
    place.hold(not stale, f"homes: members {stale} of {cluster.folder.name} do not have what was written under long readers")
    return outcomes


def run_freshness(place):
    rows = [["bucket", "writes", "reads", "of these relayed", "stale or wrong", "failed", "s"]]
    with Cluster(place, "freshness", SETTINGS) as cluster, Balancer(place, cluster, "haproxy", in_turn=True) as balancer:
        await_relays(place, cluster)
        for bucket in (STRONG, STRICT):
            before, begun = relayed(cluster), time.monotonic()
            outcomes = writes_read_elsewhere(place, cluster, bucket)
            took, through_homes = time.monotonic() - begun, grown(relayed(cluster), before)
            stale, failed = ([said for kind, said in outcomes if kind == one] for one in ("stale", "failed"))
            reads = sum(kind != "written" for kind, _ in outcomes)
            rows.append([bucket, f"{len(outcomes) - reads:,}", f"{reads:,}", f"{through_homes:,.0f}", len(stale), len(failed), f"{took:.0f}"])
            place.hold(not stale, f"homes: {len(stale)} reads in {bucket} were not of the last write, as {stale[:1]}")
            place.hold(not failed, f"homes: {len(failed)} requests in {bucket} failed, as {failed[:1]}")
            place.hold(through_homes > 0, f"homes: no read in {bucket} was relayed, so this shows nothing")
        at_random(place, cluster, rows)
        place.say(f"homes: each write is read at once through the two other members, then its own, and another key that was written some time ago; {STRICT} is strict")
        place.table(rows)
        strict_readers(place, cluster, balancer)


def writes_read_elsewhere(place, cluster, bucket):
    """What became of each request: each writer has keys of its own, so that nothing but its last write may be read."""

    def run(writer):
        chance, clients = random.Random(f"{place.seed} {bucket} {writer}"), [Reader(cluster.s3(number)) for number in range(3)]
        found, bodies = [], {}

        def read(number, path):
            one = clients[number].read(path, bodies[path])
            found.append(("stale" if one.outcome == "wrong" else one.outcome, f"gw-{number} says of {path}, {bodies[path]}: {one.said}"))

        for turn in range(150 if place.brief else 600):
            path, first = f"/{bucket}/fresh/{writer}-{turn % SLOTS}", chance.randrange(3)
            bodies[path] = b"%d of %d" % (turn, writer)
            try:
                status, _, said = clients[first].call("PUT", path, [bodies[path]])
            except BROKEN as failure:
                status, said = 0, repr(failure)
            found.append(("written" if status == 200 else "failed", f"PUT of {path} through gw-{first}: {status} {said[:300]}"))
            for number in (1, 2, 0):
                read((first + number) % 3, path)
            read(chance.randrange(3), chance.choice(list(bodies)))
        return found

    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        return [one for found in pool.map(run, range(WRITERS)) for one in found]


def at_random(place, cluster, rows):
    """Reads and writes of the same keys at the same time, compared as those under faults are."""
    before, begun = relayed(cluster), time.monotonic()
    with Load(cluster, place.seed, [lambda: [0, 1, 2]] * 9) as load:
        time.sleep(10 if place.brief else 30)
    took, through_homes = time.monotonic() - begun, grown(relayed(cluster), before)
    counts = collections.Counter("written" if (one.kind, one.outcome) == ("write", "ok") else one.outcome for one in load.operations)
    bad, reads = counts["stale"] + counts["wrong"], sum(one.kind == "read" for one in load.operations)
    name = f"{STRONG} and {ANNOUNCED}, at the same time"
    rows.append([name, f"{len(load.operations) - reads:,}", f"{reads:,}", f"{through_homes:,.0f}", bad, counts["failed"], f"{took:.0f}"])
    told = [one.said for one in load.operations if one.outcome != "ok"]
    place.hold(not bad and not counts["failed"] and not load.mistakes, f"homes: {name}: {dict(counts)}, as {told[:1]} {load.mistakes[:1]}")
    found = load.differences(Client(S3(place.store, *place.store_key)))
    place.hold(not found, f"homes: {len(found)} keys differ at the end, as {found[:1]}")


def strict_readers(place, cluster, balancer):
    """The mean number of requests to the store that are under way is how many there are for each of their round trips."""
    fill(place, [f"/{STRICT}/read"], lambda path: (path, os.urandom(4 << 10)))
    script = signed_gets(place, cluster, balancer.endpoint, STRICT, ["read"])
    wrk(balancer.endpoint, STRICT_READERS, 5, script)
    calls = [figures(cluster, f"millrace_backend_call_seconds_{part}") for part in ("count", "sum")]
    begun = time.monotonic()
    gets = wrk(balancer.endpoint, STRICT_READERS, 10 if place.brief else 30, script)
    took = time.monotonic() - begun
    count, seconds = (grown(figures(cluster, f"millrace_backend_call_seconds_{part}"), before) for part, before in zip(("count", "sum"), calls))
    place.say(
        f"homes: {STRICT_READERS:,} strict readers of one object read it {gets:,} times in {took:.0f} s: {count:,.0f} requests to the store, of"
        f" {1e3 * seconds / max(1, count):.1f} ms in the mean, {seconds / took:.2f} in each round trip"
    )
    place.hold(seconds / took <= 2, f"homes: {STRICT_READERS:,} strict readers cost {seconds / took:.2f} requests to the store in each round trip")
