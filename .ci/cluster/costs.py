"""What a cluster costs: writes and hits of three members beside those of one gateway without a cluster; and a member that is slow to acknowledge."""

import base64
import concurrent.futures
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import time

from clients import client
from faults import ANNOUNCED_WAIT, STRONG_WAIT
from kill_writes import Client
from members import ANNOUNCED, STRONG, Cluster, await_all

MANY = 10_000
AT_ONCE = 1_000
SLACK = 2.0  # what a machine with other work may add to the promised waits of writes


def run_costs(place):
    with Cluster(place, "one", alone=True) as one, Cluster(place, "three") as three:
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
        rates = {name: [] for name in both}
        for bucket in (STRONG, ANNOUNCED):
            for name, cluster in both.items():
                client(cluster.endpoint(0)).put_object(Bucket=bucket, Key=f"hit-{name}", Body=os.urandom(4 << 10))
            for _ in range(3):
                for name, cluster in both.items():
                    rates[name].append(hits(cluster, bucket, f"hit-{name}", 2 if place.brief else 5))
            row(rows, f"hits of 4 KiB a second, {bucket}", *(statistics.median(rates[name][-3:]) for name in both))
        place.say("costs; all processes share this machine")
        place.table(rows)
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


def hits(cluster, bucket, key, seconds):
    url = client(cluster.endpoint(0)).generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": key})
    if shutil.which("wrk"):
        said = subprocess.run(["wrk", "-t1", "-c8", f"-d{seconds}s", url], capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in said, said
        return float(re.search(r"Requests/sec:\s+(\S+)", said)[1])
    s3, count, end = Client(cluster.s3(0)), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        count += s3.call("GET", f"/{bucket}/{key}")[0] == 200
    return count / seconds


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
