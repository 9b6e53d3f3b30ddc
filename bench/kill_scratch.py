#!/usr/bin/env python3
"""Kills a gateway under writes to scratch buckets, again and again, and reads what became of them.

It does what kill_writes.py does, by the same rules but one: what is in a scratch bucket may be lost at any time, so a key may be absent
whatever was acknowledged. What is read must be whole, a write that was sent and not refused, and never older than one that was acknowledged,
deleted, or seen by another read. A read may break off, or be 503, if a block is damaged. After a start everything is read at once, and twice
when the blocks of earlier runs are found: what the first of these reads has found the second one finds, and a list shows that. More than half of what was
acknowledged must be there then, unless --cut says that its power was cut.

    kill_scratch.py --url http://127.0.0.1:9080 --key A:S --buckets kv-blocks --start 'exec millrace serve --config f' --log f.log --kills 50
"""
import concurrent.futures
import sys
import time

from kill_writes import BROKEN, SENT, Client, Key, Play, Violation, listed, main

ABSENT = 0
RECOVERED = b"Recovery of the cache has ended"


class ScratchKey(Key):
    """What a key may be, which may also be absent: a 404 says nothing."""

    def settle(self, status, body, floor):
        return ABSENT if status == 404 else super().settle(status, body, floor)

    def should_be_there(self):
        """Whether nothing but a loss explains that it is absent."""
        with self.lock:
            last = self.writes[self.floor:]
            return last[0].kind != "delete" and not any(write.kind == "delete" and write.state == SENT for write in last)


class ScratchPlay(Play):
    def completed_before(self, client, key, write):
        """The upload has ended, and so its object was there; it may be lost since."""
        status, _, body = client.call("GET", key.path)
        if status == 200 and key.settle(status, body, key.floor) != write.number:
            raise Violation(f"{key.path}: the upload of write {write} is gone, and another object is there")
        self.counts["completed before the kill" if status == 200 else "completed before the kill, and lost"] += 1


def await_blocks(gateway):
    latest = time.monotonic() + 300
    while time.monotonic() < latest:
        with open(gateway.args.log, "rb") as log:
            log.seek(gateway.log_begins)
            if RECOVERED in log.read():
                return
        time.sleep(0.05)
    raise Violation(f"the blocks of earlier runs are not found; see {gateway.args.log}")


def read_all(s3, keys, counts):
    """The write that each key is at; None where the read got no whole answer."""
    def read(part):
        client, found = Client(s3), {}
        for key in part:
            floor = key.floor
            try:
                status, _, body = client.call("GET", key.path)
            except BROKEN:
                status, body = 503, b""
            if status == 503:
                found[key] = None
            elif status in (200, 404):
                found[key] = key.settle(status, body, floor)
            else:
                raise Violation(f"{key.path}: {status} {body[:300]}")
        client.close()
        return found

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = {key: number for part in pool.map(read, [keys[i::8] for i in range(8)]) for key, number in part.items()}
    counts["reads after a kill"] += len(found)
    counts["of them broken off"] += sum(number is None for number in found.values())
    return found


def check(gateway, s3, _direct, keys, counts, floors):
    """Reads everything at once, and twice when all blocks are found."""
    first = read_all(s3, keys, counts)
    counts["unanswered writes that happened"] += sum((first[key] or 0) > floors[key] for key in keys)
    await_blocks(gateway)
    expected = {key for key in keys if key.should_be_there()}
    second, third = read_all(s3, keys, counts), read_all(s3, keys, counts)
    if gateway.process.poll() is not None:
        raise Violation("the gateway has ended")
    for key in keys:
        if second[key] is not None and third[key] != second[key]:
            raise Violation(f"{key.path}: write {second[key]}, and then {third[key]}, although nobody writes")
    present = {key for key in keys if third[key] and key.writes[third[key]].kind != "delete"}
    counts["acknowledged and there"] += len(expected & present)
    counts["acknowledged and lost"] += len(expected - present)
    if not gateway.args.cut and 2 * len(expected & present) < len(expected):
        raise Violation(f"of {len(expected)} keys {len(expected & present)} are there")
    for bucket in {key.bucket for key in keys}:
        there = {key.name for key in present if key.bucket == bucket}
        unknown = {key.name for key in keys if key.bucket == bucket and third[key] is None}
        if (listed(s3, bucket) ^ there) - unknown:
            raise Violation(f"list of {bucket}: {sorted((listed(s3, bucket) ^ there) - unknown)} differ")


if __name__ == "__main__":
    sys.exit(main(__doc__, ScratchKey, ScratchPlay, check))
