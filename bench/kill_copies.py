#!/usr/bin/env python3
"""Kills a gateway while a job copies, or cancels or pauses the job, again and again, and looks at what became of it.

Objects with metadata lie in bucket `from` of an S3 server (--server, whose access log --log tells what was written); a third of their
bytes at least are in objects over 128 MiB, which go in parts.

--mode kill: a job copies them to bucket `there` of another kind of backend, and another one from there to bucket `back` of the server.
During each the gateway, which START runs in the foreground, is killed KILLS / 2 times; every other kill is aimed at the moment when an
upload in parts is intended and its id is not noted yet, and --server-folder tells of how many of them the server had begun the upload. In the end each job must be done with every object counted once, `back` must
have the bytes and the metadata of `from`, the log must have one write of each key that succeeded, and no upload may be left but those whose id a
kill has lost, which the gateway's log names.

--mode cancel: KILLS times a job that copies the large objects to bucket `aside` of a second server (--target, of the process
--target-pid) is cancelled; every fifth time the gateway is killed right after that. Nothing may reach that server once the job is
`cancelled`, and no upload may be left but such ones.

--mode pause: one such job is paused and resumed KILLS times, and then let go. Nothing may reach the server while it is `paused`, no
object may ever have two uploads, and each must be begun, and written, once.

    kill_copies.py --admin http://127.0.0.1:9081 --s3 http://127.0.0.1:9080 --server http://127.0.0.1:9000 --key A:S --data DATA \
        --start 'exec millrace serve --config f' --log access.log --output millrace.log --mode kill --kills 20
"""
import argparse
import atexit
import collections
import concurrent.futures
import hashlib
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from s3lite import S3

# 25 parts, the last of them short.
LARGE = 195 << 20
PART = 8 << 20
IN_PARTS = 128 << 20
ACTIVE = ("submitted", "planning", "running", "pausing", "cancelling")

# Seconds from the last kill.
LONGEST_JOB = 1800


def content(key, size):
    return random.Random(key).randbytes(size)


class Objects:
    """Keys, sizes and metadata that follow from numbers."""

    def __init__(self, count, large):
        seeds = random.Random(1)
        self.sizes = {f"set/{number // 100:03}/{number:05}": seeds.choice((0, 1, 5000, 40_000, 200_000))
                      for number in range(count)}
        # Spread over the keys, so that kills meet them.
        self.sizes.update({f"set/{number * max(1, count // 100) // max(1, large):03}/large-{number}": LARGE
                           for number in range(large)})

    def share(self):
        """Of the bytes, in objects that go in parts."""
        return sum(size for size in self.sizes.values() if size > IN_PARTS) / sum(self.sizes.values())

    @staticmethod
    def fields(key):
        return {"Content-Type": "application/x-" + key.rsplit("/", 1)[1], "Cache-Control": "max-age=7",
                "Content-Disposition": "attachment", "x-amz-meta-key": key, "x-amz-meta-Empty": "-"}

    def create(self, server):
        server.call("PUT", "/from")
        server.call("PUT", "/back")
        self.each(lambda key: self.put(server, key))

    def put(self, server, key):
        status, _, answer = server.call("PUT", f"/from/{key}", content(key, self.sizes[key]), extra=self.fields(key))
        assert status == 200, answer

    def each(self, act):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return [told for told in pool.map(act, self.sizes) if told]

    def differences(self, server, bucket):
        return self.each(lambda key: self.difference(server, bucket, key))

    def difference(self, server, bucket, key):
        status, headers, body = server.call("GET", f"/{bucket}/{key}")
        told = {name.lower(): value for name, value in headers.items()}
        wanted = {name.lower(): value for name, value in self.fields(key).items()}
        if status != 200 or len(body) != self.sizes[key]:
            return f"{key}: {status}, {len(body)} bytes of {self.sizes[key]}"
        if hashlib.sha256(body).digest() != hashlib.sha256(content(key, self.sizes[key])).digest():
            return f"{key}: other bytes"
        return next((f"{key}: {name} is {told.get(name)}, was {value}" for name, value in wanted.items()
                     if told.get(name) != value), None)


