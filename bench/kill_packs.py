#!/usr/bin/env python3
"""Kills a gateway while a job packs, and looks at what became of it.

Objects lie in bucket `from` of an S3 server (--server, whose access log --log tells what was written); three of them go in parts. A job that
appends and shuffles packs them into bucket `packed` of the same server, below `killed-0/`. Meanwhile the gateway, which START runs in the foreground,
is killed; every other kill is aimed at the moment when an upload in parts is intended and its id is not noted yet. Other such jobs follow until
there were KILLS, and then one without kills packs them below `whole/`, by the same seed. Each must be done with every shard counted once, all must
have the same shards, byte by byte, in which each object is once and has its bytes; the log must have one write of each key that succeeded, and no
upload may be left but those whose id a kill has lost, which the gateway's log names.

    kill_packs.py --admin http://127.0.0.1:9081 --server http://127.0.0.1:9000 --key A:S --data DATA \
        --start 'exec millrace serve --config f' --log access.log --output millrace.log --kills 20
"""
import argparse
import hashlib
import io
import re
import signal
import sys
import tarfile
import urllib.parse

from kill_copies import ACTIVE, Gateway, Objects, content, killed_job, named_uploads, uploads, wait_for, writes
from s3lite import S3

PREFIX = "set/"

# Of each at least one kill is expected.
MOST_PACKS = 20


def request(prefix, **shards):
    return {"kind": "pack", "from": {"bucket": "from", "prefix": PREFIX}, "to": {"bucket": "packed", "prefix": prefix},
            "shards": {"name": "%05d.tar", "size": "16MiB", "shuffle": 7, **shards}}


def keys(server, prefix):
    """Keys below a prefix, without it: at most 1,000."""
    status, _, answer = server.call("GET", "/packed", query="list-type=2&prefix=" + urllib.parse.quote(prefix, safe=""))
    assert status == 200 and b"<IsTruncated>true" not in answer, answer
    return [key.decode()[len(prefix):] for key in re.findall(rb"<Key>(.*?)</Key>", answer)]


def body(server, key):
    status, _, bytes_of = server.call("GET", "/packed/" + key)
    assert status == 200, f"{key}: {status}"
    return bytes_of


def differences(server, prefix, objects):
    """What is wrong with the shards below a prefix; also how many there are."""
    wrong, seen = [], set()
    killed, whole = keys(server, prefix), keys(server, "whole/")
    if killed != whole:
        wrong.append(f"shards {sorted(set(killed) ^ set(whole))[:10]} are in one of both packs")
    for name in killed:
        shard = body(server, prefix + name)
        if name in whole and hashlib.sha256(shard).digest() != hashlib.sha256(body(server, "whole/" + name)).digest():
            wrong.append(f"{name} has other bytes than without kills")
        if name.endswith(".tar"):
            wrong += members(shard, objects, seen)
    wrong += [f"{key} is in no shard" for key in objects.sizes.keys() - seen]
    return wrong, sum(name.endswith(".tar") for name in killed)


def members(shard, objects, seen):
    with tarfile.open(fileobj=io.BytesIO(shard)) as tar:
        for member in tar:
            key = PREFIX + member.name
            if key in seen:
                yield f"{key} is in the shards twice"
            seen.add(key)
            stored = tar.extractfile(member).read()
            if key not in objects.sizes or stored != content(key, objects.sizes[key]):
                yield f"{key} has other bytes"


def main():
    options = argparse.ArgumentParser()
    for name in ("admin", "server", "key", "start", "log", "output", "data"):
        options.add_argument("--" + name, required=True)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--objects", type=int, default=3000)
    options.add_argument("--seconds", type=float, default=30, help="how long the pack works about")
    asked = options.parse_args()
    key = asked.key.split(":", 1)
    server = S3(asked.server, *key)
    objects = Objects(asked.objects, 3)
    objects.create(server)
    server.call("PUT", "/packed")
    gateway = Gateway(asked.start, S3(asked.admin, *key), open(asked.output, "ab"))
    gateway.run()
    bandwidth = max(1, int(sum(objects.sizes.values()) / asked.seconds) >> 20)
    kills, ends = 0, {}
    while kills < asked.kills and len(ends) < MOST_PACKS:
        prefix = f"killed-{len(ends)}/"
        ends[prefix], done, met, _ = killed_job(gateway, {**request(prefix, append=True), "bandwidth": f"{bandwidth}MiB"},
                                                asked.kills - kills, asked.seconds, asked.data, None)
        kills += done
        print(f"pack {prefix}: {done} kills, {met} met an intent without an id, {ends[prefix]['state']}, {ends[prefix]['progress']}")
    whole = gateway.ask("POST", "/jobs", request("whole/"))
    wait_for(gateway, whole["id"], "done", ACTIVE)
    wrong, count = [], 0
    for prefix, state in ends.items():
        progress = state["progress"]
        found, count = differences(server, prefix, objects)
        wrong += found
        if state["state"] != "done" or (progress["done"], progress["skipped"], progress["failed"]) != (count, 0, 0):
            wrong.append(f"{count} shards, and the job is {state['state']} and tells {progress}")
    wrong += [f"only {kills} kills"] if kills < asked.kills else []
    wrong += [f"{name} was written {times} times" for name, times in writes(asked.log, "packed").items() if times != 1]
    named = named_uploads(asked.output)
    left = uploads(server, "packed", named)
    wrong += [f"an upload of {name.decode()} is left" for name in left]
    gateway.kill(signal.SIGTERM)
    print(f"{kills} kills, {len(objects.sizes)} objects in {count} shards; uploads in parts that were begun and left: {len(left)}, and {len(named)} that the "
          f"log names; {len(wrong)} wrong")
    for what in wrong[:20]:
        print("  " + what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
