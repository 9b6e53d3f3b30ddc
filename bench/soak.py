#!/usr/bin/env python3
"""Lets everything go wrong at once, for a long time, under load whose every byte is compared.

Writers and readers are those of kill_writes.py, with its rules; beside them computed objects are read, whole and by ranges, and some
readers leave in the middle. Meanwhile faults come at random, one or two at a time: disks of the cache hang, fill up, are pulled,
lose power, have bits flipped; backends stand still; jobs, scrubs and invalidations run; and until two thirds of the time the
gateway is killed, or its machine loses power, and all that was written is read. Behind that it lives on, and its memory is
watched. The first violation ends the run.
"""
import argparse
import collections
import fcntl
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid

from kill_writes import BROKEN, Client, Gateway, Key, Play, Violation, read_all, verify
from s3lite import S3

MIB = 1 << 20


def run(*command):
    subprocess.run(command, check=True)


class Disk:
    """A disk of the cache, on a file system of its own."""

    def __init__(self, number, text):
        self.number = number
        self.loop, self.mount = text.split("=")
        self.cache = os.path.join(self.mount, "cache")

    def shut_down(self):
        """What was not synced is gone; everything fails from now on."""
        at = os.open(self.mount, os.O_RDONLY)
        try:
            fcntl.ioctl(at, 0x8004587D, struct.pack("I", 2))
        finally:
            os.close(at)

    def mount_anew(self):
        run("umount", self.mount)
        for _ in range(300):
            try:
                os.close(os.open(self.loop, os.O_RDWR | os.O_EXCL))
                break
            except OSError:
                time.sleep(0.1)
        run("mount", self.loop, self.mount)


class Counted:
    """What loads in the background saw."""

    def __init__(self):
        self.lock, self.numbers, self.faults = threading.Lock(), collections.Counter(), collections.Counter()

    def add(self, output):
        with self.lock:
            for name in ("right", "wrong", "failed", "hits", "bytes"):
                self.numbers[name] += sum(int(n) for n in re.findall(rf"^{name}=(\d+)$", output, re.M))
            for fault in re.findall(r"^fault=(.*)$", output, re.M):
                kind = re.sub(r"^(\w+) .*?\]\]: ", r"\1: ", fault)
                kind = re.sub(r"(/?127\.0\.0\.1:\d+|\b[0-9a-f-]{8,}\b|\d+ bytes)", "...", kind)
                self.faults[kind[:160]] += 1


