"""Clients that read and write random keys of two buckets through all members, and a register for each key that every read is compared with."""

import collections
import random
import re
import threading
import time

from kill_writes import BROKEN, Client, content
from members import ANNOUNCED, STRONG

KEYS = 40
SIZES = (100, 4 << 10, 4 << 10, 100 << 10)
PAUSE = 0.01  # of a client after each request, so that all of them leave room for three servers on two cores

# One request: when it began and ended, through which member, on which bucket, "read" or "write", and what came of it: "ok", "failed", "stale"
# or "wrong". `age` is the time since the acknowledgement of what a stale read should have shown, `said` what was responded if not all is well.
Operation = collections.namedtuple("Operation", "begun ended member bucket kind outcome age hit said")
Write = collections.namedtuple("Write", "kind size")


class Register:
    """What a key may be. One write at a time; after one whose outcome is unknown, both states are possible and no other write begins."""

    def __init__(self, bucket, name):
        self.bucket, self.path = bucket, f"/{bucket}/{name}"
        self.writing, self.in_doubt = threading.Lock(), False
        # Each write, and when it was acknowledged; lists are only appended to, by whoever has `writing`.
        self.writes, self.acknowledged, self.refused = [Write("delete", 0)], {0: 0.0}, set()
        self.floor = 0

    def compare(self, status, body, floor, begun):
        """The outcome of a read that began when write `floor` was acknowledged, and the age of a stale one."""
        number = self.number(status, body)
        if number is None or number in self.refused:
            return "wrong", 0.0
        if number >= floor:
            return "ok", 0.0
        return "stale", begun - min(at for write, at in list(self.acknowledged.items()) if write > number)

    def number(self, status, body):
        writes = list(self.writes)
        if status == 404:
            return max(number for number, write in enumerate(writes) if write.kind == "delete" and number not in self.refused)
        head = re.match(rb"(\S+) (\d+) (\d+)\n", body)
        number = int(head[2]) if head else len(writes)
        if number >= len(writes) or writes[number].kind != "put" or body != content(self.path, number, writes[number].size):
            return None
        return number


class Load:
    """Threads that read and write until the end of the context. Each has a function that says which members it may ask now."""

    def __init__(self, cluster, seed, choices):
        self.cluster, self.seed = cluster, seed
        self.over = threading.Event()
        self.operations, self.doubtful, self.mistakes = [], [], []
        self.name = cluster.folder.name  # keys are of this run
        self.registers = {bucket: [Register(bucket, f"{self.name}/{slot}") for slot in range(KEYS)] for bucket in (STRONG, ANNOUNCED)}
        self.threads = [threading.Thread(target=self.run, args=(number, choice), daemon=True) for number, choice in enumerate(choices)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(100)

    def run(self, number, choice):
        chance, clients = random.Random(f"{self.seed} {number}"), {}
        while not self.over.is_set():
            members = choice()
            for left in set(clients) - set(members):
                # As a balancer does with its connections to a member that is not ready.
                clients.pop(left).close()
            if not members:
                time.sleep(0.02)
                continue
            member = chance.choice(members)
            client = clients.setdefault(member, Client(self.cluster.s3(member)))
            try:
                failed = self.act(client, member, chance)
            except Exception as mistake:  # of this program: it must not look like calm
                self.mistakes.append(repr(mistake))
                return
            time.sleep(0.2 if failed else PAUSE)

    def act(self, client, member, chance):
        bucket, slot = chance.choice((STRONG, ANNOUNCED)), chance.randrange(KEYS)
        register = self.registers[bucket][slot]
        if chance.random() < 0.2 and register.writing.acquire(blocking=False):
            try:
                return self.write(client, member, register, chance, slot)
            finally:
                register.writing.release()
        return self.read(client, member, register)

    def read(self, client, member, register):
        floor, begun = register.floor, time.monotonic()
        outcome, age, headers = "failed", 0.0, {}
        try:
            status, headers, body = client.call("GET", register.path)
            if status in (200, 404):
                outcome, age = register.compare(status, body, floor, begun)
            said = f"{status} {body[:60] if status == 200 else body[-300:]}, acknowledged before: write {floor}; {headers.get('cache-status')}"
        except BROKEN as failure:
            said = repr(failure)
        self.note(begun, member, register, "read", outcome, age, "; hit" in headers.get("cache-status", ""), said)
        return outcome == "failed"

    def write(self, client, member, register, chance, slot):
        if register.in_doubt:
            return False
        kind, size = ("delete", 0) if chance.random() < 0.2 else ("put", chance.choice(SIZES))
        number, begun, outcome = len(register.writes), time.monotonic(), "failed"
        register.writes.append(Write(kind, size))
        try:
            body = content(register.path, number, size) if kind == "put" else b""
            status, _, body = client.call("PUT" if kind == "put" else "DELETE", register.path, [body])
            said = f"{status} {body[-300:]}"
            if status in (200, 204):
                register.acknowledged[number] = time.monotonic()
                register.floor, outcome = number, "ok"
        except BROKEN as failure:
            said = repr(failure)
            if isinstance(failure, ConnectionRefusedError):
                register.refused.add(number)
        if outcome == "failed" and number not in register.refused:
            register.in_doubt = True
            self.doubtful.append(register)
            self.registers[register.bucket][slot] = Register(register.bucket, f"{self.name}/{slot}-{len(self.doubtful)}")
        self.note(begun, member, register, "write", outcome, 0.0, False, said)
        return outcome == "failed"

    def answered(self):
        """How many requests have been answered in the bucket that has had fewer."""
        counts = collections.Counter(one.bucket for one in list(self.operations) if one.outcome != "failed")
        return min(counts[bucket] for bucket in self.registers)

    def note(self, begun, member, register, kind, outcome, age, hit, said):
        said = "" if outcome == "ok" else f"{outcome} {kind} of {register.path} through gw-{member}: {said}"
        self.operations.append(Operation(begun, time.monotonic(), member, register.bucket, kind, outcome, age, hit, said))

    def differences(self, direct):
        """What members say otherwise than the store, of every key, after the end; also of those that are in doubt."""
        clients = [Client(self.cluster.s3(number)) for number in range(self.cluster.count)]
        found = []
        for register in self.doubtful[-200:] + [register for registers in self.registers.values() for register in registers]:
            status, _, body = direct.call("GET", register.path)
            stored = body if status == 200 else None
            if register.number(status, body) is None or register.number(status, body) < register.floor:
                found.append(f"the store has lost an acknowledged write of {register.path}: {status} {body[:60]}, after {register.floor}")
            for number, client in enumerate(clients):
                status, _, body = client.call("GET", register.path)
                if status not in (200, 404) or (body if status == 200 else None) != stored:
                    found.append(f"gw-{number} does not say what the store does of {register.path}: {status} {body[:60]}")
        return found
