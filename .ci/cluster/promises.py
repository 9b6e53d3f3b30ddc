"""The table of docs/several-gateways.md: what is changed through a balancer, or at one node, is read at every node at once. Then 10,000 GETs of a cold object.

Each node has in memory what is about to change, so whoever heard nothing of it is seen. The same is asked of three gateways that are no cluster:
rows that have to be "no" there show that this would notice.
"""

import collections
import concurrent.futures
import json
import os
import signal
import threading
import time
import uuid

import boto3
import botocore.exceptions
import urllib3

from balancer import Balancer
from clients import client
from kill_writes import Client
from members import ACCESS_KEY, ANNOUNCED, SECRET_KEY, STRONG, Cluster, await_all
from s3lite import S3

FIXED, VIEW, WHOLE = "fixed", "team", "whole"
ROLE = "arn:aws:iam::000000000000:role/keeper"
HOUR = "ttl: 1h, negative-ttl: 1h, list-ttl: 1h"
# As the page of the cluster has it, but that nothing is seen because its time is over; with a bucket for each row that needs one, and a role.
SETTINGS = [
    (
        "{ name: checkpoints, backend: store, coherence: strong }",
        f"{{ name: {FIXED}, backend: store, freshness: {{ mode: immutable }} }}, {{ name: {VIEW}, backend: store, bucket: {WHOLE}, prefix: team/ }},"
        f" {{ name: checkpoints, backend: store, coherence: strong, freshness: {{ {HOUR} }} }}",
    ),
    ('{ name: "*", backend: store }', f'{{ name: "*", backend: store, freshness: {{ {HOUR} }} }}'),
    ('allow: "*" } ]', 'allow: "*" } ]\nsts: { plain-http: true, roles: [ { name: keeper, assumed-by: [ user/admin ], allow: "*" } ] }'),
]
GETS, READERS = 10_000, 32
PART = 5 << 20


class Nodes:
    """Three gateways and what stands before them, each with a client."""

    def __init__(self, place, cluster, endpoint):
        self.place, self.cluster, self.endpoint = place, cluster, endpoint
        self.front, self.each = client(endpoint), [client(cluster.endpoint(number)) for number in range(3)]

    def new(self):
        """A key that nothing was done with."""
        return f"promises/{uuid.uuid4()}"

    def put(self, bucket, key, text):
        self.front.put_object(Bucket=bucket, Key=key, Body=text)

    def remembered(self, bucket, text):
        """A new object that each node serves from memory."""
        key = self.new()
        self.put(bucket, key, text)
        for number, s3 in enumerate(self.each):
            if not await_all(lambda: is_hit(s3, bucket, key), 30):
                raise AssertionError(f"gw-{number} does not cache /{bucket}/{key}; {self.cluster.log(number)}")
        return key

    def others(self, bucket, key, text):
        """What nodes say otherwise than `text`, or, if that is None, than that there is nothing."""
        found = [content(s3, bucket, key) for s3 in self.each]
        return [f"gw-{number} has {body and body[:20]} of /{bucket}/{key} after {text and text[:20]}" for number, body in enumerate(found) if body != text]

    def api(self, number, method, path, body=None):
        s3 = S3(f"http://127.0.0.1:{self.cluster.tens + 1}{number}", ACCESS_KEY, SECRET_KEY)
        path, _, query = path.partition("?")
        data = json.dumps(body).encode() if body else b""
        status, _, said = s3.call(method, "/api/v1" + path, data, query, {"Content-Type": "application/json"} if body else None)
        assert status in (200, 204), (status, said)


def is_hit(s3, bucket, key):
    return "; hit" in s3.get_object(Bucket=bucket, Key=key)["ResponseMetadata"]["HTTPHeaders"].get("cache-status", "")


def content(s3, bucket, key):
    try:
        return s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    except s3.exceptions.NoSuchKey:
        return None


def accepted(s3):
    try:
        s3.list_objects_v2(Bucket=ANNOUNCED, MaxKeys=1)
        return True
    except botocore.exceptions.ClientError as refused:
        if refused.response["ResponseMetadata"]["HTTPStatusCode"] not in (400, 403):
            raise
        return False


