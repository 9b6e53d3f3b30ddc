#!/usr/bin/env python3
"""Kills a gateway under writes, again and again, and reads what became of them.

Writers PUT, overwrite, delete and complete uploads in parts, each on keys of its own; readers read them meanwhile. Every content
tells its key, number and size, and its bytes follow from these. Each write has a number; it is begun, sent (its last byte is
out), acknowledged or refused. At any time a read must answer with

- a write that is not older than the last one acknowledged, or seen by another read, before it began,
- and not younger than the last one begun before it ended,
- which was sent and not refused.

A key that is not there answers for a delete. Then the gateway is stopped by STOP, and started by START, which must run it in the
foreground; every key is read as soon as its port is open, again a little later, listed, and with --direct read from the backend
itself: all must say the same, and the rules above hold across the end of the process. The first violation ends the run.

    kill_writes.py --url http://127.0.0.1:9080 --key A:S --buckets b1,b2 --start 'exec millrace serve --config f' --kills 50
"""
import argparse
import collections
import concurrent.futures
import http.client
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

from s3lite import S3

SIZES = (0, 100, 4 << 10, 100 << 10, 1300 << 10, 3 << 20)
PART = 5 << 20
BEGUN, SENT, ACKNOWLEDGED, REFUSED = "begun", "sent", "acknowledged", "refused"
BROKEN = (OSError, http.client.HTTPException)


class Violation(Exception):
    pass


class Write:
    """One write of a key, or the state before all of them."""

    def __init__(self, number, kind, size=0):
        self.number, self.kind, self.size, self.at = number, kind, size, {}
        self.becomes(BEGUN)

    def becomes(self, state):
        self.state, self.at[state] = state, time.time()

    def __str__(self):
        when = ", ".join(f"{state} at {at:.3f}" for state, at in self.at.items())
        return f"{self.number}: {self.kind} of {self.size} bytes, {when}"


def content(key, number, size):
    head = f"{key} {number} {size}\n".encode()
    return (head + random.Random(head).randbytes(max(0, size - len(head))))[:size] if size else b""


class Key:
    """What a key may be. Its lock guards all of it."""

    def __init__(self, bucket, name):
        self.bucket, self.name, self.path = bucket, name, f"/{bucket}/{name}"
        self.lock, self.floor, self.upload = threading.Lock(), 0, None
        nothing = Write(0, "delete")
        nothing.becomes(ACKNOWLEDGED)
        self.writes = [nothing]

    def begin(self, kind, size=0):
        with self.lock:
            self.writes.append(Write(len(self.writes), kind, size))
            return self.writes[-1]

    def acknowledge(self, write):
        with self.lock:
            write.becomes(ACKNOWLEDGED)
            self.floor = max(self.floor, write.number)

    def forget_what_was_seen(self):
        """What was only seen may be gone, if the disk was not waited for."""
        with self.lock:
            self.floor = max(write.number for write in self.writes if write.state == ACKNOWLEDGED)

    def settle(self, status, body, floor):
        """The number of the write that an answer to a read is of; `floor` is from before it was sent."""
        with self.lock:
            if status == 404:
                candidates = [write for write in self.writes[floor:] if write.kind == "delete"]
            elif status == 200 and not body:
                candidates = [write for write in self.writes[floor:] if write.kind != "delete" and write.size == 0]
            else:
                candidates = self.named(status, body, floor)
            candidates = [write for write in candidates if write.state in (SENT, ACKNOWLEDGED)]
            if not candidates:
                told = body[:60].split(b"\n")[0] if status == 200 else b""
                raise Violation(f"{self.path} answers {status} {told}; not before write {floor}, and there are:\n  "
                                + "\n  ".join(map(str, self.writes[floor:])))
            self.floor = max(self.floor, candidates[0].number)
            return candidates[0].number

    def named(self, status, body, floor):
        head = re.match(rb"(\S+) (\d+) (\d+)\n", body) if status == 200 else None
        number = int(head[2]) if head else -1
        if not head or head[1].decode() != self.path or not floor <= number < len(self.writes):
            return []
        write = self.writes[number]
        if len(body) != write.size or body != content(self.path, number, write.size):
            raise Violation(f"{self.path} has wrong bytes: {len(body)} of write {write}")
        return [write]