class Gateway:
    def __init__(self, start, admin, output):
        self.start, self.admin, self.output, self.process = start, admin, output, None
        # Whatever ends this program.
        atexit.register(lambda: self.process and self.process.kill())

    def run(self):
        self.process = subprocess.Popen(["bash", "-c", self.start], stdout=self.output, stderr=self.output)
        # The first start also archives classes.
        latest = time.monotonic() + 180
        while time.monotonic() < latest and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"http://{self.admin.host}:{self.admin.port}/health", timeout=10)
                return
            except OSError:
                time.sleep(0.05)
        sys.exit("the gateway does not start")

    def kill(self, how):
        self.process.send_signal(how)
        self.process.wait()

    def ask(self, method, path, body=None):
        """What the API answers, as soon as it does."""
        data = json.dumps(body).encode() if body else b""
        extra = {"Content-Type": "application/json"} if body else None
        status, _, answer = self.admin.call(method, "/api/v1" + path, data, extra=extra)
        assert status in (200, 201), answer
        return json.loads(answer)


class Notes:
    """What the gateway has noted of a job's uploads."""

    def __init__(self, data, job):
        self.folder = os.path.join(data, "jobs", job)

    def intents(self):
        """Files of uploads whose id is not noted."""
        return [name for name, text in self.texts() if b'"uploadId":null' in text.split(b"\n")[0]]

    def texts(self):
        try:
            for entry in os.scandir(self.folder):
                if entry.name.startswith("upload-"):
                    with open(entry.path, "rb") as file:
                        yield entry.name, file.read()
        except FileNotFoundError:
            return


def begun_uploads(folder):
    """How many uploads a versitygw has begun in bucket `back`: each is a folder in that of its key."""
    try:
        return sum(len(list(os.scandir(key))) for key in os.scandir(os.path.join(folder, "back/.sgwtmp/multipart")))
    except FileNotFoundError:
        return 0


def killed_job(gateway, request, kills, seconds, data, server_folder):
    """Submits a job, kills the gateway meanwhile, and waits for its end. Also tells how many intents the kills met, and of how many the
    upload had been begun, if the target is a server with its buckets in a folder."""
    job = gateway.ask("POST", "/jobs", request)
    notes = Notes(data, job["id"])
    done = met = begun = 0
    while done < kills:
        until = time.monotonic() + random.uniform(0.05, 2 * seconds / kills)
        if done % 2 == 0:
            time.sleep(until - time.monotonic())
            state = gateway.ask("GET", f"/jobs/{job['id']}")
            if state["state"] not in ACTIVE:
                break
        else:
            while time.monotonic() < until + 5 and not notes.intents():
                time.sleep(0.0002)
            # Before the backend has been asked, or while it begins the upload: it goes on while the gateway does not.
            time.sleep(random.uniform(0, 0.003))
            gateway.process.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
        gateway.kill(signal.SIGKILL)
        intents = len(notes.intents())
        met += intents
        if intents and server_folder:
            begun += max(0, begun_uploads(server_folder) + intents - len(list(notes.texts())))
        gateway.run()
        done += 1
    latest = time.monotonic() + LONGEST_JOB
    while time.monotonic() < latest:
        state = gateway.ask("GET", f"/jobs/{job['id']}")
        if state["state"] not in ACTIVE:
            return state, done, met, begun
        time.sleep(0.2)
    sys.exit(f"the job has not ended: {state}")


def uploads(server, bucket, named=frozenset()):
    """Keys of the uploads that were begun and not ended, without those of these ids."""
    status, _, answer = server.call("GET", f"/{bucket}", query="uploads=")
    assert status == 200, answer
    found = [(field(upload, b"Key"), field(upload, b"UploadId")) for upload in re.findall(rb"<Upload>(.*?)</Upload>", answer, re.S)]
    return [key for key, upload in found if upload.decode() not in named]


def field(xml, name):
    return re.search(b"<%s>(.*?)</%s>" % (name, name), xml, re.S)[1]


def named_uploads(output):
    """Ids of the uploads that a gateway has left, because a kill had lost their ids, and named in its log."""
    with open(output, errors="replace") as lines:
        return set(re.findall(r"Upload (\S+) of key '", lines.read()))


def received(pid):
    """Bytes that a server has read, from sockets too."""
    with open(f"/proc/{pid}/io") as figures:
        return int(figures.readline().split()[1])


