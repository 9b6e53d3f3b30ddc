#!/usr/bin/env python3
"""Kills a gateway while it copies large objects between two clouds, and counts what that costs.

Objects of the load generator's computed origin are copied to bucket `from` without a kill (unless they are copied from there at once), and
from `from` to bucket `into` with KILLS kills: the one of number k comes when the target has received k / (KILLS + 1) of the bytes, every other
one once the gateway intends an upload in parts whose id it has not noted. In the end the job must be done with every object counted once, each
object must have the bytes of the computed origin, the target's own list must show no upload but those without a part whose id a kill has lost,
which the gateway's log names, and what the target received beyond the bytes of the objects must be 75 MiB a kill at most.
"""
import argparse
import base64
import hashlib
import hmac
import http.client
import json
import re
import signal
import socket
import sys
import threading
import time
import urllib.parse
import urllib.request
from email.utils import formatdate

from kill_copies import ACTIVE, Gateway, Notes, named_uploads, uploads
from s3lite import S3

LOST_A_KILL = 75 << 20
ACCOUNT = "devstoreaccount1"


class CountingProxy:
    """Passes connections on to a port of this machine, and counts what comes in."""

    def __init__(self, port, target):
        self.target, self.received, self.lock = target, 0, threading.Lock()
        self.listening = socket.create_server(("127.0.0.1", port), backlog=512)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listening.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.pass_on, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(server, client, False), daemon=True).start()

    def pass_on(self, here, there, is_counted):
        buffer = memoryview(bytearray(1 << 18))
        try:
            while read := here.recv_into(buffer):
                if is_counted:
                    with self.lock:
                        self.received += read
                there.sendall(buffer[:read])
            there.shutdown(socket.SHUT_WR)
        except OSError:
            here.close()
            there.close()


class S3Server:
    def __init__(self, endpoint, key):
        self.s3 = S3(endpoint, *key)

    def left(self, bucket, named):
        return [key.decode() for key in uploads(self.s3, bucket, named)]


class GcsServer:
    """Its objects below .millrace-uploads/ are parts, and records of uploads by their ids."""

    def __init__(self, endpoint):
        self.endpoint = endpoint

    def left(self, bucket, named):
        query = urllib.parse.urlencode({"prefix": ".millrace-uploads/"})
        with urllib.request.urlopen(f"{self.endpoint}/storage/v1/b/{bucket}/o?{query}") as answer:
            return without(named, [item["name"] for item in json.load(answer).get("items", [])])


class AzureServer:
    """Its blobs below .millrace/uploads/ are records of uploads by their ids; blobs that were never committed have blocks only."""

    def __init__(self, endpoint, key):
        self.endpoint, self.key = endpoint, key

    def left(self, bucket, named):
        listed = self.get(f"/{ACCOUNT}/{bucket}", {"comp": "list", "include": "uncommittedblobs", "restype": "container"})
        blobs = re.findall(r"<Name>(.*?)</Name>.*?<Content-Length>(\d*)</Content-Length>", listed, re.S)
        return without(named, [name for name, length in blobs if name.startswith(".millrace/") or length in ("", "0")])

    def get(self, path, query):
        host = urllib.parse.urlsplit(self.endpoint)
        fields = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-12-02"}
        signed = "GET" + "\n" * 12 + "".join(f"{name}:{value}\n" for name, value in sorted(fields.items()))
        signed += f"/{ACCOUNT}{path}" + "".join(f"\n{name}:{value}" for name, value in sorted(query.items()))
        fields["Authorization"] = f"SharedKey {ACCOUNT}:{sign(self.key, signed)}"
        connection = http.client.HTTPConnection(host.hostname, host.port, timeout=120)
        connection.request("GET", f"{path}?{urllib.parse.urlencode(query)}", headers=fields)
        answer = connection.getresponse()
        text = answer.read().decode()
        assert answer.status == 200, text
        return text


def without(named, records):
    return [name for name in records if name.rsplit("/", 1)[-1] not in named]


def sign(key, text):
    return base64.b64encode(hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()).decode()


def target_of(asked):
    """The target itself, not through the gateway."""
    if asked.to == "azurite":
        return AzureServer(asked.target, asked.azure_key)
    return GcsServer(asked.target) if asked.to == "fake-gcs" else S3Server(asked.target, asked.key.split(":", 1))


def submit(gateway, source, target, keys, workers):
    request = {"kind": "copy", "from": {"bucket": source, "keys": keys}, "to": {"bucket": target, "prefix": ""}}
    return gateway.ask("POST", "/jobs", request | ({"workers": workers} if workers else {}))["id"]


def ended(gateway, job):
    while (state := gateway.ask("GET", f"/jobs/{job}"))["state"] in ACTIVE:
        time.sleep(0.2)
    return state


