"""What clients see of a cluster in which members are killed, frozen, cut off and restarted, while they read and write through all of it."""

import collections
import email.utils
import os
import re
import signal
import struct
import sys
import threading
import time

from kill_writes import Client
from load import Load
from members import ANNOUNCED, LEASE, STRONG, Cluster, await_all
from s3lite import S3

STRONG_WAIT, ANNOUNCED_WAIT = 1 + 1.125 * LEASE, 1.0
LONGEST_RECOVERY = 60
CALM = 3
AHEAD = 600  # less than a signature may be old


class Window:
    """A fault, from its begin until all is well again."""

    def __init__(self, name, hurt):
        self.name, self.hurt = name, set(hurt)
        self.begun, self.ended = time.monotonic(), None
        self.healed = self.begun

    def has(self, operation):
        return operation.begun <= self.ended and operation.ended >= self.begun


def kill(cluster, seconds):
    last = cluster.count - 1
    cluster.end(last, signal.SIGKILL)
    time.sleep(seconds)
    yield
    cluster.start(last)
    cluster.await_ready([last])


def freeze(cluster, seconds):
    cluster.signal(1, signal.SIGSTOP)
    time.sleep(seconds)
    yield
    cluster.signal(1, signal.SIGCONT)


def cut(ways):
    def fault(cluster, seconds):
        for one, other in ways:
            cluster.cut(one, other)
        time.sleep(seconds)
        yield
        cluster.heal()

    return fault


def step_clock(cluster, seconds):
    """The time of day of a member jumps ahead, and back."""
    set_clock(cluster, 1, AHEAD)
    time.sleep(seconds)
    yield
    set_clock(cluster, 1, 0)


def set_clock(cluster, number, ahead):
    """By ahead.c, which the members were started with. The file is never empty, since it is mapped."""
    with open(cluster.folder / f"ahead-{number}", "r+b") as file:
        file.write(struct.pack("q", ahead))
    client = Client(cluster.s3(number))

    def is_set():
        told = email.utils.parsedate_to_datetime(client.call("GET", "/")[1]["date"]).timestamp()
        return abs(told - time.time() - ahead) < 10

    if not await_all(is_set, 20):
        sys.exit(f"gw-{number} does not tell the time of day that is {ahead} s ahead")


def kill_all(cluster, seconds):
    """The first to be killed misses most, and is the first to come back."""
    *others, last = range(cluster.count)
    for number in range(cluster.count):
        cluster.end(number, signal.SIGKILL)
        time.sleep(seconds / cluster.count)
    for number in others:
        cluster.start(number)
        time.sleep(seconds / cluster.count + (0 if number else 3))
    yield
    cluster.start(last)
    cluster.await_ready(range(cluster.count))