class Soak:
    def __init__(self, args):
        self.args, self.over, self.counted = args, threading.Event(), Counted()
        self.key, self.secret = args.key.split(":", 1)
        self.s3, self.admin = S3(args.url, self.key, self.secret), S3(args.admin, self.key, self.secret)
        self.direct = S3(args.direct, self.key, self.secret)
        self.disks = [Disk(number, text) for number, text in enumerate(args.disk)]
        self.keys = [Key(bucket, f"folder/k{i:03}") for i in range(40) for bucket in ("immutable", "ttl", "strict")]
        self.gateway, self.counts, self.done = Gateway(args), collections.Counter(), collections.Counter()
        self.began, self.life, self.memory = time.monotonic(), 0, []

    # The loads beside kill_writes' own.

    def load(self, *options):
        while not self.over.is_set():
            done = subprocess.run([self.args.loadgen, "read", "--url", f"{self.args.url}/data", *options],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            self.counted.add(done.stdout)
            self.over.wait(0.5)

    def leave(self):
        """Begins to read, and leaves."""
        while not self.over.wait(random.random() * 0.2):
            path = f"/data/large/{random.randrange(300):08}/{8 * MIB}"
            headers = "".join(f"{k}: {v}\r\n" for k, v in self.s3.headers("GET", path).items())
            try:
                with socket.create_connection((self.s3.host, self.s3.port), timeout=5) as connection:
                    connection.sendall(f"GET {path} HTTP/1.1\r\n{headers}\r\n".encode())
                    connection.recv(random.choice((1, 4096, 200_000)))
                self.counts["left"] += 1
            except OSError:
                self.over.wait(0.5)

    def watch(self):
        while not self.over.wait(10):
            try:
                with open(f"/proc/{self.gateway.process.pid}/status", encoding="ascii") as status:
                    resident = re.search(r"VmRSS:\s+(\d+)", status.read())
                self.memory.append((self.life, time.monotonic() - self.began, int(resident[1]) >> 10))
            except (OSError, TypeError):
                pass  # it was just killed

    # The faults: each comes back when it is mended.

    def hold(self, least=2, most=10):
        self.over.wait(random.uniform(least, most))

    def frozen(self, disk):
        run("fsfreeze", "-f", disk.mount)
        try:
            self.hold()
        finally:
            run("fsfreeze", "-u", disk.mount)

    def full(self, disk):
        filler, free = os.path.join(disk.mount, "filler"), os.statvfs(disk.mount)
        subprocess.run(["fallocate", "-l", str(max(4096, free.f_bavail * free.f_frsize - 8192)), filler], check=False)
        self.hold()
        os.remove(filler)

    def pulled(self, disk):
        run("umount", "-l", disk.mount)
        self.hold(5, 15)
        run("mount", disk.loop, disk.mount)

    def damaged(self, disk):
        """One bit here and there, in what lies on the disk and in what the kernel has of it."""
        for _ in range(200):
            try:
                files = [entry.path for entry in os.scandir(disk.cache) if entry.is_file() and entry.stat().st_size > MIB]
                if not files:
                    return
                with open(random.choice(files), "r+b", buffering=0) as file:
                    at = random.randrange(os.fstat(file.fileno()).st_size)
                    byte = os.pread(file.fileno(), 1, at)
                    os.pwrite(file.fileno(), bytes([byte[0] ^ (1 << random.randrange(8))]), at)
                self.done["bits flipped"] += 1
            except (OSError, IndexError):
                pass  # the file has just gone
            self.over.wait(0.02)

    def stopped(self, pid_file):
        with open(pid_file, encoding="ascii") as file:
            pid = int(file.read())
        os.kill(pid, signal.SIGSTOP)
        try:
            self.hold(2, 20)
        finally:
            os.kill(pid, signal.SIGCONT)

    def api(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        status, _, answer = self.admin.call(method, "/api/v1" + path, data,
                                            extra={"Content-Type": "application/json"} if body is not None else None)
        return status, json.loads(answer) if answer else None

    def steered(self):
        """What operators do."""
        asked = random.choice((
            ("/invalidations", {"bucket": "data", "prefix": "small/"}),
            ("/invalidations", {"bucket": "ttl"}),
            ("/invalidations", {"bucket": "strict", "key": self.keys[0].name}),
            ("/jobs", {"kind": "prefetch", "from": {"bucket": "ttl", "prefix": ""}}),
            ("/jobs", {"kind": "verify", "from": {"bucket": "immutable", "prefix": ""}}),
            ("/jobs", {"kind": "evict", "from": {"bucket": "strict", "prefix": ""}}),
            (f"/disks/{random.choice(self.disks).number}/scrub", None)))
        status, answer = self.api("POST", *asked)
        if status >= 300 and status not in (409, 429, 503):
            raise Violation(f"{asked}: {status} {answer}")
        self.done["asked: " + asked[0].split("/")[-1] + (" " + asked[1].get("kind", "") if asked[1] else "")] += 1
        self.hold()

    def mended(self):
        """Until all disks have part again; an operator takes back those that were lost."""
        latest = time.monotonic() + 120
        while time.monotonic() < latest:
            _, told = self.api("GET", "/disks")
            other = [disk for disk in told["disks"] if disk["state"] != "healthy"]
            if not other:
                return
            for disk in other:
                if disk["state"] == "lost":
                    self.api("POST", f"/disks/{disk['number']}/reattach")
                    self.done["disks reattached"] += 1
            time.sleep(0.5)
        raise Violation(f"not healthy again: {other}")

    def some_faults(self):
        """One or two at a time, of different things."""
        things = [*((disk, (self.frozen, self.full, self.pulled, self.damaged)) for disk in self.disks),
                  *((pid_file, (self.stopped,)) for pid_file in self.args.backend), (None, (self.steered,))]
        failures, threads = [], []
        for thing, faults in random.sample(things, random.choice((1, 1, 2))):
            fault = random.choice(faults)

            def act(fault=fault, thing=thing):
                try:
                    fault(*([] if thing is None else [thing]))
                    self.done[fault.__name__] += 1
                except BaseException as failure:
                    failures.append(failure)

            threads.append(threading.Thread(target=act))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        self.mended()

    def interrupt(self, play):
        """A kill, or a loss of power, and what became of everything."""
        cut = random.random() < 0.5
        places = [*self.disks, Disk(-1, self.args.system)]
        if cut:
            for disk in places:
                disk.shut_down()
            with open(self.args.boot_id, "w", encoding="ascii") as file:
                file.write(str(uuid.uuid4()) + "\n")
        self.gateway.process.send_signal(signal.SIGKILL)
        self.gateway.process.wait()
        play.__exit__()
        if cut:
            for disk in places:
                disk.mount_anew()
        self.done["cuts" if cut else "kills"] += 1
        floors = {key: key.floor for key in self.keys}
        self.start()
        self.mended()
        verify(self.s3, self.direct, self.keys, self.counts, floors)

    def start(self):
        self.life += 1
        self.gateway.start(self.s3)

    def play(self):
        return Play(self.s3, self.keys, 3, 2, self.counts, threading.Event()).__enter__()

    def soak(self):
        seconds = self.args.minutes * 60
        self.start()
        loads = [threading.Thread(target=self.load, args=options) for options in (
            ("--name", "small", "--objects", "60000", "--size", "32KiB", "--workers", "6"),
            ("--name", "large", "--objects", "300", "--size", "8MiB", "--workers", "3"),
            ("--name", "large", "--objects", "300", "--size", "8MiB", "--range", "1MiB", "--workers", "3"))]
        loads += [threading.Thread(target=act) for act in (self.leave, self.watch)]
        for load in loads:
            load.start()
        play, next_interruption, told = self.play(), 60, 60
        try:
            while (now := time.monotonic() - self.began) < seconds:
                if play.failures:
                    break
                if now > next_interruption and now < seconds * 2 / 3:
                    self.interrupt(play)
                    play = self.play()
                    next_interruption = time.monotonic() - self.began + random.uniform(60, 180)
                else:
                    self.some_faults()
                if self.gateway.process.poll() is not None:
                    raise Violation(f"the gateway has ended by itself: {self.gateway.process.returncode}")
                if self.counted.numbers["wrong"]:
                    raise Violation(f"wrong bytes: {self.counted.faults}")
                if now > told:
                    print(f"{now / 60:.0f} min: {dict(self.done)}; {dict(self.counted.numbers)}", flush=True)
                    told = now + 60
                time.sleep(random.uniform(0, 3))
        finally:
            self.over.set()
            play.__exit__()
            for load in loads:
                load.join()
        floors = {key: key.floor for key in self.keys}
        verify(self.s3, self.direct, self.keys, self.counts, floors)

    def tell(self):
        numbers = self.counted.numbers
        print(f"computed objects: {numbers['right']} GETs right, {numbers['bytes'] >> 30} GiB compared, {numbers['hits']} hits, "
              f"{numbers['failed']} failed, {numbers['wrong']} wrong")
        for kind, count in self.counted.faults.most_common(12):
            print(f"  {count} x {kind}")
        for what, count in [*self.counts.items(), *self.done.items()]:
            print(f"{what}: {count}")
        last = [(at, mib) for life, at, mib in self.memory if life == self.life]
        for at, mib in last[:: max(1, len(last) // 12)]:
            print(f"  resident at {at / 60:.1f} min: {mib} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--admin", required=True)
    parser.add_argument("--direct", required=True, help="the endpoint of the backend that is written")
    parser.add_argument("--key", required=True)
    parser.add_argument("--loadgen", required=True)
    parser.add_argument("--disk", action="append", required=True, help="LOOP=MOUNT, in the order of the gateway's file")
    parser.add_argument("--system", required=True, help="LOOP=MOUNT of what the gateway remembers")
    parser.add_argument("--boot-id", required=True, help="a file that the gateway takes for the kernel's")
    parser.add_argument("--backend", action="append", required=True, help="a file with the number of a backend's process")
    parser.add_argument("--start", required=True, help="a command that is the gateway")
    parser.add_argument("--log", required=True)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    args = parser.parse_args()
    args.cut = args.mend = None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without the gateway
    random.seed(args.seed)
    print(f"seed {args.seed}", flush=True)
    soak = Soak(args)
    try:
        soak.soak()
    except Violation as violation:
        print(f"VIOLATION: {violation}", flush=True)
        return 1
    finally:
        soak.over.set()
        soak.tell()
        if soak.gateway.process:
            soak.gateway.process.kill()
    if soak.counted.numbers["wrong"]:
        return 1
    print(f"{args.minutes:g} minutes, violations: 0")
    return 0


if __name__ == "__main__":
    sys.exit(main())