def overwritten(nodes, bucket):
    key = nodes.remembered(bucket, b"one")
    nodes.put(bucket, key, b"two")
    found = nodes.others(bucket, key, b"two")
    nodes.front.delete_object(Bucket=bucket, Key=key)
    return found + nodes.others(bucket, key, None)


def uploaded_in_parts(nodes, bucket):
    """Each part through another node."""
    key, parts = nodes.remembered(bucket, b"one"), [os.urandom(PART), os.urandom(PART), b"end"]
    upload = {"Bucket": bucket, "Key": key, "UploadId": nodes.front.create_multipart_upload(Bucket=bucket, Key=key)["UploadId"]}
    tags = [s3.upload_part(**upload, PartNumber=number, Body=parts[number - 1])["ETag"] for number, s3 in enumerate(nodes.each, 1)]
    nodes.front.complete_multipart_upload(**upload, MultipartUpload={"Parts": [{"PartNumber": n, "ETag": tag} for n, tag in enumerate(tags, 1)]})
    return nodes.others(bucket, key, b"".join(parts))


def deleted_by_one_request(nodes, bucket):
    keys = [nodes.remembered(bucket, b"one") for _ in range(2)]
    nodes.front.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
    return [one for key in keys for one in nodes.others(bucket, key, None)]


def sent_by_a_form(nodes, bucket):
    key = nodes.remembered(bucket, b"one")
    form = nodes.front.generate_presigned_post(bucket, key)
    response = urllib3.request("POST", form["url"], fields={**form["fields"], "file": ("name", b"two")})
    assert response.status in (200, 201, 204), (response.status, response.data)
    return nodes.others(bucket, key, b"two")


def copied(nodes, bucket):
    """Right after the source was written, and from it to more than one node."""
    source, found = nodes.remembered(bucket, b"one"), []
    nodes.put(bucket, source, b"two")
    for _ in range(6):
        target = nodes.remembered(bucket, b"before")
        nodes.front.copy_object(Bucket=bucket, Key=target, CopySource={"Bucket": bucket, "Key": source})
        found += nodes.others(bucket, target, b"two")
    return found


def listed(nodes, bucket):
    folder = nodes.new() + "/"
    nodes.put(bucket, folder + "one", b"1")
    found = [names(s3, bucket, folder) for s3 in nodes.each * 2]
    nodes.put(bucket, folder + "two", b"2")
    found += [names(s3, bucket, folder) for s3 in nodes.each]
    wanted = [[folder + "one"]] * 6 + [[folder + "one", folder + "two"]] * 3
    return [f"a list of {folder} has {one}" for one, two in zip(found, wanted) if one != two]


def names(s3, bucket, prefix):
    return [one["Key"] for one in s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])]


def absent_before(nodes, bucket):
    key = nodes.new()
    found = nodes.others(bucket, key, None) + nodes.others(bucket, key, None)
    nodes.put(bucket, key, b"one")
    return found + nodes.others(bucket, key, b"one")


def away_meanwhile(nodes, bucket):
    key = nodes.remembered(bucket, b"one")
    nodes.cluster.end(2, signal.SIGTERM)
    nodes.put(bucket, key, b"two")
    nodes.cluster.start(2)
    nodes.cluster.await_ready([2])
    found = nodes.others(bucket, key, b"two")
    # The next rows need nodes that remember.
    if nodes.cluster.joined:
        nodes.place.hold(await_all(nodes.cluster.holds_leases, 60), "balancers: not all leases are held 60 s after a restart")
    return found


def invalidated(nodes, bucket):
    key = nodes.remembered(bucket, b"one")
    at_the_store(nodes, bucket, key, b"two")
    nodes.api(1, "POST", "/invalidations", {"bucket": bucket, "key": key})
    return nodes.others(bucket, key, b"two")