def wait_for(gateway, job, state, meanwhile):
    while True:
        now = gateway.ask("GET", f"/jobs/{job}")["state"]
        if now == state:
            return
        assert now in meanwhile, f"{now} on the way to {state}"
        time.sleep(0.01)


def large_copy(gateway, bandwidth, workers=16):
    return gateway.ask("POST", "/jobs", {"kind": "copy", "from": {"bucket": "from", "prefix": "set/", "minSize": f"{IN_PARTS >> 20}MiB"},
                                         "to": {"bucket": "aside", "prefix": "set/"}, "overwrite": "always", "bandwidth": bandwidth,
                                         "workers": workers})["id"]


class Stopped:
    """What reached the target behind each stop."""

    def __init__(self, pid):
        self.pid, self.stopping, self.stopped, self.seconds = pid, [], [], []

    def stop(self, ask, wait, is_timed=True):
        begun, before = time.monotonic(), received(self.pid)
        ask()
        wait()
        at_end = received(self.pid)
        self.seconds += [time.monotonic() - begun] if is_timed else []
        self.stopping.append(at_end - before)
        time.sleep(1)
        self.stopped.append(received(self.pid) - at_end)

    def tell(self, what):
        print(f"{len(self.stopped)} times {what}: {max(self.seconds):.2f} s at most until it was, "
              f"{max(self.stopping):,} bytes at most reached the target meanwhile, {max(self.stopped):,} in the second after it")


def cancels(gateway, target, asked):
    wrong, stops = [], Stopped(asked.target_pid)
    for number in range(asked.kills):
        job = large_copy(gateway, "40MiB")
        time.sleep(random.uniform(0.1, 3))

        def ask():
            gateway.ask("POST", f"/jobs/{job}/cancel")
            if number % 5 == 4:
                gateway.kill(signal.SIGKILL)
                gateway.run()

        stops.stop(ask, lambda: wait_for(gateway, job, "cancelled", ("cancelling",)), is_timed=number % 5 != 4)
        left = uploads(target, "aside", named_uploads(asked.output))
        wrong += [f"cancel {number} left uploads of {left}"] if left else []
        status, _, _ = gateway.admin.call("DELETE", f"/api/v1/jobs/{job}")
        wrong += [f"job {job} cannot be deleted: {status}"] if status != 204 else []
    stops.tell("cancelled")
    # Requests of lists and of the state are among what the server reads.
    return wrong + [f"{count} bytes behind a cancel" for count in stops.stopped if count > PART]


def pauses(gateway, target, asked, objects):
    wrong, stops = [], Stopped(asked.target_pid)
    job = large_copy(gateway, "60MiB", workers=2)
    for number in range(asked.kills):
        time.sleep(random.uniform(0.1, 3))
        if gateway.ask("GET", f"/jobs/{job}")["state"] not in ACTIVE:
            wrong.append(f"it ended after {number} pauses")
            break
        stops.stop(lambda: gateway.ask("POST", f"/jobs/{job}/pause"), lambda: wait_for(gateway, job, "paused", ("pausing",)))
        twice = [key for key, count in collections.Counter(uploads(target, "aside")).items() if count > 1]
        wrong += [f"two uploads of {twice} behind pause {number}"] if twice else []
        gateway.ask("POST", f"/jobs/{job}/resume")
    wait_for(gateway, job, "done", ACTIVE)
    stops.tell("paused")
    wrong += [f"uploads of {uploads(target, 'aside')} are left"] if uploads(target, "aside") else []
    for kind in ("CreateMultipartUpload", "CompleteMultipartUpload"):
        counts = writes(asked.target_log, "aside", kind)
        wrong += [f"{kind} of {key}: {counts[key]}" for key, size in objects.sizes.items() if size > IN_PARTS and counts[key] != 1]
    return wrong + [f"{count} bytes behind a pause" for count in stops.stopped if count > PART]


def writes(log, bucket, kinds="PutObject|CopyObject|CompleteMultipartUpload"):
    """How often each key was written with success, as the server's log has it."""
    line = re.compile(rf" {bucket} \[.*?\] \S+ \S+ \S+ s3_({kinds}) (\S+) .*? 200 ")
    counts = collections.Counter()
    with open(log) as lines:
        for found in filter(None, map(line.search, lines)):
            counts[urllib.parse.unquote(found[2])] += 1
    return counts


