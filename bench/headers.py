#!/usr/bin/env python3
"""What the wording of a GET and the rules for its sender cost a server: CPU per warm GET of 4 KiB, plain, with the headers of load
balancers and a tracer, presigned, decided by policies, and with the token of a session that policies decide, in turns from one process. Needs wrk. Keep the machine otherwise idle. Traffic goes to loopback only.

    headers.py --folder objects --seconds 6 --rounds 5 ours=http://127.0.0.1:9080,pid=123,key=a:b
"""
import argparse
import datetime
import hashlib
import hmac
import json
import math
import pathlib
import random
import re
import statistics
import sys
import tempfile
import urllib.parse

from cost_of_get import Target
from s3lite import S3, _hmac

TRACER = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate": "rojo=00f067aa0ba902b7"}
BALANCERS = ["X-Forwarded-For: 203.0.113.7", "X-Forwarded-Proto: https", "Via: 1.1 first.example", "Via: 1.1 second.example",
             "Cookie: session=1; sticky=node-2"]


def signed(s3, path, extra=None):
    return path, [f"{name}: {value}" for name, value in s3.headers("GET", path, extra=extra).items()]


def plain(s3, key):
    return signed(s3, f"{s3.base}/bench/{key}")


def balanced(s3, key):
    path, headers = signed(s3, f"{s3.base}/bench/{key}", TRACER)
    return path, headers + BALANCERS


def guarded(s3, key):
    """A GET that policies decide, by an identity or a session."""
    return signed(s3, f"{s3.base}/guarded/{key}")


def presigned(s3, key):
    """A URL with SigV4 in its query, valid for an hour."""
    path = f"{s3.base}/bench/{key}"
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


def session(url):
    """A client with a session of the role, as AssumeRole gives it."""
    form = urllib.parse.urlencode({"Action": "AssumeRole", "Version": "2011-06-15", "RoleSessionName": "bench",
                                   "RoleArn": "arn:aws:iam::000000000000:role/guarded"}).encode()
    status, _, body = S3(url, "guardedkey", "guardedsecret", service="sts").call(
        "POST", "/sts", form, extra={"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 200, f"AssumeRole: {status} {body[:300]}"
    access, secret, token = (re.search(f"<{name}>([^<]+)<", body.decode())[1]
                             for name in ("AccessKeyId", "SecretAccessKey", "SessionToken"))
    return S3(url, access, secret, token=token)


def write_policies(folder):
    """Writes a caller's policy, of which the last statement allows the GETs, and a bucket's, which denies much but not them."""
    here = {"IpAddress": {"aws:SourceIp": ["10.0.0.0/8", "127.0.0.0/8"]}, "DateGreaterThan": {"aws:CurrentTime": "2026-01-01T00:00:00Z"}}
    elsewhere = {"NotIpAddress": {"aws:SourceIp": ["10.0.0.0/8", "127.0.0.0/8"]}}

    def statement(effect, action, keys, condition, **more):
        return {"Effect": effect, "Action": action, "Resource": [f"arn:aws:s3:::guarded/{key}" for key in keys],
                "Condition": condition, **more}

    caller = [statement("Allow", ["s3:GetObject", "s3:PutObject"], [f"team-{i}/*", f"*/team-{i}/*.bin"], here) for i in range(20)]
    caller += [statement("Allow", "s3:GetObject", [f"home-{i}/${{aws:username}}/*"], here) for i in range(5)]
    caller += [statement("Deny", "s3:*", [f"team-{i}/secret/*"], here) for i in range(5)]
    caller += [statement("Deny", "s3:*", ["*"], elsewhere) for _ in range(5)]
    caller.append(statement("Allow", "s3:GetObject", ["4k-*"], here))
    everyone = {"Principal": {"AWS": "arn:aws:iam::000000000000:root"}}
    bucket = [statement("Deny", "s3:*", [f"old-{i}/*"], here, **everyone) for i in range(10)]
    bucket += [statement("Deny", "s3:*", ["*"], elsewhere, **everyone) for _ in range(10)]
    bucket += [statement("Allow", "s3:GetObject", [f"share-{i}/${{aws:username}}/*"], here, **everyone) for i in range(4)]
    for name, statements in ("caller", caller), ("bucket", bucket):
        pathlib.Path(folder, f"{name}.json").write_text(json.dumps({"Version": "2012-10-17", "Statement": statements}))


WORDINGS = {"plain": plain, "balanced": balanced, "presigned": presigned, "policies": guarded, "session": guarded}
GOALS = {"balanced": 1.3, "presigned": 1.5}  # times the plain GET
GOALS_US = {"policies": 1.0, "session": 1.0}  # more than the plain GET


def script(s3, wording, keys, folder):
    """A wrk script that sends one request per key, in random order."""
    lines = ["local requests = {"]
    for key in keys:
        uri, headers = WORDINGS[wording](s3, key)
        head = "".join(f"{header}\\r\\n" for header in headers)
        lines.append(f'"GET {uri} HTTP/1.1\\r\\n{head}\\r\\n",')
    lines += ["}", "request = function() return requests[math.random(#requests)] end"]
    path = pathlib.Path(folder, f"{wording}.lua")
    path.write_text("\n".join(lines))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="?", help="as in cost_of_get.py")
    parser.add_argument("--folder", help="where the objects are made, in bench/; the server's backend")
    parser.add_argument("--policies", help="write the policies of the server into this folder, and end")
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=20, help="seconds of unmeasured load of each wording, for a JIT")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--objects", type=int, default=200)
    args = parser.parse_args()
    if args.policies:
        write_policies(args.policies)
        return
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
    url = f"http://{target.s3.host}:{target.s3.port}"
    clients = {"policies": S3(url, "guardedkey", "guardedsecret"), "session": session(url)}
    with tempfile.TemporaryDirectory() as folder:
        scripts = {wording: script(clients.get(wording, target.s3), wording, keys, folder) for wording in WORDINGS}
        for path in scripts.values():
            target.load(path, args.connections, args.warmup)
        rows = {wording: [] for wording in WORDINGS}
        for _ in range(args.rounds):
            for wording, path in scripts.items():
                count, _, spent, _, _, errors = target.load(path, args.connections, args.seconds)
                failed |= bool(errors)
                rows[wording].append(1e6 * spent / count)
    dear = False
    print(f"{'wording':<10} {'server us/GET':>13} {'x plain':>8} {'us more':>8}  us more by round")
    for wording, costs in rows.items():
        ratio = statistics.median(cost / base for cost, base in zip(costs, rows["plain"]))
        more = [cost - base for cost, base in zip(costs, rows["plain"])]
        beyond = ratio > GOALS.get(wording, math.inf) or statistics.median(more) > GOALS_US.get(wording, math.inf)
        dear |= beyond
        print(f"{wording:<10} {statistics.median(costs):>13.1f} {ratio:>8.2f} {statistics.median(more):>8.1f}  "
              + " ".join(f"{each:.1f}" for each in more) + ("   BEYOND THE GOAL" if beyond else ""))
    if failed:
        print("some responses were errors", file=sys.stderr)
    sys.exit(failed or dear)


if __name__ == "__main__":
    main()
