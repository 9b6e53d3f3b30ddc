"""boto3 writes: uploads in one piece and in parts, overwriting, conditions, checksums, presigned PUT and POST, copies, tags,
deletes. Whatever was written is read at once."""

import base64
import hashlib
import io
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zlib
from concurrent.futures import ThreadPoolExecutor

from awscrt import checksums
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

import expected
import session
from expected import BUCKET, same, same_bytes
from session import fails

MIB = 1024 * 1024
PARTS = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB)
DESCRIBED = {
    "ContentType": "text/csv; charset=utf-8",
    "CacheControl": "max-age=60",
    "ContentDisposition": 'attachment; filename="a b.csv"',
    "Metadata": {"colour": "blue", "two-words": "a b"},
}
TREE = expected.FOLDER / "tree"
LARGE = TREE / "sizes/large/20MiB+1"


def main() -> None:
    s3 = session.connect()
    upload_tree(s3)
    upload_streams(s3)
    overwrite(s3)
    describe(s3)
    conditions(s3)
    race(s3)
    for algorithm in ALGORITHMS if expected.CHECKSUMMED else ():
        checksum(s3, algorithm)
        checksum_of_parts(s3, algorithm)
    parts(s3)
    copies(s3)
    if expected.TAGS:
        tags(s3)
    presigned_put(session.connect("s3v4"))
    presigned_post(session.connect("s3v4"))
    if expected.SIGV2:
        presigned_put(s3)
        presigned_post(s3)
    delete_many(s3)


def upload_tree(s3) -> None:
    for key in expected.KEYS:
        s3.upload_file(str(TREE / key), BUCKET, key, Config=PARTS)
        answer = s3.get_object(Bucket=BUCKET, Key=key)
        same_bytes(key, answer["Body"].read(), expected.SHA256[key])
    found = [one["Key"] for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET) for one in page["Contents"]]
    same("keys", found, expected.KEYS)


class Stream(io.RawIOBase):
    """Bytes that come once and cannot be sought, as out of a pipe."""

    def __init__(self, content: bytes):
        self.content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        return self.content.readinto(buffer)


def upload_streams(s3) -> None:
    for size in (0, 1, 12 * MIB + 3):
        content = LARGE.read_bytes()[:size]
        s3.upload_fileobj(Stream(content), BUCKET, "streams/one", Config=PARTS)
        same_bytes(f"a stream of {size} bytes", read(s3, "streams/one"), hashlib.sha256(content).hexdigest())


def overwrite(s3) -> None:
    """What a cache would have wrong: an answer of before the write, or of a key that was missing."""
    key = "changing/key"
    fails("NoSuchKey", s3.get_object, Key=key)
    for content in (b"first", b"the second, which is longer", b"", LARGE.read_bytes()[: 2 * MIB + 5], b"fifth"):
        tag = s3.put_object(Bucket=BUCKET, Key=key, Body=content)["ETag"]
        for _ in range(2):
            answer = s3.get_object(Bucket=BUCKET, Key=key)
            same("overwritten", (answer["ETag"], answer["Body"].read() == content), (tag, True))
            head = s3.head_object(Bucket=BUCKET, Key=key)
            same("head of the overwritten", (head["ETag"], head["ContentLength"]), (tag, len(content)))
        (listed,) = s3.list_objects_v2(Bucket=BUCKET, Prefix=key)["Contents"]
        same("listing of the overwritten", (listed["ETag"], listed["Size"]), (tag, len(content)))
    s3.delete_object(Bucket=BUCKET, Key=key)
    fails("NoSuchKey", s3.get_object, Key=key)
    same("listing of the deleted", s3.list_objects_v2(Bucket=BUCKET, Prefix=key)["KeyCount"], 0)
    s3.put_object(Bucket=BUCKET, Key=key, Body=b"again")
    same("written again", read(s3, key), b"again")


def describe(s3) -> None:
    s3.put_object(Bucket=BUCKET, Key="described/one", Body=b"a;b\n", **DESCRIBED)
    s3.upload_file(str(LARGE), BUCKET, "described/parts", ExtraArgs=DESCRIBED, Config=PARTS)
    for key in ("described/one", "described/parts"):
        same_description(s3, key, DESCRIBED)


