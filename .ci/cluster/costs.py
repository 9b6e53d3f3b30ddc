"""What a cluster costs: writes and hits of three members beside those of gateways without a cluster; what one to four serve by hash; and a member
that is slow to acknowledge."""

import base64
import collections
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
    with (
        Cluster(place, "one", count=1, joined=False) as one,
        Cluster(place, "another", count=1, joined=False) as another,
        Cluster(place, "three") as three,
    ):
        compared = {"one gateway": one, "another one": another, "three members": three}
        place.say("costs; all processes share this machine")
        compare_puts(place, compared)
        compare_deletions(place, {"one gateway": one, "three members": three})
        compare_hits(place, {"without": one, "without, another process": another, "with, one member of three": three})
    run_throughput(place)
    run_slow_member(place)


def compare_puts(place, compared):
    """In short turns, since a machine is not the same for long. How far apart two gateways without a cluster are says what the figures can tell."""
    for name, cluster in compared.items():
        for bucket in (STRONG, ANNOUNCED):  # compiles, at all members: what costs a server that has just begun says nothing
            many_puts(place, cluster, bucket, 10 if place.brief else 40)
            puts(cluster, bucket, place.operations // 4, name)
    idle, three = idle_of(compared, 5 if place.brief else 20), compared["three members"]
    rows = [["PUT of 4 KiB", *compared, "three members, to one gateway", "goal"]]
    row(rows, "nothing, µs of processor a second, of all", [1e6 * idle[name] for name in compared], "")
    for bucket in (STRONG, ANNOUNCED):
        times, alone, waited = {name: [] for name in compared}, {name: [] for name in compared}, announced(three)
        for _ in range(8):
            for name, cluster in compared.items():
                took, spent = costing(cluster, idle[name], lambda: puts(cluster, bucket, place.operations // 8, name))
                times[name] += took
                alone[name].append(1e6 * spent / len(took))
        seconds, count = (after - before for after, before in zip(announced(three), waited))
        row(rows, f"{bucket}, one client: ms at p50", [1e3 * statistics.median(times[name]) for name in compared], "+ 1")
        row(rows, "ms at p99", [1e3 * sorted(times[name])[len(times[name]) * 99 // 100] for name in compared], "")
        rows.append(["of that until the others had heard of it, ms in the mean", "", "", f"{1e3 * seconds / count:.2f}", "", ""])
        row(rows, "µs of processor, of all", [statistics.median(alone[name]) for name in compared], "+ 60")
        together = {name: [] for name in compared}
        for _ in range(5):
            for name, cluster in compared.items():
                served, spent = costing(cluster, idle[name], lambda: many_puts(place, cluster, bucket, 2 if place.brief else 6))
                together[name].append(1e6 * spent / served)
        row(rows, f"{bucket}, {CONNECTIONS} clients: µs of processor, of all", [statistics.median(together[name]) for name in compared], "+ 60")
    place.table(rows)


def row(rows, name, figures, goal):
    rows.append([name, *(f"{figure:,.2f}" for figure in figures), f"{figures[-1] - figures[0]:+,.2f}", goal])


def idle_of(compared, seconds):
    """How many seconds of processor all members use in one without a request."""
    before = {name: cluster.cpu() for name, cluster in compared.items()}
    time.sleep(seconds)
    return {name: (cluster.cpu() - before[name]) / seconds for name, cluster in compared.items()}


def costing(cluster, idle, work):
    """What work returns, and the seconds of processor that all members used for it."""
    begun, before = time.monotonic(), cluster.cpu()
    result = work()
    return result, cluster.cpu() - before - idle * (time.monotonic() - begun)


def many_puts(place, cluster, bucket, seconds):
    """How many PUTs of clients at the same time were served, none of them of the same key."""
    lines = ["local body, at, requests = string.rep('x', 4096), 0, {"]
    for number in range(OBJECTS):
        path = f"/{bucket}/puts/{number}"
        headers = cluster.s3(0).headers("PUT", path, payload_sha256="UNSIGNED-PAYLOAD") | {"Content-Length": 4096}
        fields = "".join(f"{name}: {value}\\r\\n" for name, value in headers.items())
        lines.append(f'"PUT {path} HTTP/1.1\\r\\n{fields}\\r\\n",')
    lines += ["}", "request = function() at = at % #requests + 1; return requests[at] .. body end"]
    script = place.work / "puts.lua"
    script.write_text("\n".join(lines))
    return wrk(cluster.endpoint(0), CONNECTIONS, seconds, script)


def compare_deletions(place, compared):
    rows = [[f"DeleteObjects of {MANY:,} keys, s", *compared, "ratio", "goal"]]
    for bucket in (STRONG, ANNOUNCED):
        took = {name: [] for name in compared}
        for turn in range(3 if place.brief else 6):
            for name, cluster in compared.items():
                seconds = delete_many(place, cluster, bucket)
                if turn:  # the first one compiles
                    took[name].append(seconds)
        one, three = (statistics.median(took[name]) for name in compared)
        rows.append([bucket, f"{one:.2f}", f"{three:.2f}", f"{three / one:.2f}", "1.3"])
    place.table(rows)


def announced(cluster):
    """The seconds that changes through the first member have waited for the others, and how many did."""
    return [cluster.figure(0, f"millrace_cluster_announce_seconds_{part}") for part in ("sum", "count")]


def puts(cluster, bucket, count, name):
    s3, body, times = Client(cluster.s3(0)), os.urandom(4 << 10), []
    for number in range(count):
        begun = time.monotonic()
        status, _, said = s3.call("PUT", f"/{bucket}/put-{name.replace(chr(32), chr(45))}-{number}", [body])
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


def compare_hits(place, compared):
    """In turns, as PUTs are."""
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


# GETs that were served, the seconds of processor of all members for one, how many the busiest serves in each second that it works, and those of homes.
Served = collections.namedtuple("Served", "gets cost rate relayed")


def served(place, cluster, balancer, keys):
    """By many clients of the balancer at once, after as many as fill caches and compile."""
    script = signed_gets(place, cluster, balancer.endpoint, ANNOUNCED, keys)
    wrk(balancer.endpoint, cluster.count * CONNECTIONS, 5 if place.brief else 30, script)
    before, gets, of_all, of_busiest = relayed(cluster), 0, [], []
    for _ in range(3):
        earlier = [cluster.cpu_of(number) for number in range(cluster.count)]
        count = wrk(balancer.endpoint, cluster.count * CONNECTIONS, 3 if place.brief else 10, script)
        spent = [cluster.cpu_of(number) - one for number, one in enumerate(earlier)]
        gets += count
        of_all.append(sum(spent) / count)
        of_busiest.append(count / max(spent))
    return Served(gets, statistics.median(of_all), statistics.median(of_busiest), relayed(cluster) - before)


def relayed(cluster):
    """How many requests homes have served for the other members."""
    time.sleep(1)  # what a member says of itself is some tenths of a second old
    return sum(cluster.figure(number, "millrace_cluster_relayed_reads_total") for number in range(cluster.count))


def run_throughput(place):
    """As many members as there are share this machine, so the processor's time says what each could serve on one of its own. Linear is the busiest
    member's: with N members N times the GETs for each second that it works."""
    rows = [["members", "GETs", "µs of processor a GET, of all", "that of one, to this", "GETs a second that the busiest works", "linear", "goal"]]
    for count in (1, 2, 4) if place.brief else (1, 2, 3, 4):
        with Cluster(place, f"throughput-{count}", count=count, joined=count > 1) as cluster, Balancer(place, cluster, "haproxy", bounded=True) as balancer:
            s3, keys = client(balancer.endpoint), [f"throughput/{number}" for number in range(OBJECTS)]
            for key in keys:
                s3.put_object(Bucket=ANNOUNCED, Key=key, Body=os.urandom(4 << 10))
            now = served(place, cluster, balancer, keys)
        if count == 1:
            one = now
        rows.append([count, f"{now.gets:,}", f"{1e6 * now.cost:.1f}", f"{one.cost / now.cost:.2f}", f"{now.rate:,.0f}", f"{now.rate / count / one.rate:.2f}", "0.95"])
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
