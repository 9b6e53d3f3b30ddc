"""A plug-in for pytest: where the suite cannot empty its buckets by versions, in one request, past a governance that is not there.

A bucket left behind fails the set-up of every later test. What such a server holds is deleted here one by one, without its legal
hold. Uploads are aborted too: S3Proxy keeps them as files that hold a bucket. What no one may delete yet stays, and is not tried
again.
"""

import botocore.exceptions
import s3tests.functional as suite

by_versions = suite.nuke_bucket
given_up = set()


def nuke_bucket(client, bucket):
    if bucket in given_up:
        return
    try:
        by_versions(client, bucket)
    except botocore.exceptions.ClientError as failure:
        if failure.response["Error"]["Code"] not in ("NotImplemented", "BucketNotEmpty"):
            raise
        one_by_one(client, bucket)


def one_by_one(client, bucket):
    given_up.add(bucket)
    try:
        held_versions(client, bucket)
    except botocore.exceptions.ClientError:
        pass  # a server without versions: its keys are all there is
    while keys := client.list_objects(Bucket=bucket).get("Contents", []):
        for key in keys:
            client.delete_object(Bucket=bucket, Key=key["Key"])
    for upload in client.list_multipart_uploads(Bucket=bucket).get("Uploads", []):
        client.abort_multipart_upload(Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
    client.delete_bucket(Bucket=bucket)


def held_versions(client, bucket):
    page = client.list_object_versions(Bucket=bucket)
    for version in page.get("Versions", []) + page.get("DeleteMarkers", []):
        place = {"Bucket": bucket, "Key": version["Key"], "VersionId": version["VersionId"]}
        try:
            client.put_object_legal_hold(LegalHold={"Status": "OFF"}, **place)
        except botocore.exceptions.ClientError:
            pass  # nothing holds it
        client.delete_object(BypassGovernanceRetention=True, **place)


suite.nuke_bucket = nuke_bucket