def same_description(s3, key: str, described: dict) -> None:
    head = s3.head_object(Bucket=BUCKET, Key=key)
    for name, value in described.items():
        same(f"{name} of {key}", head[name], value)


def conditions(s3) -> None:
    key = "conditions/one"
    fails("NoSuchKey", s3.put_object, Key=key, Body=b"x", IfMatch='"0123456789abcdef0123456789abcdef"')
    first = s3.put_object(Bucket=BUCKET, Key=key, Body=b"first", IfNoneMatch="*")["ETag"]
    fails("PreconditionFailed", s3.put_object, Key=key, Body=b"other", IfNoneMatch="*")
    same("kept", read(s3, key), b"first")
    s3.put_object(Bucket=BUCKET, Key=key, Body=b"second", IfMatch=first)
    fails("PreconditionFailed", s3.put_object, Key=key, Body=b"third", IfMatch=first)
    same("replaced once", read(s3, key), b"second")
    failure = "PreconditionFailed" if expected.CONDITIONAL_PARTS else "NotImplemented"
    for condition in ({"IfNoneMatch": "*"}, {"IfMatch": first}):
        upload = s3.create_multipart_upload(Bucket=BUCKET, Key=key)["UploadId"]
        part = s3.upload_part(Bucket=BUCKET, Key=key, UploadId=upload, PartNumber=1, Body=b"in parts")["ETag"]
        whole = {"Parts": [{"PartNumber": 1, "ETag": part}]}
        fails(failure, s3.complete_multipart_upload, Key=key, UploadId=upload, MultipartUpload=whole, **condition)
        s3.abort_multipart_upload(Bucket=BUCKET, Key=key, UploadId=upload)
    same("kept through uploads in parts", read(s3, key), b"second")


def race(s3) -> None:
    """Of many that would be the first one is, and its content stays."""

    def put(key: str, writer: int) -> int | None:
        try:
            s3.put_object(Bucket=BUCKET, Key=key, Body=f"writer {writer}".encode(), IfNoneMatch="*")
            return writer
        except ClientError as error:
            same("refused", error.response["Error"]["Code"] in ("PreconditionFailed", "ConditionalRequestConflict"), True)
            return None

    for turn in range(5):
        key = f"conditions/race-{turn}"
        with ThreadPoolExecutor(8) as writers:
            won = [one for one in writers.map(lambda writer: put(key, writer), range(8)) if one is not None]
        same(f"winners of {key}", len(won), 1)
        same(key, read(s3, key), f"writer {won[0]}".encode())


ALGORITHMS = {
    "CRC32": lambda body: zlib.crc32(body).to_bytes(4, "big"),
    "CRC32C": lambda body: checksums.crc32c(body).to_bytes(4, "big"),
    "CRC64NVME": lambda body: checksums.crc64nvme(body).to_bytes(8, "big"),
    "SHA1": lambda body: hashlib.sha1(body).digest(),
    "SHA256": lambda body: hashlib.sha256(body).digest(),
}


