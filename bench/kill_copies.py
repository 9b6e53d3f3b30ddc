#!/usr/bin/env python3
"""Kills a gateway while a job copies, again and again, and looks at what became of it.

Objects with metadata lie in bucket `from` of an S3 server (--server, whose access log --log tells what was written). A job copies
them to bucket `there` of another kind of backend, and another one from there to bucket `back` of the server. During each the
gateway, which START runs in the foreground, is killed KILLS / 2 times. In the end each job must be done with every object counted
once, `back` must have the bytes and the metadata of `from`, and the log must have one write of each key that succeeded.

    kill_copies.py --admin http://127.0.0.1:9081 --server http://127.0.0.1:9000 --key A:S \
        --start 'exec millrace serve --config f' --log access.log --output millrace.log --kills 20
"""
import argparse
import collections
import concurrent.futures
import hashlib
import http.client
import json
import random
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from s3lite import S3

LARGE = 140 << 20

def content(key, size):
    return random.Random(key).randbytes(size)


class Objects:
    """Keys, sizes and metadata that follow from numbers."""

    def __init__(self, count, large):
        seeds = random.Random(1)
        self.sizes = {f"set/{number // 100:03}/{number:05}": seeds.choice((0, 1, 5000, 40_000, 200_000))
                      for number in range(count)}
        self.sizes.update({f"set/large/{number}": LARGE for number in range(large)})

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

    def run(self):
        self.process = subprocess.Popen(["bash", "-c", self.start], stdout=self.output, stderr=self.output)
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://{self.admin.host}:{self.admin.port}/health")
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


def killed_job(gateway, request, kills, seconds):
    """Submits a job, kills the gateway meanwhile, and waits for its end."""
    job = gateway.ask("POST", "/jobs", request)
    done = 0
    while done < kills:
        time.sleep(random.uniform(0.05, 2 * seconds / kills))
        state = gateway.ask("GET", f"/jobs/{job['id']}")
        if state["state"] not in ("submitted", "planning", "running"):
            break
        gateway.kill(signal.SIGKILL)
        gateway.run()
        done += 1
    while True:
        state = gateway.ask("GET", f"/jobs/{job['id']}")
        if state["state"] not in ("submitted", "planning", "running"):
            return state, done
        time.sleep(0.2)


def writes(log, bucket):
    """How often each key was written with success, as the server's log has it."""
    line = re.compile(rf" {bucket} \[.*?\] \S+ \S+ \S+ s3_(PutObject|CopyObject|CompleteMultipartUpload) (\S+) .*? 200 ")
    counts = collections.Counter()
    with open(log) as lines:
        for found in filter(None, map(line.search, lines)):
            counts[urllib.parse.unquote(found[2])] += 1
    return counts


def main():
    options = argparse.ArgumentParser()
    for name in ("admin", "server", "key", "start", "log", "output"):
        options.add_argument("--" + name, required=True)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--objects", type=int, default=3000)
    options.add_argument("--large", type=int, default=3)
    options.add_argument("--seconds", type=float, default=15, help="how long a copy works about")
    asked = options.parse_args()
    key = asked.key.split(":", 1)
    server = S3(asked.server, *key)
    objects = Objects(asked.objects, asked.large)
    objects.create(server)
    count = len(objects.sizes)
    gateway = Gateway(asked.start, S3(asked.admin, *key), open(asked.output, "ab"))
    gateway.run()
    wrong = []
    rate = max(1, int(count / asked.seconds))
    for source, target in (("from", "there"), ("there", "back")):
        request = {"kind": "copy", "from": {"bucket": source, "prefix": "set/"}, "to": {"bucket": target, "prefix": "set/"},
                   "requestsPerSecond": rate}
        state, kills = killed_job(gateway, request, asked.kills // 2, asked.seconds)
        progress = state["progress"]
        print(f"copy {source} to {target}: {kills} kills, {state['state']}, {json.dumps(progress)}")
        if state["state"] != "done" or (progress["done"], progress["skipped"], progress["failed"]) != (count, 0, 0):
            wrong.append(f"{count} objects, and the job tells {progress}")
    verified = gateway.ask("POST", "/jobs", {"kind": "verify", "from": {"bucket": "from", "prefix": "set/"},
                                             "to": {"bucket": "back", "prefix": "set/"}})
    while verified["state"] in ("submitted", "planning", "running"):
        time.sleep(0.2)
        verified = gateway.ask("GET", f"/jobs/{verified['id']}")
    print(f"verify: {verified['state']}, {verified['progress']['done']} objects")
    wrong += [] if verified["state"] == "done" else ["verify says " + verified["state"]]
    wrong += objects.differences(server, "back")
    wrong += [f"{key} was written {times} times" for key, times in writes(asked.log, "back").items() if times != 1]
    wrong += [f"{key} was never written" for key in objects.sizes.keys() - writes(asked.log, "back").keys()]
    _, _, uploads = server.call("GET", "/back", query="uploads=")
    print(f"uploads in parts that were begun and left: {uploads.count(b'<UploadId>')}")
    gateway.kill(signal.SIGTERM)
    print(f"{count} objects compared, {len(wrong)} wrong")
    for what in wrong[:20]:
        print("  " + what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