def kills(gateway, server, asked, objects):
    wrong = []
    count = len(objects.sizes)
    request = {"kind": "copy", "requestsPerSecond": max(1, int(count / asked.seconds)),
               "bandwidth": f"{max(1, int(sum(objects.sizes.values()) / asked.seconds) >> 20)}MiB"}
    for source, target in (("from", "there"), ("there", "back")):
        request.update({"from": {"bucket": source, "prefix": "set/"}, "to": {"bucket": target, "prefix": "set/"}})
        folder = asked.server_folder if target == "back" else None
        state, done, met, begun = killed_job(gateway, request, asked.kills // 2, asked.seconds, asked.data, folder)
        progress = state["progress"]
        print(f"copy {source} to {target}: {done} kills, {met} met an intent without an id, "
              f"{begun if target == 'back' else '?'} of them with an upload, {state['state']}, {json.dumps(progress)}")
        if state["state"] != "done" or (progress["done"], progress["skipped"], progress["failed"]) != (count, 0, 0):
            wrong.append(f"{count} objects, and the job tells {progress}")
    verified = gateway.ask("POST", "/jobs", {"kind": "verify", "from": {"bucket": "from", "prefix": "set/"},
                                             "to": {"bucket": "back", "prefix": "set/"}})
    while verified["state"] in ACTIVE:
        time.sleep(0.2)
        verified = gateway.ask("GET", f"/jobs/{verified['id']}")
    print(f"verify: {verified['state']}, {verified['progress']['done']} objects")
    wrong += [] if verified["state"] == "done" else ["verify says " + verified["state"]]
    wrong += objects.differences(server, "back")
    written = writes(asked.log, "back")
    wrong += [f"{key} was written {times} times" for key, times in written.items() if times != 1]
    wrong += [f"{key} was never written" for key in objects.sizes.keys() - written.keys()]
    named = named_uploads(asked.output)
    left = uploads(server, "back", named) + uploads(S3(asked.s3, *asked.key.split(":", 1)), "there", named)
    print(f"uploads in parts that were begun and left: {len(left)}, and {len(named)} that the log names")
    return wrong + [f"an upload of {key.decode()} is left" for key in left]


def main():
    options = argparse.ArgumentParser()
    for name in ("admin", "s3", "server", "key", "start", "log", "output", "data"):
        options.add_argument("--" + name, required=True)
    options.add_argument("--mode", choices=("kill", "cancel", "pause"), default="kill")
    options.add_argument("--server-folder", help="where the server has its buckets")
    options.add_argument("--target", help="the second server")
    options.add_argument("--target-pid", type=int)
    options.add_argument("--target-log")
    options.add_argument("--kills", type=int, default=20, help="or cancels, or pauses")
    options.add_argument("--objects", type=int, default=3000)
    options.add_argument("--large", type=int, help="3 of these objects, in mode pause 10: the job must outlast the pauses")
    options.add_argument("--seconds", type=float, default=15, help="how long a copy works about")
    asked = options.parse_args()
    key = asked.key.split(":", 1)
    server = S3(asked.server, *key)
    objects = Objects(asked.objects if asked.mode == "kill" else 0, asked.large or (10 if asked.mode == "pause" else 3))
    assert objects.share() >= 1 / 3, f"{objects.share():.0%} of the bytes are in large objects"
    objects.create(server)
    gateway = Gateway(asked.start, S3(asked.admin, *key), open(asked.output, "ab"))
    gateway.run()
    if asked.mode == "kill":
        wrong = kills(gateway, server, asked, objects)
    else:
        target = S3(asked.target, *key)
        target.call("PUT", "/aside")
        wrong = cancels(gateway, target, asked) if asked.mode == "cancel" else pauses(gateway, target, asked, objects)
    gateway.kill(signal.SIGTERM)
    print(f"{asked.mode}: {len(objects.sizes)} objects, {objects.share():.0%} of their bytes in large ones, {len(wrong)} wrong")
    for what in wrong[:20]:
        print("  " + what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
