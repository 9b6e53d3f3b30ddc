#!/usr/bin/env python3
"""What the wording of a GET costs a server: CPU per warm GET of 4 KiB, plain, with the headers of load balancers and a tracer, and
presigned, in turns from one process. Needs wrk. Keep the machine otherwise idle. Traffic goes to loopback only.

    headers.py --folder objects --seconds 6 --rounds 5 ours=http://127.0.0.1:9080,pid=123,key=a:b
"""
import argparse
import datetime
import hashlib
import hmac
import pathlib
import random
import statistics
import sys
import tempfile
import urllib.parse

from cost_of_get import Target
from s3lite import _hmac

TRACER = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate": "rojo=00f067aa0ba902b7"}
BALANCERS = ["X-Forwarded-For: 203.0.113.7", "X-Forwarded-Proto: https", "Via: 1.1 first.example", "Via: 1.1 second.example",
             "Cookie: session=1; sticky=node-2"]


def plain(s3, path):
    return path, [f"{name}: {value}" for name, value in s3.headers("GET", path).items()]


def balanced(s3, path):
    return path, [f"{name}: {value}" for name, value in s3.headers("GET", path, extra=TRACER).items()] + BALANCERS


def presigned(s3, path):
    """A URL with SigV4 in its query, valid for an hour."""
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    host, scope = f"{s3.host}:{s3.port}", f"{stamp[:8]}/{s3.region}/s3/aws4_request"
    query = urllib.parse.urlencode(sorted({
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": f"{s3.access_key}/{scope}", "X-Amz-Date": stamp,
        "X-Amz-Expires": "3600", "X-Amz-SignedHeaders": "host", "x-id": "GetObject"}.items()), quote_via=urllib.parse.quote, safe="~")
    canonical = "\n".join(["GET", path, query, f"host:{host}\n", "host", "UNSIGNED-PAYLOAD"])
    to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = _hmac(_hmac(_hmac(_hmac(b"AWS4" + s3.secret_key.encode(), stamp[:8]), s3.region), "s3"), "aws4_request")
    signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    return f"{path}?{query}&X-Amz-Signature={signature}", [f"Host: {host}"]


WORDINGS = {"plain": plain, "balanced": balanced, "presigned": presigned}
GOALS = {"balanced": 1.3, "presigned": 1.5}  # times the plain GET


def script(target, wording, keys, folder):
    """A wrk script that sends one request per key, in random order."""
    lines = ["local requests = {"]
    for key in keys:
        uri, headers = WORDINGS[wording](target.s3, f"{target.s3.base}/{target.bucket}/{key}")
        head = "".join(f"{header}\\r\\n" for header in headers)
        lines.append(f'"GET {uri} HTTP/1.1\\r\\n{head}\\r\\n",')
    lines += ["}", "request = function() return requests[math.random(#requests)] end"]
    path = pathlib.Path(folder, f"{wording}.lua")
    path.write_text("\n".join(lines))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", help="as in cost_of_get.py")
    parser.add_argument("--folder", required=True, help="where the objects are made, in bench/; the server's backend")
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=20, help="seconds of unmeasured load of each wording, for a JIT")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--objects", type=int, default=200)
    args = parser.parse_args()
    random.seed(1)
    bucket = pathlib.Path(args.folder, "bench")
    bucket.mkdir(parents=True, exist_ok=True)
    objects = []
    for i in range(args.objects):
        path, data = bucket / f"4k-{i:04}", random.randbytes(4096)
        path.write_bytes(data)
        objects.append((path.name, hashlib.sha256(data).hexdigest(), path))
    target, keys, failed = Target(args.target), [key for key, _, _ in objects], False
    target.prepare(objects)
    with tempfile.TemporaryDirectory() as folder:
        scripts = {wording: script(target, wording, keys, folder) for wording in WORDINGS}
        for path in scripts.values():
            target.load(path, args.connections, args.warmup)
        rows = {wording: [] for wording in WORDINGS}
        for _ in range(args.rounds):
            for wording, path in scripts.items():
                count, _, spent, _, _, errors = target.load(path, args.connections, args.seconds)
                failed |= bool(errors)
                rows[wording].append(1e6 * spent / count)
    dear = False
    print(f"{'wording':<10} {'server us/GET':>13} {'x plain':>8}  x plain by round")
    for wording, costs in rows.items():
        ratios = [cost / base for cost, base in zip(costs, rows["plain"])]
        beyond = statistics.median(ratios) > GOALS.get(wording, 1)
        dear |= beyond
        print(f"{wording:<10} {statistics.median(costs):>13.1f} {statistics.median(ratios):>8.2f}  "
              + " ".join(f"{ratio:.2f}" for ratio in ratios) + (f"   BEYOND {GOALS[wording]}" if beyond else ""))
    if failed:
        print("some responses were errors", file=sys.stderr)
    sys.exit(failed or dear)


if __name__ == "__main__":
    main()