class Client:
    """One connection, made anew when it broke."""

    def __init__(self, s3):
        self.s3, self.connection = s3, None

    def call(self, method, path, pieces=(b"",), query="", sent=lambda: None):
        """(status, headers, body); `sent` is called before the last piece goes out."""
        try:
            return self.send(method, path, pieces, query, sent)
        except BROKEN:
            self.close()
            raise

    def send(self, method, path, pieces, query, sent):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.s3.host, self.s3.port, timeout=60)
        connection = self.connection
        headers = self.s3.headers(method, path, query, payload_sha256="UNSIGNED-PAYLOAD")
        connection.putrequest(method, path + ("?" + query if query else ""), skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        if method in ("PUT", "POST"):
            connection.putheader("Content-Length", str(sum(map(len, pieces))))
        if not pieces[-1]:
            sent()
        connection.endheaders()
        for number, piece in enumerate(pieces):
            if number:
                time.sleep(random.random() * 0.05)
            if number == len(pieces) - 1 and piece:
                sent()
            connection.send(piece)
        response = connection.getresponse()
        body = response.read()
        if response.getheader("Connection", "").lower() == "close":
            self.close()
        return response.status, dict((k.lower(), v) for k, v in response.getheaders()), body

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Play:
    """Writers and readers between a start and a kill."""

    def __init__(self, s3, keys, writers, readers, counts, last_byte):
        self.s3, self.keys, self.counts, self.last_byte = s3, keys, counts, last_byte
        self.over, self.failures = threading.Event(), []
        self.threads = [threading.Thread(target=self.run, args=(self.write, keys[i::writers])) for i in range(writers)]
        self.threads += [threading.Thread(target=self.run, args=(self.read, keys)) for _ in range(readers)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def run(self, act, keys):
        client = Client(self.s3)
        while not self.over.is_set() and not self.failures:
            try:
                act(client, random.choice(keys))
            except BROKEN:
                self.over.wait(0.1)
            except Exception as failure:  # a violation, or a fault of this program
                self.failures.append(failure)
        client.close()

    def read(self, client, key):
        with key.lock:
            floor = key.floor
        status, headers, body = client.call("GET", key.path)
        if status in (200, 404):
            key.settle(status, body, floor)
            self.counts["read meanwhile"] += 1
            self.counts["of them hits"] += "; hit" in headers.get("cache-status", "")

    def write(self, client, key):
        if key.upload:
            self.resume(client, key)
            return
        kind = random.choices(("put", "slow put", "delete", "upload"), (60, 10, 20, 10))[0]
        if kind == "delete":
            write = key.begin("delete")
            self.answered(key, write, client.call("DELETE", key.path, sent=self.sent(write)))
        elif kind == "upload":
            self.upload(client, key)
        else:
            write = key.begin("put", random.choice(SIZES))
            body = content(key.path, write.number, write.size)
            step = len(body) if kind == "put" else max(1, len(body) // 40)
            pieces = [body[at:at + step] for at in range(0, len(body), step)] if body else [b""]
            self.answered(key, write, client.call("PUT", key.path, pieces, sent=self.sent(write)))

    def sent(self, write):
        def mark():
            write.becomes(SENT)
            self.last_byte.set()
        return mark

    def upload(self, client, key):
        status, _, body = client.call("POST", key.path, query="uploads=")
        if status != 200:
            return
        upload = re.search(rb"<UploadId>(.*?)</UploadId>", body)[1].decode()
        write = key.begin("upload", PART + random.choice(SIZES[1:]))
        data, parts = content(key.path, write.number, write.size), []
        for number, at in enumerate((0, PART), 1):
            query = f"partNumber={number}&uploadId={urllib.parse.quote(upload, safe='')}"
            status, headers, _ = client.call("PUT", key.path, [data[at:at + PART] if number == 1 else data[at:]], query)
            if status != 200:
                return
            parts.append(f"<Part><PartNumber>{number}</PartNumber><ETag>{headers['etag']}</ETag></Part>")
        document = f"<CompleteMultipartUpload>{''.join(parts)}</CompleteMultipartUpload>".encode()
        key.upload = upload, write, document
        self.resume(client, key)

    def resume(self, client, key):
        """Completes an upload, perhaps for the second time: then it may be gone."""
        upload, write, document = key.upload
        again = write.state != BEGUN
        answer = client.call("POST", key.path, [document], f"uploadId={urllib.parse.quote(upload, safe='')}", self.sent(write))
        status, headers, body = answer
        key.upload = None
        if status == 404 and again:
            self.completed_before(client, key, write)
            return
        self.counts["completed after a kill"] += again and status == 200
        self.answered(key, write, (status if b"<Error>" not in body else 500, headers, body))

    def completed_before(self, client, key, write):
        status, _, body = client.call("GET", key.path)
        if status not in (200, 404):
            self.counts["answered with an error"] += 1
            return
        if key.settle(status, body, key.floor) != write.number:
            raise Violation(f"{key.path}: the upload of write {write} is gone, and its object is not there")
        self.counts["completed before the kill"] += 1

    def answered(self, key, write, answer):
        status, _, body = answer
        if 200 <= status < 300:
            key.acknowledge(write)
            self.counts["acknowledged"] += 1
        elif 400 <= status < 500:
            write.becomes(REFUSED)
            raise Violation(f"{key.path}: {write}: {status} {body[:300]}")
        else:
            self.counts["answered with an error"] += 1


class Gateway:
    def __init__(self, args):
        self.args, self.log = args, open(args.log, "ab")
        self.process, self.slowest, self.ended, self.log_begins = None, 0.0, (0.0, 0.0), 0

    def start(self, s3):
        """Returns as soon as it answers requests, ready or not."""
        begun, probe = time.monotonic(), Client(s3)
        try:
            probe.call("GET", "/")
        except BROKEN:
            self.log_begins = os.fstat(self.log.fileno()).st_size
            self.process = subprocess.Popen(["bash", "-c", self.args.start], stdout=self.log, stderr=self.log)
        else:
            raise Violation("something else answers there already")
        while True:
            try:
                if probe.call("GET", "/")[0] == 200:
                    break
            except BROKEN:
                pass
            if self.process.poll() is not None or time.monotonic() - begun > 300:
                raise Violation(f"the gateway does not start; see {self.args.log}")
            time.sleep(0.02)
        probe.close()
        self.slowest = max(self.slowest, time.monotonic() - begun)

    def kill(self):
        begun = time.time()
        if self.args.cut:
            subprocess.run(["bash", "-c", self.args.cut], check=True)
            self.ended = begun, time.time()
            time.sleep(random.random() * 0.2)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if not self.args.cut:
            self.ended = begun, time.time()
        if self.args.mend:
            subprocess.run(["bash", "-c", self.args.mend], check=True)


def await_backend(direct):
    """Waits until a backend has done what a gateway that is dead had sent it: until then it has connections that its peer has closed.

    A write whose acknowledgement nobody waits for may happen at any time, and a gateway does not remember it across a restart (promise
    W4 of docs/consistency.md), so a read before its end may cache what was there before.
    """
    latest = time.monotonic() + 120
    local = f"0100007F:{int(direct.port):04X}"
    while time.monotonic() < latest:
        with open("/proc/net/tcp") as sockets:
            # local_address, and 08: CLOSE_WAIT
            if not any(line.split()[1] == local and line.split()[3] == "08" for line in sockets):
                return
        time.sleep(0.05)
    raise Violation("the backend does not end what a dead gateway had sent it")


def read_all(s3, keys, counts=None):
    """The write that each key is at."""
    def read(part):
        client, found = Client(s3), {}
        for key in part:
            floor = key.floor
            status, headers, body = client.call("GET", key.path)
            if status not in (200, 404):
                raise Violation(f"{key.path}: {status} {body[:300]}")
            found[key] = key.settle(status, body, floor)
            if counts is not None:
                counts["hits after a kill"] += "; hit" in headers.get("cache-status", "")
        client.close()
        return found

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return {key: number for part in pool.map(read, [keys[i::8] for i in range(8)]) for key, number in part.items()}


def listed(s3, bucket):
    names, token = set(), ""
    client = Client(s3)
    while True:
        query = ("continuation-token=" + urllib.parse.quote(token, safe="") + "&" if token else "") + "list-type=2"
        status, _, body = client.call("GET", f"/{bucket}", query=query)
        if status != 200:
            raise Violation(f"list of {bucket}: {status} {body[:300]}")
        names |= {name.decode() for name in re.findall(rb"<Key>(.*?)</Key>", body)}
        more = re.search(rb"<NextContinuationToken>(.*?)</NextContinuationToken>", body)
        if not more:
            client.close()
            return names
        token = more[1].decode()


def verify(s3, direct, keys, counts, floors):
    """Reads everything at once, and again."""
    first = read_all(s3, keys)
    counts["read after a kill"] += len(first)
    counts["unanswered writes that happened"] += sum(first[key] > floors[key] for key in keys)
    time.sleep(1.5)
    second = read_all(s3, keys, counts)
    counts["written by the backend after that"] += sum(first[key] != second[key] for key in keys)
    if direct:
        for key, number in read_all(direct, keys).items():
            if number != second[key]:
                raise Violation(f"{key.path}: write {second[key]} through the gateway, {number} at the backend")
    elif first != second:
        raise Violation("what was read first did not stay")
    for bucket in {key.bucket for key in keys}:
        there = {key.name for key in keys if key.bucket == bucket and key.writes[second[key]].kind != "delete"}
        if listed(s3, bucket) != there:
            raise Violation(f"list of {bucket}: {sorted(listed(s3, bucket) ^ there)} differ")


def main(description=__doc__, key_type=Key, play_type=Play, check=lambda _gateway, *what: verify(*what)):
    """What a key may be, what is done between a start and a kill, and what is looked at after one, are of the caller's choice."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--direct", help="the backend's own endpoint, with the same buckets and key")
    parser.add_argument("--key", required=True)
    parser.add_argument("--buckets", required=True)
    parser.add_argument("--start", required=True, help="a command that is the gateway")
    parser.add_argument("--cut", help="a command that comes before the kill")
    parser.add_argument("--mend", help="one that comes behind it")
    parser.add_argument("--log", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of kills and writes; threads still race")
    parser.add_argument("--writers", type=int, default=6)
    parser.add_argument("--readers", type=int, default=3)
    parser.add_argument("--keys", type=int, default=40, help="per bucket")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    random.seed(args.seed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without the gateway
    s3 = S3(args.url, *args.key.split(":", 1))
    direct = S3(args.direct, *args.key.split(":", 1)) if args.direct else None
    keys = [key_type(bucket, f"folder/k{i:03}") for i in range(args.keys) for bucket in args.buckets.split(",")]
    gateway, counts = Gateway(args), collections.Counter()
    try:
        gateway.start(s3)
        for kill in range(1, args.kills + 1):
            last_byte = threading.Event()
            with play_type(s3, keys, args.writers, args.readers, counts, last_byte) as play:
                enough, latest = counts["acknowledged"] + random.randint(50, 200), time.monotonic() + 30
                while counts["acknowledged"] < enough and time.monotonic() < latest and not play.failures:
                    time.sleep(0.01)
                if kill % 2:
                    # Soon behind the last byte of some write: before its answer, or about then.
                    last_byte.clear()
                    last_byte.wait(5)
                    time.sleep(random.random() * 0.02)
                gateway.kill()
            if args.cut:
                for key in keys:
                    key.forget_what_was_seen()
            floors = {key: key.floor for key in keys}
            gateway.start(s3)
            if direct:
                await_backend(direct)
            check(gateway, s3, direct, keys, counts, floors)
            print(f"kill {kill}: {dict(counts)}, slowest start {gateway.slowest:.1f} s", flush=True)
    except Violation as violation:
        print(f"VIOLATION: {violation}\nthe end began at {gateway.ended[0]:.3f}, and came at {gateway.ended[1]:.3f}", flush=True)
        return 1
    finally:
        if gateway.process:
            gateway.process.kill()
    print("\n".join(f"{what}: {count}" for what, count in counts.items()))
    print(f"kills: {args.kills}, violations: 0, slowest start: {gateway.slowest:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