def checksum(s3, algorithm: str) -> None:
    key, field = f"checksums/{algorithm}", f"Checksum{algorithm}"
    body = f"checked by {algorithm}".encode()
    value = base64.b64encode(ALGORITHMS[algorithm](body)).decode()
    same(field, s3.put_object(Bucket=BUCKET, Key=key, Body=body, ChecksumAlgorithm=algorithm)[field], value)
    head = s3.head_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")
    same(f"{field} of the head", (head[field], head["ChecksumType"]), (value, "FULL_OBJECT"))
    same(f"{field} of the object", s3.get_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")[field], value)
    if expected.KEEPS:
        wrong = base64.b64encode(ALGORITHMS[algorithm](b"other")).decode()
        fails("BadDigest", s3.put_object, Key=key, Body=b"changed on its way", **{field: wrong})
        same("kept", read(s3, key), body)


def checksum_of_parts(s3, algorithm: str) -> None:
    key, field = f"checksums/parts-{algorithm}", f"Checksum{algorithm}"
    body = LARGE.read_bytes()[: 11 * MIB]
    s3.upload_fileobj(io.BytesIO(body), BUCKET, key, ExtraArgs={"ChecksumAlgorithm": algorithm}, Config=PARTS)
    head = s3.head_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")
    digest = ALGORITHMS[algorithm]
    if head["ChecksumType"] == "FULL_OBJECT":
        value = base64.b64encode(digest(body)).decode()
    else:
        of_parts = b"".join(digest(body[at : at + 5 * MIB]) for at in range(0, len(body), 5 * MIB))
        value = base64.b64encode(digest(of_parts)).decode() + "-3"
    same(f"{field} of {key}, {head['ChecksumType']}", head[field], value)
    same_bytes(key, read(s3, key), hashlib.sha256(body).hexdigest())


def parts(s3) -> None:
    key, content = "parts/by hand", LARGE.read_bytes()[: 10 * MIB + 7]
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key=key)["UploadId"]
    listed = s3.list_multipart_uploads(Bucket=BUCKET, Prefix="" if expected.UPLOADS else key)
    same("uploads", [one["UploadId"] for one in listed.get("Uploads", [])], [upload])
    sent = []
    # Out of order, with a gap in the numbers, the second one sent twice.
    for number, first, last in ((9, 10 * MIB, 10 * MIB + 7), (2, 0, 17), (2, 5 * MIB, 10 * MIB), (1, 0, 5 * MIB)):
        tag = s3.upload_part(Bucket=BUCKET, Key=key, UploadId=upload, PartNumber=number, Body=content[first:last])["ETag"]
        sent = sorted([one for one in sent if one["PartNumber"] != number] + [{"PartNumber": number, "ETag": tag}], key=str)
    sent.sort(key=lambda one: one["PartNumber"])
    listed = s3.list_parts(Bucket=BUCKET, Key=key, UploadId=upload)["Parts"]
    same("parts", [{"PartNumber": one["PartNumber"], "ETag": one["ETag"]} for one in listed], sent)
    fails("NoSuchKey", s3.get_object, Key=key)
    s3.complete_multipart_upload(Bucket=BUCKET, Key=key, UploadId=upload, MultipartUpload={"Parts": sent})
    same_bytes(key, read(s3, key), hashlib.sha256(content).hexdigest())
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key=key)["UploadId"]
    s3.upload_part(Bucket=BUCKET, Key=key, UploadId=upload, PartNumber=1, Body=b"given up")
    s3.abort_multipart_upload(Bucket=BUCKET, Key=key, UploadId=upload)
    fails("NoSuchUpload", s3.list_parts, Key=key, UploadId=upload)
    same_bytes(f"{key} behind the abort", read(s3, key), hashlib.sha256(content).hexdigest())


def copies(s3) -> None:
    source = {"Bucket": BUCKET, "Key": "described/one"}
    tag = s3.head_object(**source)["ETag"]
    s3.copy_object(Bucket=BUCKET, Key="copies/ä + %.csv", CopySource=source, CopySourceIfMatch=tag)
    same("the copy", read(s3, "copies/ä + %.csv"), b"a;b\n")
    same_description(s3, "copies/ä + %.csv", DESCRIBED)
    fails("PreconditionFailed", s3.copy_object, Key="copies/no", CopySource=source, CopySourceIfNoneMatch=tag)
    odd = {"Bucket": BUCKET, "Key": "copies/ä + %.csv"}
    replaced = {"ContentType": "text/plain", "Metadata": {"new": "one"}}
    s3.copy_object(Key="copies/ä + %.csv", Bucket=BUCKET, CopySource=odd, MetadataDirective="REPLACE", **replaced)
    same("the copy onto itself", read(s3, "copies/ä + %.csv"), b"a;b\n")
    same_description(s3, "copies/ä + %.csv", replaced)
    s3.copy({"Bucket": BUCKET, "Key": "described/parts"}, BUCKET, "copies/in parts", Config=PARTS)
    same_bytes("the copy in parts", read(s3, "copies/in parts"), expected.SHA256["sizes/large/20MiB+1"])
    fails("NoSuchKey", s3.copy_object, Key="copies/no", CopySource={"Bucket": BUCKET, "Key": "no/such/key"})


