"""What N members serve behind a balancer that hashes nothing, with `placement: shared`, and what a prefetch through one of them costs the store.

What they serve by hash is in costs.py. In full this takes some 20 minutes on two cores, of which 4 are for the objects of the prefetch; with --brief 5.
"""

import collections
import os
import re
import time
import uuid

from balancer import Balancer
from costs import idle_of, served
from homes import RELAYED, SETTINGS, await_balanced, await_relays, figures, fill, grown, run_relays
from members import ANNOUNCED, Cluster, await_all

SIZE = 4 << 10
# So many that few are read often enough to be stored beside their homes while they are measured.
READ, PREFETCHED, COMPILING = 20_000, 100_000, 2_000
WORKERS = 32  # fewer than the reads that one home serves of one member at a time
ENDED = ("done", "done-with-failures", "failed", "cancelled")
LONGEST_JOB = 1_200


def run_scale(place):
    for part in (run_plain, run_prefetch):
        if not place.only or re.search(place.only, part.__name__):
            place.attempt(part)


def stored(place, folder, count):
    """The keys of objects that are in the store now."""
    keys, body = [f"{folder}/{uuid.uuid4()}" for _ in range(count)], os.urandom(SIZE)
    fill(place, keys, lambda key: (f"/{ANNOUNCED}/{key}", body))
    return keys


def run_plain(place):
    """All members share this machine, so T(N), how many times the GETs of one they could serve on machines of their own, is by the processor's time."""
    ratio = run_relays(place, RELAYED[:1], "scale-relays")[RELAYED[0][0]]
    keys = stored(place, f"plain-{uuid.uuid4()}", 3_000 if place.brief else READ)
    rows = [["members", "GETs", "by homes", "µs of processor a GET, of all", "T(N)", "by the formula", "GETs a second that the busiest works", "to those of one"]]
    for count in (1, 3) if place.brief else (1, 2, 3, 4):
        joined = count > 1
        with (
            Cluster(place, f"plain-{count}", SETTINGS, count=count, joined=joined) as cluster,
            Balancer(place, cluster, "haproxy", in_turn=True) as balancer,
        ):
            if joined:
                await_relays(place, cluster)
            await_balanced(place, cluster, balancer)
            now = served(place, cluster, balancer, keys)
        if count == 1:
            one = now
        share = now.relayed / now.gets
        figured = [f"{count * one.cost / now.cost:.2f}", f"{count / (1 + share * (ratio - 1)):.2f}", f"{now.rate:,.0f}", f"{now.rate / one.rate:.2f}"]
        rows.append([count, f"{now.gets:,}", f"{share:.0%}", f"{1e6 * now.cost:.1f}", *figured])
    place.say(f"scale: hits of {len(keys):,} objects of 4 KiB over HAProxy in turn; a relayed hit is {ratio:.1f} local ones; one is a gateway without a cluster")
    place.table(rows)


def run_prefetch(place):
    """By one gateway, and through one member of three, whose homes fetch. Both have compiled what that takes."""
    compiling, folder = f"compiling-{uuid.uuid4()}", f"prefetch-{uuid.uuid4()}"
    stored(place, compiling, COMPILING)
    keys = stored(place, folder, 2_000 if place.brief else PREFETCHED)
    rows = [[f"prefetch of {len(keys):,} objects of 4 KiB", "s", "objects a second", "GETs of the store", "its other calls", "cached, each once", "fallbacks", "MiB beside homes"]]
    rows[0].append("µs of processor an object, of all")
    for name, count in ("by one gateway", 1), ("through one member of three", 3):
        with Cluster(place, f"prefetch-{count}", SETTINGS, count=count, joined=count > 1) as cluster:
            if count > 1:
                await_relays(place, cluster)
            prefetched(cluster, f"{compiling}/")
            idle = idle_of({"": cluster}, 5)[""]
            before, spent, begun = counted(cluster), cluster.cpu(), time.monotonic()
            job = prefetched(cluster, f"{folder}/")
            took = time.monotonic() - begun
            spent = cluster.cpu() - spent - idle * took
            gets, others, fallbacks, copied = (grown(after, earlier) for after, earlier in zip(counted(cluster), before))
            place.hold(job["state"] == "done", f"scale: the prefetch {name} ended as {job['state']}: {job.get('message')} {job['progress']}")
            # What it stored is in the metadata store some moments later.
            place.hold(await_all(lambda: residency(cluster, f"{folder}/") == len(keys), 60), f"scale: after the prefetch {name} not each object is cached once")
            cached = residency(cluster, f"{folder}/")
        place.hold(len(keys) <= gets <= 1.001 * len(keys), f"scale: the prefetch {name} cost {gets:,.0f} GETs for {len(keys):,} objects")
        figured = [f"{took:.1f}", f"{len(keys) / took:,.0f}", f"{gets:,.0f}", f"{others:,.0f}", f"{cached:,}", f"{fallbacks:,.0f}", f"{copied / 2**20:,.1f}"]
        rows.append([name, *figured, f"{1e6 * spent / len(keys):,.0f}"])
    place.say("scale: a prefetch through one member, whose job shares this machine with the homes and the store")
    place.table(rows)


def counted(cluster):
    """Of each member: GETs of the store, other calls of it, reads that should have been relayed, and bytes that were stored beside their homes."""
    gets = figures(cluster, "millrace_backend_call_seconds_count", 'operation="open"')
    calls = figures(cluster, "millrace_backend_call_seconds_count")
    others = [every - opened for every, opened in zip(calls, gets)]
    return gets, others, figures(cluster, "millrace_cluster_fallbacks_total"), figures(cluster, "millrace_cluster_copied_bytes_total")


def prefetched(cluster, prefix):
    """The job at its end."""
    request = {"kind": "prefetch", "from": {"bucket": ANNOUNCED, "prefix": prefix}, "workers": WORKERS}
    job, end = cluster.api(0, "POST", "/jobs", request=request), time.monotonic() + LONGEST_JOB
    while job["state"] not in ENDED and time.monotonic() < end:
        time.sleep(0.1)
        job = cluster.api(0, "GET", f"/jobs/{job['id']}")
    return job


def residency(cluster, prefix):
    """How many objects are cached, each at its home."""
    found, step = collections.Counter(), {"next": ""}
    while (following := step.get("next")) is not None:
        step = cluster.api(0, "GET", "/residency", {"bucket": ANNOUNCED, "prefix": prefix, **({"from": following} if following else {})})
        assert "unanswered" not in step, step
        found["cachedObjects"] += step["cachedObjects"]
    return found["cachedObjects"]
