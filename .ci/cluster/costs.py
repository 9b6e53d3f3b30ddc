"""What a cluster costs: writes and hits of three members beside those of gateways without a cluster; what one, two and three serve by hash; and a member
that is slow to acknowledge."""

import base64
import concurrent.futures
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import time

from balancer import Balancer
from clients import client
from cost_of_get import Target
from faults import ANNOUNCED_WAIT, STRONG_WAIT
from kill_writes import Client
from members import ACCESS_KEY, ANNOUNCED, SECRET_KEY, STRONG, Cluster, await_all

MANY = 10_000
AT_ONCE = 1_000
OBJECTS = 500
CONNECTIONS = 16  # to each member, so that none waits for clients
SLACK = 2.0  # what a machine with other work may add to the promised waits of writes


def run_costs(place):
    with Cluster(place, "one", count=1, joined=False) as one, Cluster(place, "three") as three:
        both, rows = {"one": one, "three": three}, [["", "one gateway", "three members", "ratio"]]
        for name, cluster in both.items():
            puts(cluster, STRONG, 2 * place.operations, name)  # compiles
        for bucket in (STRONG, ANNOUNCED):
            times, cpu = {name: [] for name in both}, {name: 0.0 for name in both}
            waited = announced(three)
            for _ in range(4):
                for name, cluster in both.items():
                    before = cluster.cpu()
                    times[name] += puts(cluster, bucket, place.operations // 4, name)
                    cpu[name] += cluster.cpu() - before
            row(rows, f"PUT of 4 KiB, {bucket}, ms at p50", *(1e3 * statistics.median(times[name]) for name in both))
            row(rows, f"the same, ms at p99", *(1e3 * sorted(times[name])[len(times[name]) * 99 // 100] for name in both))
            seconds, count = (after - before for after, before in zip(announced(three), waited))
            rows.append(["of that until the others had heard of it, ms in the mean", "", f"{1e3 * seconds / count:.2f}", ""])
            row(rows, f"the same, ms of processor of all", *(1e3 * cpu[name] / len(times[name]) for name in both))
        deletions = {name: [] for name in both}
        for bucket in (STRONG, ANNOUNCED):
            for name, cluster in both.items():
                deletions[name].append(delete_many(place, cluster, bucket))
            row(rows, f"DeleteObjects of {MANY:,} keys, {bucket}, s", *(deletions[name][-1] for name in both))
        place.say("costs; all processes share this machine")
        place.table(rows)
    run_hits(place)
    run_throughput(place)
    run_slow_member(place)


def row(rows, name, one, three):
    rows.append([name, f"{one:,.2f}", f"{three:,.2f}", f"{three / one:.2f}"])


def announced(cluster):
    """The seconds that changes through the first member have waited for the others, and how many did."""
    return [cluster.figure(0, f"millrace_cluster_announce_seconds_{part}") for part in ("sum", "count")]


def puts(cluster, bucket, count, name):
    s3, body, times = Client(cluster.s3(0)), os.urandom(4 << 10), []
    for number in range(count):
        begun = time.monotonic()
        status, _, said = s3.call("PUT", f"/{bucket}/put-{name}-{number}", [body])
        times.append(time.monotonic() - begun)
        assert status == 200, (status, said)
    return times


def delete_many(place, cluster, bucket):
    """Seconds for objects that are put into the store's folder."""
    folder = place.store_folder / bucket / "many"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"{number:05}").touch()
    s3, begun = cluster.s3(0), time.monotonic()
    for first in range(0, MANY, AT_ONCE):
        keys = "".join(f"<Object><Key>many/{number:05}</Key></Object>" for number in range(first, first + AT_ONCE))
        body = f"<Delete><Quiet>true</Quiet>{keys}</Delete>".encode()
        status, _, said = s3.call("POST", f"/{bucket}", body, "delete=", {"content-md5": base64.b64encode(hashlib.md5(body).digest()).decode()})
        assert status == 200 and b"<Error>" not in said, (status, said[:300])
    took = time.monotonic() - begun
    left = len(list(folder.iterdir())) if folder.exists() else 0
    place.hold(left == 0, f"costs: {left} objects are left of {MANY} that were deleted")
    shutil.rmtree(folder, ignore_errors=True)
    return took


def run_hits(place):
    with (
        Cluster(place, "hit-one", count=1, joined=False) as one,
        Cluster(place, "hit-another", count=1, joined=False) as another,
        Cluster(place, "hit-three") as three,
    ):
        compare_hits(place, {"without": one, "without, another process": another, "with, one member of three": three})


def compare_hits(place, compared):
    """In turns, since a machine is not the same for long. How far apart two processes without a cluster are says what the figures can tell."""
    scripts, spent, hits = {}, {name: [] for name in compared}, {}
    for name, cluster in compared.items():
        client(cluster.endpoint(0)).put_object(Bucket=STRONG, Key="hit", Body=os.urandom(4 << 10))
        scripts[name] = signed_gets(place, cluster, cluster.endpoint(0), STRONG, ["hit"])
        wrk(cluster.endpoint(0), CONNECTIONS, 5 if place.brief else 20, scripts[name])
        hits[name] = results(cluster)
    for _ in range(5 if place.brief else 15):
        for name, cluster in compared.items():
            before = cluster.cpu_of(0)
            count = wrk(cluster.endpoint(0), CONNECTIONS, 2 if place.brief else 4, scripts[name])
            spent[name].append(1e6 * (cluster.cpu_of(0) - before) / count)
    first, rows = next(iter(compared)), [["a hit of 4 KiB", "µs of its processor, p50", "ns more than without, of the same round: p25, p50, p75", "hits"]]
    for name, cluster in compared.items():
        more = [1e3 * (one - without) for one, without in zip(spent[name], spent[first])]
        parts = ", ".join(f"{part:+.0f}" for part in statistics.quantiles(more, n=4))
        hit, every = (after - before for after, before in zip(results(cluster), hits[name]))
        rows.append([name, f"{statistics.median(spent[name]):.2f}", "" if name == first else parts, f"{hit / every:.2%}"])
    place.say("hits, by the processor's time of the process that is asked")
    place.table(rows)


def results(cluster):
    """Of the first member: GETs that were hits, and all."""
    time.sleep(1)  # what a member says of itself is some tenths of a second old
    return [cluster.figure(0, "millrace_cache_requests_total", label) for label in ('result="hit"', "")]


def signed_gets(place, cluster, endpoint, bucket, keys):
    """A script of wrk, good for a quarter of an hour."""
    return Target(f"{cluster.folder.name}={endpoint},pid=,key={ACCESS_KEY}:{SECRET_KEY},bucket={bucket}").script(keys, place.work)


def wrk(url, connections, seconds, script):
    """How many GETs were served, all of them with 200."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", script, url]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in said and "Socket errors" not in said, said
    return int(re.search(r"(\d+) requests in", said)[1])


def run_throughput(place):
    """As many members as there are share this machine, so the processor's time says what each could serve on one of its own. Linear is the busiest
    member's: with N members N times the GETs for each second that it works."""
    rows = [["members", "GETs", "µs of processor a GET, of all", "that of one, to this", "GETs a second that the busiest works", "linear"]]
    for count in (1, 2, 3):
        with Cluster(place, f"throughput-{count}", count=count, joined=count > 1) as cluster, Balancer(place, cluster, "haproxy", bounded=True) as balancer:
            s3, keys = client(balancer.endpoint), [f"throughput/{number}" for number in range(OBJECTS)]
            for key in keys:
                s3.put_object(Bucket=ANNOUNCED, Key=key, Body=os.urandom(4 << 10))
            script = signed_gets(place, cluster, balancer.endpoint, ANNOUNCED, keys)
            wrk(balancer.endpoint, count * CONNECTIONS, 5 if place.brief else 30, script)
            gets, of_all, of_busiest = 0, [], []
            for _ in range(3):
                before = [cluster.cpu_of(number) for number in range(count)]
                served = wrk(balancer.endpoint, count * CONNECTIONS, 3 if place.brief else 10, script)
                spent = [cluster.cpu_of(number) - earlier for number, earlier in enumerate(before)]
                gets += served
                of_all.append(1e6 * sum(spent) / served)
                of_busiest.append(served / max(spent))
        cost, rate = statistics.median(of_all), statistics.median(of_busiest)
        if count == 1:
            cost_of_one, rate_of_one = cost, rate
        rows.append([count, f"{gets:,}", f"{cost:.1f}", f"{cost_of_one / cost:.2f}", f"{rate:,.0f}", f"{rate / count / rate_of_one:.2f}"])
    place.say(f"hits of {OBJECTS} objects of 4 KiB over HAProxy, by hash with bounded load; one is a gateway without a cluster")
    place.table(rows)


def run_slow_member(place):
    """Another member acknowledges late: each write waits as long as it may for one that is heard, and no longer."""
    rows = [["acknowledged late by s", "bucket", "writes", "above 0.5 s", "longest s", "promised", "share of the time waited"]]
    seconds = 10 if place.brief else 40
    with Cluster(place, "slow", relayed=True) as cluster:
        for delay in (0.9, 1.5):
            for bucket, longest in ((STRONG, STRONG_WAIT), (ANNOUNCED, ANNOUNCED_WAIT)):
                cluster.network("slow", "gw-0", "gw-2", delay)
                times = slow_writes(cluster, bucket, 2, seconds)
                cluster.network("heal")
                await_all(cluster.holds_leases, 15 if place.brief else 70)
                slow = [took for took in times if took > 0.5]
                rows.append([delay, bucket, len(times), len(slow), f"{max(times):.1f}", f"{longest:.1f}", f"{sum(slow) / 2 / seconds:.0%}"])
                place.hold(max(times) <= longest + SLACK, f"costs: a write in {bucket} waited {max(times):.1f} s for a member that is {delay} s late")
    place.say(f"two writers beside a member that is late, for {seconds} s each")
    place.table(rows)


def slow_writes(cluster, bucket, writers, seconds):
    """How long each write through the first member took."""
    end = time.monotonic() + seconds

    def write(writer):
        s3, times = Client(cluster.s3(0)), []
        while (begun := time.monotonic()) < end:
            status, _, said = s3.call("PUT", f"/{bucket}/slow-{writer}", [b"x"])
            assert status == 200, (status, said)
            times.append(time.monotonic() - begun)
            time.sleep(0.05)
        return times

    with concurrent.futures.ThreadPoolExecutor(writers) as pool:
        return [one for times in pool.map(write, range(writers)) for one in times]