def faults_of(count):
    """Each with the members that are not expected to serve meanwhile."""
    members = range(count)
    pairs = [(one, other) for one in members for other in members if one != other]
    faults = [
        ("kill -9 and restart", kill, 1.0, [count - 1]),
        ("SIGSTOP, short", freeze, 0.4, [1]),
        ("SIGSTOP", freeze, 1.0, [1]),
        ("SIGSTOP, long", freeze, 3.75, [1]),
        ("cut of one way", cut([(0, 1)]), 1.0, []),
        ("cut of one way, from all others to one", cut([(one, other) for one, other in pairs if other == count - 1]), 1.0, []),
        ("halves", cut([(one, other) for one, other in pairs if (one < count // 2) != (other < count // 2)]), 1.0, []),
        ("each alone", cut(pairs), 1.0, []),
        ("clock 10 minutes ahead, and back", step_clock, 1.0, []),
        ("all killed, the stalest starts first", kill_all, 1.0, list(members)),
    ]
    # Two have been cut both ways by the halves, and one way.
    return [fault for fault in faults if count > 2 or fault[0] not in ("cut of one way, from all others to one", "each alone")]


# One of each kind.
BRIEF = ("kill -9 and restart", "SIGSTOP, short", "cut of one way", "halves", "clock 10 minutes ahead, and back", "all killed, the stalest starts first")


def restart(number):
    def fault(cluster, seconds):
        cluster.end(number, signal.SIGTERM)
        yield
        cluster.start(number)
        cluster.await_ready([number])

    return fault


def run_faults(place):
    choices = [lambda member=member: [member] for member in range(place.members) for _ in range(max(2, 9 // place.members))]
    chosen = [fault for fault in faults_of(place.members) if (re.search(place.only, fault[0]) if place.only else not place.brief or fault[0] in BRIEF)]
    edits = []
    if any(fault is step_clock for _, fault, _, _ in chosen):
        edits = [("./millrace serve", f"AHEAD=$PWD/ahead-$n LD_PRELOAD={place.work}/ahead.so ./millrace serve")]
    cluster = Cluster(place, "faults", edits, relayed=True, count=place.members)
    for number in range(place.members):
        (cluster.folder / f"ahead-{number}").write_bytes(bytes(8))
    with cluster:
        disturb(place, cluster, choices, chosen)


def run_restarts(place):
    """Clients follow the health checks of a balancer, of which each sees a stop before the port is closed."""
    edits = [("s3: { port: 909$n }", "s3: { port: 909$n, shutdown-delay: 2s }")]
    with Cluster(place, "restarts", edits, count=place.members, relayed=place.namespaces) as cluster:
        members = list(range(place.members))
        healthy, over = list(members), threading.Event()

        def probe():
            while not over.wait(0.2):
                healthy[:] = [number for number in members if cluster.is_ready(number)]

        threading.Thread(target=probe, daemon=True).start()
        rounds = members * (1 if place.brief else 2)
        disturb(place, cluster, [lambda: list(healthy)] * 9, [(f"restart of gw-{number}", restart(number), 0, []) for number in rounds])
        over.set()


def disturb(place, cluster, choices, faults):
    windows, begun = [], time.monotonic()
    with Load(cluster, place.seed, choices) as load:
        time.sleep(CALM)
        # Round after round, until enough has been asked; a fault ends whatever was found.
        while not windows or (load.answered() < place.requests and not place.broken_promises and not load.mistakes):
            inject(place, cluster, faults, windows)
        seconds = time.monotonic() - begun
    report(place, load, windows)
    tell_sums(place, load, seconds)
    found = load.differences(Client(S3(place.store, *place.store_key)))
    place.say(f"at the end each key through each member beside the store, {len(load.doubtful)} in doubt among them: {len(found)} differ")
    place.hold(not found, f"{len(found)} keys differ at the end, as {found[:1]}")
    alive = [thread for thread in load.threads if thread.is_alive()]
    place.hold(not alive and not load.mistakes, f"{len(alive)} clients did not end; {load.mistakes[:1]}")


def inject(place, cluster, faults, windows):
    """Each fault once; its window comes to the others when it is over."""
    for name, fault, share, hurt in faults:
        seconds = place.seconds * share
        window = Window(f"{name}, {seconds:.0f} s" if seconds else name, hurt)
        for _ in fault(cluster, seconds):
            window.healed = time.monotonic()
        windows.append(window)
        well = await_all(cluster.are_well, LONGEST_RECOVERY)
        place.hold(well, f"{window.name}: not all members are well {LONGEST_RECOVERY} s after its end")
        # What a member says of itself is some tenths of a second old.
        time.sleep(1)
        window.ended = time.monotonic()
        # A member that was paused gets no lease for a while, up to a minute after several pauses; the next fault finds all leases held.
        await_all(cluster.holds_leases, 15 if place.brief else 70)
        print(f"{window.name}: {window.begun:.3f}, over {window.healed:.3f}, well {window.ended:.3f}, leases {time.monotonic():.3f}", flush=True)
        time.sleep(CALM)


def tell_sums(place, load, seconds):
    """What became of all requests; of each bucket how many were answered, and the longest time for which one of them was stale."""
    operations = list(load.operations)
    rate = 60 * len(operations) / seconds
    place.say(f"{load.name}, {place.members} members: {len(operations):,} requests in {seconds:.0f} s, {rate:,.0f} a minute on {os.cpu_count()} processors")
    for bucket, coherence in ((STRONG, "strong"), (ANNOUNCED, "announced")):
        counts = collections.Counter(one.outcome for one in operations if one.bucket == bucket)
        oldest = max((one.age for one in operations if one.bucket == bucket), default=0.0)
        answered = sum(counts.values()) - counts["failed"]
        place.say(f"{coherence}: {answered:,} answered, {counts['wrong']} wrong, {counts['stale']} stale, the oldest by {oldest:.1f} s; {counts['failed']} failed")


def longest(operations, bucket):
    return max((one.ended - one.begun for one in operations if one.bucket == bucket and one.kind == "write" and one.outcome == "ok"), default=0.0)


def report(place, load, windows):
    operations, calm = list(load.operations), Window("none", [])
    named = {window.name: [one for one in windows if one.name == window.name] for window in windows}
    rows = [(calm, "", [one for one in operations if not any(window.has(one) for window in windows)])]
    for rounds in named.values():
        recovery = max(window.ended - window.healed for window in rounds)
        rows.append((rounds[0], f"{recovery:.1f}", [one for one in operations if any(window.has(one) for window in rounds)]))
    head = ["fault", "well after s", "reads", "hits", "writes", "wrong", "strong stale", "announced stale", "oldest s", "failed elsewhere", "failed there"]
    table = [[*head, f"strong slow ({STRONG_WAIT:.1f})", f"announced slow ({ANNOUNCED_WAIT:.1f})"]]
    # What a machine with other work may add to the promised waits of writes.
    slack = 1 + 2 * max(longest(rows[0][2], bucket) for bucket in (STRONG, ANNOUNCED))
    for window, recovery, inside in rows:
        elsewhere = [one for one in inside if one.member not in window.hurt]
        reads = [one for one in inside if one.kind == "read"]
        outcomes = collections.Counter((one.outcome, one.bucket) for one in inside)
        wrong = outcomes["wrong", STRONG] + outcomes["wrong", ANNOUNCED]
        failed = [sum(one.outcome == "failed" for one in some) for some in (elsewhere, inside)]
        slow = [longest(elsewhere, bucket) for bucket in (STRONG, ANNOUNCED)]
        table.append([
            window.name, recovery, len(reads),
            f"{sum(one.hit for one in reads) / max(1, len(reads)):.0%}", len(inside) - len(reads), wrong, outcomes["stale", STRONG], outcomes["stale", ANNOUNCED],
            f"{max((one.age for one in inside), default=0.0):.1f}", failed[0], failed[1] - failed[0], f"{slow[0]:.1f}", f"{slow[1]:.1f}",
        ])
        place.hold(reads, f"{window.name}: nothing was read")
        place.hold(not wrong, f"{window.name}: {wrong} wrong reads")
        place.hold(not outcomes["stale", STRONG], f"{window.name}: {outcomes['stale', STRONG]} stale reads of a strong bucket")
        place.hold(window is not calm or not outcomes["stale", ANNOUNCED], f"{outcomes['stale', ANNOUNCED]} stale reads of an announced bucket beside the faults")
        place.hold(not failed[0], f"{window.name}: {failed[0]} requests failed through members that the fault is not at")
        place.hold(slow[0] <= STRONG_WAIT + slack, f"{window.name}: a strong write took {slow[0]:.1f} s")
        place.hold(slow[1] <= ANNOUNCED_WAIT + slack, f"{window.name}: an announced write took {slow[1]:.1f} s")
    place.say(f"{load.name}, seed {place.seed}; failed elsewhere and slow, the longest write in s, are of members that the fault is not at")
    place.table(table)
    told = [f"{one.begun:.3f} to {one.ended:.3f}: {one.said}" for one in operations if is_unexpected(one, windows)]
    print(*told[:40], f"{len(told)} requests went another way than expected", sep="\n", flush=True)


def is_unexpected(operation, windows):
    if operation.outcome == "ok":
        return False
    around = [window for window in windows if window.has(operation)]
    if operation.outcome == "failed":
        return not any(operation.member in window.hurt for window in around)
    return operation.outcome == "wrong" or (operation.outcome == "stale" and (operation.bucket == STRONG or not around))