def told_by_an_event(nodes, bucket):
    key = nodes.remembered(bucket, b"one")
    at_the_store(nodes, bucket, key, b"two")
    thing = {"bucket": {"name": bucket}, "object": {"key": key, "size": 3, "eTag": "d41d8cd9", "sequencer": "01"}}
    event = {"eventVersion": "2.1", "eventSource": "aws:s3", "awsRegion": "us-east-1", "eventTime": "2026-11-21T17:00:00.000Z", "eventName": "ObjectCreated:Put", "s3": thing}
    nodes.api(2, "POST", "/notifications", {"Records": [event]})
    return nodes.others(bucket, key, b"two")


def at_the_store(nodes, bucket, key, text):
    status, _, said = S3(nodes.place.store, *nodes.place.store_key).call("PUT", f"/{bucket}/{key}", text)
    assert status == 200, said


def continued_elsewhere(nodes, bucket):
    """Each page of a list at the next node. The tokens of this bucket are sealed, since it hides a prefix."""
    folder = nodes.new() + "/"
    keys = [f"{folder}{number}" for number in range(6)]
    for key in keys:
        nodes.put(bucket, key, b"")
    more, found = {}, []
    for page in range(len(keys)):
        try:
            answer = nodes.each[page % 3].list_objects_v2(Bucket=bucket, Prefix=folder, MaxKeys=1, **more)
        except botocore.exceptions.ClientError as refused:
            return [f"gw-{page % 3} refuses the token of another: {refused}"]
        found += [one["Key"] for one in answer.get("Contents", [])]
        more = {"ContinuationToken": answer["NextContinuationToken"]} if answer["IsTruncated"] else {}
    return [] if found == keys else [f"pages of {keys} have {found}"]


def session(endpoint):
    """The keys of a session, of whom issues it."""
    sts = boto3.client("sts", endpoint_url=endpoint + "/sts", region_name="us-east-1", aws_access_key_id=ACCESS_KEY, aws_secret_access_key=SECRET_KEY)
    issued = sts.assume_role(RoleArn=ROLE, RoleSessionName="promises")["Credentials"]
    return {"aws_access_key_id": issued["AccessKeyId"], "aws_secret_access_key": issued["SecretAccessKey"], "aws_session_token": issued["SessionToken"]}


def session_of_one(nodes, bucket):
    keys = session(nodes.endpoint)
    return [f"gw-{number} refuses a session that a node has issued" for number in range(3) if not accepted(client(nodes.cluster.endpoint(number), **keys))]


def revoked_through_one(nodes, bucket):
    """Each node is asked with a session of its own, which needs no key of others."""
    own = [client(nodes.cluster.endpoint(number), **session(nodes.cluster.endpoint(number))) for number in range(3)]
    assert all(map(accepted, own))
    nodes.api(1, "POST", "/revocations", {"target": "role", "name": "keeper"})
    found = [f"gw-{number} accepts what is revoked" for number, s3 in enumerate(own) if accepted(s3)]
    nodes.api(1, "DELETE", "/revocations?name=keeper&target=role")
    return found + [f"gw-{number} refuses what is not revoked any more" for number, s3 in enumerate(own) if not accepted(s3)]


BOTH = (STRONG, ANNOUNCED)
# Each with its buckets, and whether nodes that are strangers have to fail: of a few rows it depends on where the hash sends what.
ROWS = [
    ("PUT, then DELETE", overwritten, BOTH, True),
    ("an upload, each part through another node", uploaded_in_parts, BOTH, True),
    ("DeleteObjects", deleted_by_one_request, BOTH, True),
    ("a POST form", sent_by_a_form, BOTH, True),
    ("a copy right after its source was written", copied, BOTH, False),
    ("a list, with list-ttl", listed, BOTH, True),
    ("an absence that was remembered", absent_before, BOTH, True),
    ("a write while a node is away, which comes back", away_meanwhile, BOTH, True),
    ("immutable, overwritten", overwritten, (FIXED,), True),
    ("an invalidation at one node", invalidated, (*BOTH, FIXED), True),
    ("an event at one node", told_by_an_event, BOTH, True),
    ("a list that goes on at another node", continued_elsewhere, (VIEW,), True),
    ("a session of a role, at other nodes", session_of_one, ("",), True),
    ("a revocation at one node", revoked_through_one, ("",), True),
]


