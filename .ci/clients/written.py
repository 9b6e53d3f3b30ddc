"""The bucket a client writes to: made through Millrace, judged at the origin behind it, taken away through Millrace.

    written.py make      a new bucket
    written.py judge     what Millrace lists and serves is what the origin has: keys, sizes, tags, bytes; then all is deleted

Settings: ENDPOINT and the others of the clients; ORIGIN_ENDPOINT with ORIGIN_ACCESS_KEY and ORIGIN_SECRET_KEY, or
ORIGIN_FOLDER, where the file backend keeps the bucket, or neither: then there is nothing to compare with. With ORIGIN_PREFIX
the bucket is what lies below it in ORIGIN_BUCKET; such a bucket is neither made nor deleted.
"""

import hashlib
import os
import sys
from pathlib import Path

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import expected
import session
from expected import BUCKET, same

PREFIX = os.environ.get("ORIGIN_PREFIX", "")


def main() -> None:
    s3 = session.connect()
    if sys.argv[1:] == ["make"]:
        s3.create_bucket(Bucket=BUCKET)
    elif sys.argv[1:] == ["judge"]:
        judge(s3)
        take_away(s3)
    else:
        sys.exit(__doc__)


def judge(s3) -> None:
    found = contents(s3, BUCKET)
    print(f"{len(found)} objects, {sum(size for _, size, _, _ in found)} bytes are left in {BUCKET}")
    if endpoint := os.environ.get("ORIGIN_ENDPOINT"):
        origin = boto3.client(
            "s3",
            endpoint_url=endpoint,
            aws_access_key_id=os.environ["ORIGIN_ACCESS_KEY"],
            aws_secret_access_key=os.environ["ORIGIN_SECRET_KEY"],
            region_name=expected.REGION,
            config=Config(s3={"addressing_style": "path"}),
        )
        same("objects at the origin", contents(origin, os.environ.get("ORIGIN_BUCKET", BUCKET), PREFIX), found)
    elif folder := os.environ.get("ORIGIN_FOLDER"):
        same("bytes in the folder", digests_below(Path(folder)), sorted(digest for _, _, _, digest in found))


def contents(s3, bucket: str, prefix: str = "") -> list[tuple[str, int, str, str]]:
    found = []
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for one in page.get("Contents", []):
            answer = s3.get_object(Bucket=bucket, Key=one["Key"])
            body = answer["Body"].read()
            same(f"listed size of {one['Key']}", one["Size"], len(body))
            same(f"listed tag of {one['Key']}", one["ETag"], answer["ETag"])
            found.append((one["Key"].removeprefix(prefix), len(body), answer["ETag"], hashlib.sha256(body).hexdigest()))
    return found


def digests_below(folder: Path) -> list[str]:
    """By content alone, since names that no file can have are encoded there."""
    found = []
    for where, _, names in os.walk(folder):
        found += [hashlib.sha256((Path(where) / name).read_bytes()).hexdigest() for name in names]
    return sorted(found)


def take_away(s3) -> None:
    uploads = s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])
    same("uploads left open", [one["Key"] for one in uploads], [])
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        if keys := [{"Key": one["Key"]} for one in page.get("Contents", [])]:
            answer = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": keys, "Quiet": True})
            same("errors of the delete", answer.get("Errors", []), [])
    same("objects behind the delete", s3.list_objects_v2(Bucket=BUCKET)["KeyCount"], 0)
    if PREFIX:
        return
    s3.delete_bucket(Bucket=BUCKET)
    try:
        s3.head_bucket(Bucket=BUCKET)
    except ClientError as error:
        same("the deleted bucket", error.response["Error"]["Code"], "404")
    else:
        raise SystemExit("the deleted bucket is there")


if __name__ == "__main__":
    main()
