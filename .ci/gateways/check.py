"""Reads, writes and lists through a balancer in front of two gateways, and stops one of them.

    check.py ENDPOINT CONTROL_A CONTROL_B PID_FILE_A BUCKET
"""

import os
import pathlib
import re
import signal
import sys
import urllib.request

import boto3
import botocore.config

BUCKET = sys.argv[5]  # is made
KEYS = [f"set/{number:02d}" for number in range(40)]
# What a balancer that rewrites paths would change, and so break the signature of.
ODD = ["a//b", "dot/./dot/../x", "blank and+plus", "percent%2Fslash", "ünïcode/ключ", "tilde~(paren)'quote'*", "trailing/"]


def client(endpoint):
    config = botocore.config.Config(s3={"addressing_style": "path"}, retries={"max_attempts": 3}, request_checksum_calculation="when_required")
    return boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="CLIENT", aws_secret_access_key="client-secret", config=config)


def results(control):
    """Returns the GETs of objects of a gateway, by the result of its cache."""
    text = urllib.request.urlopen(control + "/metrics").read().decode()
    return {name: float(value) for name, value in re.findall(r'^millrace_cache_requests_total\{result="(\w+)"\} (\S+)$', text, re.MULTILINE)}


def sums(controls):
    both = [results(control) for control in controls]
    return {name: sum(one.get(name, 0) for one in both) for name in ("hit", "miss", "collapsed", "stale", "bypass")}


def read(s3, key, **more):
    response = s3.get_object(Bucket=BUCKET, Key=key, **more)
    return response["Body"].read(), response


def read_all(s3):
    for key in KEYS[2:]:
        assert read(s3, key)[0] == key.encode() * 100, key


def is_alive(control):
    try:
        urllib.request.urlopen(control + "/live").close()
    except OSError:
        return False
    return True


def main(endpoint, control_a, control_b, pid_file):
    s3, controls = client(endpoint), [control_a, control_b]
    s3.create_bucket(Bucket=BUCKET)
    for key in KEYS + ODD:
        s3.put_object(Bucket=BUCKET, Key=key, Body=key.encode() * 100, Metadata={"name": "value"})

    # Written blocks are cached where the writes went, so what is counted is objects that the gateways have not written.
    store_written = [key for key in KEYS if read(s3, key)[0] == key.encode() * 100]
    assert store_written == KEYS
    before = sums(controls)
    assert before["hit"] == len(KEYS), before
    for key in KEYS:
        # Another query, the same object: it has to reach the same gateway.
        assert read(s3, key, ResponseContentType="text/x-other")[1]["ContentType"] == "text/x-other"
        assert read(s3, key, Range="bytes=1-2")[0] == (key.encode() * 100)[1:3]
    after = sums(controls)
    assert after["hit"] - before["hit"] == 2 * len(KEYS) and after["miss"] == before["miss"], (before, after)
    shares = [results(control)["hit"] for control in controls]
    assert min(shares) > 0, f"one gateway served everything: {shares}"
    print(f"ok    {len(KEYS)} keys written and then read three times, with other queries: all hits, {shares[0]:.0f} and {shares[1]:.0f} of the two gateways")

    for key in ODD:
        body, response = read(s3, key)
        assert body == key.encode() * 100 and response["Metadata"] == {"name": "value"}, key
        url = s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": key})
        assert urllib.request.urlopen(url).read() == body, key
    print(f"ok    {len(ODD)} odd keys, signed and by presigned URLs")

    large = os.urandom(20 << 20)
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key="large")["UploadId"]
    parts = []
    for number in range(1, 5):
        body = large[(number - 1) * (5 << 20) : number * (5 << 20)]
        parts.append({"PartNumber": number, "ETag": s3.upload_part(Bucket=BUCKET, Key="large", UploadId=upload, PartNumber=number, Body=body)["ETag"]})
    s3.complete_multipart_upload(Bucket=BUCKET, Key="large", UploadId=upload, MultipartUpload={"Parts": parts})
    assert read(s3, "large")[0] == large
    s3.put_object(Bucket=BUCKET, Key="set/00", Body=b"new")
    assert read(s3, "set/00")[0] == b"new"
    s3.delete_object(Bucket=BUCKET, Key="set/01")
    listed = [one["Key"] for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix="set/", PaginationConfig={"PageSize": 7}) for one in page["Contents"]]
    assert listed == ["set/00"] + KEYS[2:], listed
    print("ok    an upload in parts, an overwrite, a delete, a list in pages")

    os.kill(int(pathlib.Path(pid_file).read_text()), signal.SIGTERM)
    while_stopping = 0
    while is_alive(control_a):
        read_all(s3)
        while_stopping += 1
    before = sum(results(control_b).values())
    read_all(s3)
    by_b = sum(results(control_b).values()) - before
    assert by_b == len(KEYS[2:]), f"{by_b} of {len(KEYS[2:])} GETs reached the other gateway"
    print(f"ok    one gateway stopped: all objects are served while it stops (rounds: {while_stopping}), and then by the other")


main(*sys.argv[1:5])