def run_balancers(place):
    store = S3(place.store, *place.store_key)
    for bucket in (FIXED, WHOLE):
        status, _, said = store.call("PUT", f"/{bucket}")
        assert status == 200, said
    seen = collections.defaultdict(dict)
    with Cluster(place, "strangers", SETTINGS, joined=False) as strangers, Balancer(place, strangers, "haproxy", bounded=True) as balancer:
        ask(place, Nodes(place, strangers, balancer.endpoint), "without cluster", seen)
    colds = [["balancer", "GETs of the three", "fetches of the three", "in s"]]
    with Cluster(place, "promises", SETTINGS) as cluster:
        for program in ("haproxy", "envoy"):
            with Balancer(place, cluster, program, bounded=True) as balancer:
                ask(place, Nodes(place, cluster, balancer.endpoint), balancer.name, seen)
                colds.append(cold(place, cluster, balancer, program + "-bounded"))
            with Balancer(place, cluster, program) as balancer:
                colds.append(cold(place, cluster, balancer, program))
    columns = list(next(iter(seen.values())))
    place.say("balancers: whether what is changed through the balancer, or at one node, is seen at all three at once")
    place.table([["", *columns], *([name, *(row[column] for column in columns)] for name, row in seen.items())])
    place.say(f"balancers: {GETS:,} GETs of a cold object of 64 KiB by {READERS} readers; fetches are requests to the store, counted by each node")
    place.table(colds)


def ask(place, nodes, column, seen):
    for name, row, buckets, fails_alone in ROWS:
        found = [one for bucket in buckets for one in seen_otherwise(row, nodes, bucket)]
        print(f"{column}: {name}: {found[:2] or 'yes'}", flush=True)
        seen[name][column] = "no" if found else "yes"
        if nodes.cluster.joined:
            place.hold(not found, f"{column}: {name}: {found[:1]}")
        else:
            place.hold(found or not fails_alone, f"{name}: strangers are no strangers, so this shows nothing")


def seen_otherwise(row, nodes, bucket):
    try:
        return row(nodes, bucket)
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError, AssertionError) as failure:
        return [repr(failure)]


def cold(place, cluster, balancer, name):
    path, body = f"/{ANNOUNCED}/cold-{name}", os.urandom(64 << 10)
    status, _, said = S3(place.store, *place.store_key).call("PUT", path, body)
    assert status == 200, said
    before, together = counts(cluster), threading.Barrier(READERS)
    begun = time.monotonic()

    def read(reader):
        s3, wrong = Client(S3(balancer.endpoint, ACCESS_KEY, SECRET_KEY)), 0
        together.wait()
        for _ in range(reader, GETS, READERS):
            status, _, found = s3.call("GET", path)
            wrong += status != 200 or found != body
        return wrong

    with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
        wrong = sum(pool.map(read, range(READERS)))
    took = time.monotonic() - begun
    gets, fetches = ([int(after - earlier) for after, earlier in zip(*both)] for both in zip(counts(cluster), before))
    place.hold(not wrong, f"{balancer.name}: {wrong} of {GETS} GETs of a cold object were wrong")
    place.hold(sum(gets) == GETS, f"{balancer.name}: {GETS} GETs became {gets}")
    place.hold(all(fetch == (1 if get else 0) for get, fetch in zip(gets, fetches)), f"{balancer.name}: {fetches} fetches for {gets} GETs")
    place.hold("bounded" in balancer.name or sum(fetches) == 1, f"{balancer.name}: {fetches} fetches of one object")
    return [balancer.name, ", ".join(map(str, gets)), ", ".join(map(str, fetches)), f"{took:.0f}"]


def counts(cluster):
    """GETs of objects, and requests to the store for an object's bytes, of each member."""
    time.sleep(1)  # what a member says of itself is some tenths of a second old
    meters = (("millrace_cache_requests_total", ""), ("millrace_backend_call_seconds_count", 'operation="open"'))
    return [[cluster.figure(number, *meter) for number in range(3)] for meter in meters]
