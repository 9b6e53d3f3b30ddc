"""boto3 reads the data set: both list versions, every object, ranges, conditions, errors, both kinds of presigned URL."""

import urllib.error
import urllib.request
from datetime import timedelta

import expected
import session
from expected import BUCKET, KEYS, same, same_bytes
from session import fails


def main() -> None:
    s3 = session.connect()
    buckets(s3)
    list_pages(s3, "list_objects_v2")
    list_pages(s3, "list_objects")
    list_after(s3)
    read_all(s3)
    read_ranges(s3)
    read_metadata(s3)
    conditions(s3)
    errors(s3)
    presigned(session.connect("s3v4"))
    if expected.SIGV2:
        presigned(s3)


def buckets(s3) -> None:
    s3.head_bucket(Bucket=BUCKET)
    same("buckets", BUCKET in [one["Name"] for one in s3.list_buckets()["Buckets"]], True)
    s3.get_bucket_location(Bucket=BUCKET)


def list_pages(s3, operation: str) -> None:
    pages = s3.get_paginator(operation)
    for size in (1000, expected.PAGE):
        found = [one for page in pages.paginate(Bucket=BUCKET, MaxKeys=size) for one in page.get("Contents", [])]
        same(f"{operation} in pages of {size}", [one["Key"] for one in found], KEYS)
        same(f"{operation} sizes", {one["Key"]: one["Size"] for one in found}, expected.SIZES)
    for prefix in ("", "names/", "sales/", "order/", "no/such/"):
        listed = list(pages.paginate(Bucket=BUCKET, Prefix=prefix, Delimiter="/", MaxKeys=expected.PAGE))
        names = [one["Prefix"] for page in listed for one in page.get("CommonPrefixes", [])]
        keys = [one["Key"] for page in listed for one in page.get("Contents", [])]
        same(f"{operation} folders below {prefix!r}", names, expected.folders(prefix))
        same(f"{operation} files below {prefix!r}", keys, expected.files(prefix))


def list_after(s3) -> None:
    for start in ("order/a.txt", "pages/", "zzz"):
        found = s3.list_objects_v2(Bucket=BUCKET, StartAfter=start, FetchOwner=True).get("Contents", [])
        after = [key for key in KEYS if key.encode() > start.encode()]
        same(f"keys after {start}", [one["Key"] for one in found], after)


def read_all(s3) -> None:
    for key in KEYS:
        answer = s3.get_object(Bucket=BUCKET, Key=key)
        same_bytes(key, answer["Body"].read(), expected.SHA256[key])
        head = s3.head_object(Bucket=BUCKET, Key=key)
        for field in ("ETag", "ContentLength", "LastModified", "ContentType", "Metadata"):
            same(f"{field} of {key} in HEAD and GET", head[field], answer[field])


def read_ranges(s3) -> None:
    for one in expected.RANGES:
        answer = s3.get_object(Bucket=BUCKET, Key=one.key, Range=one.header)
        where = f"{one.header} of {one.key}"
        same(f"status of {where}", answer["ResponseMetadata"]["HTTPStatusCode"], 206)
        total = expected.SIZES[one.key]
        same(f"Content-Range of {where}", answer["ContentRange"], f"bytes {one.first}-{one.last}/{total}")
        same_bytes(where, answer["Body"].read(), one.sha256)


def read_metadata(s3) -> None:
    for one in expected.METADATA:
        head = s3.head_object(Bucket=BUCKET, Key=one.key)
        same(f"Content-Type of {one.key}", head["ContentType"], one.content_type)
        same(f"Cache-Control of {one.key}", head["CacheControl"], one.cache_control)
        same(f"metadata of {one.key}", head["Metadata"], {one.name: one.value})


def conditions(s3) -> None:
    key = "sizes/4096"
    head = s3.head_object(Bucket=BUCKET, Key=key)
    s3.get_object(Bucket=BUCKET, Key=key, IfMatch=head["ETag"])
    fails("304", s3.get_object, Key=key, IfNoneMatch=head["ETag"])
    # A second later, because versitygw compares with the fraction that Last-Modified leaves out.
    fails("304", s3.get_object, Key=key, IfModifiedSince=head["LastModified"] + timedelta(seconds=1))
    fails("PreconditionFailed", s3.get_object, Key=key, IfMatch='"0123456789abcdef0123456789abcdef"')


def errors(s3) -> None:
    fails("NoSuchKey", s3.get_object, Key="no/such/key")
    fails("404", s3.head_object, Key="no/such/key")
    fails("InvalidRange", s3.get_object, Key="sizes/4096", Range="bytes=4096-")


def presigned(s3) -> None:
    for key in (key for key in KEYS if key.startswith("names/")):
        url = s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": key}, ExpiresIn=300)
        same_bytes(url, fetch(url), expected.SHA256[key])
    arguments = {"Bucket": BUCKET, "Key": "sizes/1", "ResponseContentType": "text/x-asked; charset=utf-8"}
    with urllib.request.urlopen(s3.generate_presigned_url("get_object", Params=arguments)) as answer:
        same("response-content-type", answer.headers["Content-Type"], arguments["ResponseContentType"])


def fetch(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{url} answers {error.code}: {error.read().decode()}")


main()