def tags(s3) -> None:
    one, two = [{"Key": "colour", "Value": "blue green+1"}], [{"Key": "size", "Value": "2"}]
    s3.put_object(Bucket=BUCKET, Key="tags/one", Body=b"tagged", Tagging=urllib.parse.urlencode({"colour": "blue green+1"}))
    same("tags of the upload", s3.get_object_tagging(Bucket=BUCKET, Key="tags/one")["TagSet"], one)
    s3.put_object_tagging(Bucket=BUCKET, Key="tags/one", Tagging={"TagSet": two})
    same("tags put later", s3.get_object_tagging(Bucket=BUCKET, Key="tags/one")["TagSet"], two)
    same("count of tags", s3.get_object(Bucket=BUCKET, Key="tags/one")["TagCount"], 1)
    s3.delete_object_tagging(Bucket=BUCKET, Key="tags/one")
    same("tags taken away", s3.get_object_tagging(Bucket=BUCKET, Key="tags/one")["TagSet"], [])


def presigned_put(s3) -> None:
    for key in (key for key in expected.KEYS if key.startswith("names/")):
        url = s3.generate_presigned_url("put_object", Params={"Bucket": BUCKET, "Key": "presigned/" + key}, ExpiresIn=300)
        content = f"put by {url}".encode()
        same(f"status of PUT {url}", send(url, content, "PUT")[0], 200)
        same(f"what was put by {url}", read(s3, "presigned/" + key), content)


def presigned_post(s3) -> None:
    conditions = [["content-length-range", 3, 1000], ["starts-with", "$Content-Type", "text/"], {"x-amz-meta-form": "yes"}]
    form = s3.generate_presigned_post(
        BUCKET, "posted/${filename}", Fields={"x-amz-meta-form": "yes"}, Conditions=conditions, ExpiresIn=300
    )
    fields = form["fields"] | {"Content-Type": "text/plain"}
    same("POST", post(form["url"], fields, b"by a form")[0], 204)
    same("posted", read(s3, "posted/a file.txt"), b"by a form")
    same_description(s3, "posted/a file.txt", {"ContentType": "text/plain", "Metadata": {"form": "yes"}})
    refused = [
        (fields, b"x" * 1001, "EntityTooLarge"),
        (fields, b"x", "EntityTooSmall"),
        (fields | {"Content-Type": "image/png"}, b"by a form", "AccessDenied"),
        (fields | {"x-amz-meta-form": "no"}, b"by a form", "AccessDenied"),
        (fields | {"key": "elsewhere"}, b"by a form", "AccessDenied"),
    ]
    for changed, content, code in refused:
        status, answer = post(form["url"], changed, content)
        same(f"POST of {len(content)} bytes with {changed} ({status})", f"<Code>{code}</Code>" in answer.decode(), True)
    same("kept", read(s3, "posted/a file.txt"), b"by a form")
    same("posted keys", s3.list_objects_v2(Bucket=BUCKET, Prefix="posted/")["KeyCount"], 1)


def post(url: str, fields: dict[str, str], content: bytes) -> tuple[int, bytes]:
    edge = uuid.uuid4().hex
    lines = [f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    lines.append(f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="a file.txt"\r\n\r\n')
    body = "".join(lines).encode() + content + f"\r\n--{edge}--\r\n".encode()
    return send(url, body, "POST", {"Content-Type": f"multipart/form-data; boundary={edge}"})


def send(url: str, body: bytes, method: str, headers: dict[str, str] = {"Content-Type": ""}) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, dict(headers), method=method)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def delete_many(s3) -> None:
    keys = [f"many/{n:04} & <{n}>" for n in range(1000)]
    with ThreadPoolExecutor(8) as writers:
        list(writers.map(lambda key: s3.put_object(Bucket=BUCKET, Key=key, Body=key.encode()), keys))
    found = [one["Key"] for one in s3.list_objects_v2(Bucket=BUCKET, Prefix="many/")["Contents"]]
    same("a thousand", found, keys)
    same("one of them", read(s3, keys[500]), keys[500].encode())
    deleted = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in keys]})
    same("deleted", sorted(one["Key"] for one in deleted["Deleted"]), keys)
    same("left of a thousand", s3.list_objects_v2(Bucket=BUCKET, Prefix="many/")["KeyCount"], 0)
    fails("NoSuchKey", s3.get_object, Key=keys[500])


def read(s3, key: str) -> bytes:
    return s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()


main()