class Killer:
    """Kills at marks of the bytes that the target has received."""

    def __init__(self, gateway, notes, proxy, step):
        self.gateway, self.notes, self.proxy, self.step = gateway, notes, proxy, step
        self.at_intents = 0

    def kill(self, number):
        mark = number * self.step
        self.wait(lambda: self.proxy.received >= mark)
        if number % 2 == 0:
            self.wait(lambda: self.notes.intents() or self.proxy.received >= mark + self.step // 2)
        self.gateway.kill(signal.SIGKILL)
        self.at_intents += 1 if self.notes.intents() else 0
        self.gateway.run()

    @staticmethod
    def wait(until):
        deadline = time.monotonic() + 600
        while not until():
            assert time.monotonic() < deadline, "nothing moves"
            time.sleep(0.0005)


def same_bytes(asked, key):
    """Compares the object that clients read from `into` with the computed one."""
    s3 = S3(asked.s3, *asked.key.split(":", 1))
    here, there = opened(S3(asked.computed), f"/computed/{key}"), opened(s3, f"/into/{key}")
    while True:
        wanted, found = here.read(1 << 20), there.read(1 << 20)
        if wanted != found:
            return f"{key}: other bytes, or another length"
        if not wanted:
            return None


def opened(s3, path):
    connection = http.client.HTTPConnection(s3.host, s3.port, timeout=120)
    connection.request("GET", urllib.parse.quote(path, safe="/~"), headers=s3.headers("GET", path))
    answer = connection.getresponse()
    assert answer.status == 200, f"{path}: {answer.status} {answer.read(500)}"
    return answer


def main():
    options = argparse.ArgumentParser()
    for name in ("admin", "s3", "key", "computed", "to", "target", "azure-key", "data", "start", "output"):
        options.add_argument("--" + name, required=True)
    options.add_argument("--from", dest="source", required=True)
    for name in ("target-port", "counted-port", "kills", "objects", "mib", "workers"):
        options.add_argument("--" + name, type=int, required=True)
    asked = options.parse_args()
    key = asked.key.split(":", 1)
    keys = [f"large-{number:03}/{asked.mib << 20}" for number in range(asked.objects)]
    data = asked.objects * (asked.mib << 20)
    proxy = CountingProxy(asked.counted_port, asked.target_port)
    gateway = Gateway(asked.start, S3(asked.admin, *key), open(asked.output, "ab"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    try:
        return copy(asked, gateway, proxy, keys, data)
    finally:
        gateway.process.kill()


def copy(asked, gateway, proxy, keys, data):
    gateway.run()
    s3 = S3(asked.s3, *asked.key.split(":", 1))
    for bucket in ("into",) if asked.source == "computed" else ("from", "into"):
        status, _, answer = s3.call("PUT", "/" + bucket)
        assert status == 200, answer
    if asked.source != "computed":
        filled = ended(gateway, submit(gateway, "computed", "from", keys, 0))
        assert filled["state"] == "done", filled
    begun, already = time.monotonic(), proxy.received
    job = submit(gateway, "computed" if asked.source == "computed" else "from", "into", keys, asked.workers)
    killer = Killer(gateway, Notes(asked.data, job), proxy, data // (asked.kills + 1))
    for number in range(1, asked.kills + 1):
        killer.kill(number)
    state = ended(gateway, job)
    seconds, sent = time.monotonic() - begun, proxy.received - already
    print(f"copy {asked.source} to {asked.to}: {asked.kills} kills, {killer.at_intents} while an upload had no id, {state['state']} in {seconds:.0f} s, "
          f"{json.dumps(state['progress'])}")
    print(f"sent {sent:,} bytes for {data:,}: {sent / data:.3f} x, {(sent - data) / max(1, asked.kills) / (1 << 20):.0f} MiB a kill")
    wrong = [] if state["state"] == "done" else [f"the job is {state['state']}"]
    progress = state["progress"]
    if (progress["done"], progress["skipped"], progress["failed"]) != (asked.objects, 0, 0):
        wrong.append(f"{asked.objects} objects, and the job tells {progress}")
    if sent - data > asked.kills * LOST_A_KILL:
        wrong.append(f"more than {LOST_A_KILL:,} bytes a kill were sent again")
    wrong += [f"an upload of {name} is left" for name in target_of(asked).left("killed-into", named_uploads(asked.output))]
    wrong += [told for told in (same_bytes(asked, one) for one in keys) if told]
    gateway.kill(signal.SIGTERM)
    print(f"{len(keys)} objects compared with what was computed, {len(wrong)} wrong")
    for what in wrong[:20]:
        print("  " + what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
