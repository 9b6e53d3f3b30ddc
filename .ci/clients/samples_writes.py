"""Clients read the members of a tar and of a zip, which boto3 uploads: as objects of a derived bucket, and in the bucket
of the archives by MinIO's header.

    samples_writes.py           all clients; AWS_CLI, TABLES_PYTHON, MINIO_PYTHON and DATASETS_PYTHON name the programs that it starts
    samples_writes.py torch     uploads, and starts PyTorch's readers with TRAINING_PYTHON
    samples_writes.py s3fs      s3fs alone, in the environment that has it
    samples_writes.py minio     MinIO's client alone, likewise
"""

import os
import subprocess
import sys
from pathlib import Path

import expected
from expected import BUCKET, same, same_bytes
from samples import ARCHIVES, DERIVED, MEMBERS, NAMES, RANGES, TAR, WORK, ZIP, stored_zip, tar

HEADER = "x-minio-extract"
TRAINING = Path(__file__).with_name("samples_training.py")


def main() -> None:
    match sys.argv[1:]:
        case []:
            everybody()
        case ["torch"]:
            upload()
            start("TRAINING_PYTHON", TRAINING, "loader")
        case ["s3fs"]:
            with_s3fs()
        case ["minio"]:
            with_minio()
        case _:
            sys.exit(__doc__)


def everybody() -> None:
    upload()
    with_boto3()
    with_aws_cli()
    with_rclone()
    with_pyarrow()
    with_duckdb()
    start("TABLES_PYTHON", __file__, "s3fs")
    start("MINIO_PYTHON", __file__, "minio")
    start("TABLES_PYTHON", TRAINING, "s3torch")
    start("DATASETS_PYTHON", TRAINING, "datasets")


def start(python: str, script: str | Path, client: str) -> None:
    print(f"== {client}", flush=True)
    subprocess.run([os.environ[python], "-B", script, client], check=True)


# Each environment has some of the clients, so each function imports its own.


def upload() -> None:
    import session

    s3 = session.connect()
    s3.put_object(Bucket=BUCKET, Key=TAR, Body=tar())
    s3.put_object(Bucket=BUCKET, Key=ZIP, Body=stored_zip())


def with_boto3() -> None:
    import session

    print("== boto3", flush=True)
    s3 = session.connect()
    same("all members", listed(s3, DERIVED), list(MEMBERS))
    read_by_boto3(s3, DERIVED)
    above = s3.list_objects_v2(Bucket=DERIVED, Prefix="train/", Delimiter="/")
    same("archives", [one["Prefix"] for one in above["CommonPrefixes"]], [archive + "/" for archive in ARCHIVES])

    session.fails("NoSuchKey", s3.get_object, Key=f"{ZIP}/{NAMES[0]}")
    extracting = session.connect()
    extracting.meta.events.register_first("before-sign.s3", extract)
    for archive in ARCHIVES:
        below = [key for key in MEMBERS if key.startswith(archive)]
        same(f"members of {archive} by the header", listed(extracting, BUCKET, archive + "/"), below)
    same("archives by the header", listed(extracting, BUCKET), list(ARCHIVES))
    read_by_boto3(extracting, BUCKET)


def extract(request, **_) -> None:
    request.headers[HEADER] = "true"


def listed(s3, bucket: str, prefix: str = "") -> list[str]:
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket=bucket, Prefix=prefix, PaginationConfig={"PageSize": expected.PAGE}
    )
    return [one["Key"] for page in pages for one in page.get("Contents", [])]


def read_by_boto3(s3, bucket: str) -> None:
    from botocore.exceptions import ClientError

    for key, digest in MEMBERS.items():
        answer = s3.get_object(Bucket=bucket, Key=key)
        same_bytes(key, answer["Body"].read(), digest)
        head = s3.head_object(Bucket=bucket, Key=key)
        for field in ("ETag", "ContentLength", "LastModified"):
            same(f"{field} of {key} in HEAD and GET", head[field], answer[field])
    for archive in ARCHIVES:
        folders = s3.list_objects_v2(Bucket=bucket, Prefix=archive + "/", Delimiter="/")
        same(
            f"folders of {archive}",
            [one["Prefix"] for one in folders["CommonPrefixes"]],
            [f"{archive}/{folder}/" for folder in ("names", "order", "sizes")],
        )
        for one in RANGES:
            answer = s3.get_object(Bucket=bucket, Key=f"{archive}/{one.key}", Range=one.header)
            where = f"{one.header} of {archive}/{one.key}"
            same(f"Content-Range of {where}", answer["ContentRange"], content_range(one))
            same_bytes(where, answer["Body"].read(), one.sha256)
        key = f"{archive}/sizes/4096"
        tag = s3.head_object(Bucket=bucket, Key=key)["ETag"]
        s3.get_object(Bucket=bucket, Key=key, IfMatch=tag)
        for code, condition in (("304", {"IfNoneMatch": tag}), ("PreconditionFailed", {"IfMatch": '"0123"'})):
            try:
                s3.get_object(Bucket=bucket, Key=key, **condition)
            except ClientError as error:
                same(f"{condition} of {key}", error.response["Error"]["Code"], code)
            else:
                raise SystemExit(f"{condition} of {key} answers")


def content_range(one: expected.Range) -> str:
    return f"bytes {one.first}-{one.last}/{expected.SIZES[one.key]}"


def with_aws_cli() -> None:
    import aws_cli_session

    print("== aws-cli", flush=True)
    for archive in ARCHIVES:
        down = WORK / "aws" / Path(archive).name
        aws_cli_session.s3("sync", "--only-show-errors", f"s3://{DERIVED}/{archive}/", str(down))
        same_tree(down)


def with_rclone() -> None:
    print("== rclone", flush=True)
    nothing = WORK / "rclone.conf"
    nothing.touch()
    settings = os.environ | {
        "RCLONE_CONFIG": str(nothing),
        "RCLONE_CONFIG_MILL_TYPE": "s3",
        "RCLONE_CONFIG_MILL_PROVIDER": "Other",
        "RCLONE_CONFIG_MILL_ENDPOINT": expected.ENDPOINT,
        "RCLONE_CONFIG_MILL_REGION": expected.REGION,
        "RCLONE_CONFIG_MILL_LIST_CHUNK": str(expected.PAGE),
        "RCLONE_CONFIG_MILL_ACCESS_KEY_ID": expected.ACCESS_KEY,
        "RCLONE_CONFIG_MILL_SECRET_ACCESS_KEY": expected.SECRET_KEY,
        "RCLONE_LOW_LEVEL_RETRIES": "1",
        "RCLONE_RETRIES": "1",
    }
    # Its transport takes no authority from the SDK, only from SSL_CERT_FILE.
    settings.pop("AWS_CA_BUNDLE", None)
    for archive in ARCHIVES:
        down = WORK / "rclone" / Path(archive).name
        remote = f"mill:{DERIVED}/{archive}"
        subprocess.run(["rclone", "copy", remote, str(down)], env=settings, check=True)
        same_tree(down)
        subprocess.run(["rclone", "check", "--quiet", "--download", str(down), remote], env=settings, check=True)


def same_tree(folder: Path) -> None:
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    same(f"files in {folder}", found, sorted(NAMES))
    for name in NAMES:
        same_bytes(f"{folder}/{name}", (folder / name).read_bytes(), expected.SHA256[name])


def with_pyarrow() -> None:
    from pyarrow import fs

    import pyarrow_session

    print("== pyarrow", flush=True)
    s3 = pyarrow_session.connect()
    found = s3.get_file_info(fs.FileSelector(f"{DERIVED}/train", recursive=True))
    keys = [one.path.removeprefix(DERIVED + "/") for one in found if one.type == fs.FileType.File]
    same("members", sorted(keys), sorted(MEMBERS))
    for key, digest in MEMBERS.items():
        with s3.open_input_stream(f"{DERIVED}/{key}", compression=None) as stream:
            same_bytes(key, stream.read(), digest)
    for archive in ARCHIVES:
        for one in RANGES:
            with s3.open_input_file(f"{DERIVED}/{archive}/{one.key}") as file:
                same_bytes(f"{one.header} of {one.key}", file.read_at(one.last - one.first + 1, one.first), one.sha256)


def with_duckdb() -> None:
    import duckdb_session

    print("== duckdb", flush=True)
    database = duckdb_session.connect()
    place = f"s3://{DERIVED}/"
    found = database.execute("select filename, sha256(content) from read_blob(?)", [f"{place}train/**"]).fetchall()
    same("members", {name.removeprefix(place): digest for name, digest in found}, MEMBERS)


def with_s3fs() -> None:
    import s3fs_session

    s3 = s3fs_session.connect()
    same("members", sorted(s3.find(f"{DERIVED}/train")), sorted(f"{DERIVED}/{key}" for key in MEMBERS))
    same("archives", sorted(s3.ls(f"{DERIVED}/train", detail=False)), [f"{DERIVED}/{archive}" for archive in ARCHIVES])
    for key, digest in MEMBERS.items():
        same_bytes(key, s3.cat_file(f"{DERIVED}/{key}"), digest)
    for archive in ARCHIVES:
        for one in RANGES:
            found = s3.cat_file(f"{DERIVED}/{archive}/{one.key}", start=one.first, end=one.last + 1)
            same_bytes(f"{one.header} of {one.key}", found, one.sha256)


def with_minio() -> None:
    from minio import Minio

    scheme, address = expected.ENDPOINT.split("://")
    client = Minio(
        address,
        access_key=expected.ACCESS_KEY,
        secret_key=expected.SECRET_KEY,
        region=expected.REGION,
        secure=scheme == "https",
    )
    header = {HEADER: "true"}
    for archive in ARCHIVES:
        found = client.list_objects(BUCKET, prefix=archive + "/", recursive=True, extra_headers=header)
        same(
            f"members of {archive}",
            [one.object_name for one in found],
            [key for key in MEMBERS if key.startswith(archive)],
        )
        for one in RANGES:
            key, length = f"{archive}/{one.key}", one.last - one.first + 1
            same_bytes(f"{one.header} of {key}", read_by_minio(client, key, one.first, length), one.sha256)
    for key, digest in MEMBERS.items():
        body = read_by_minio(client, key, 0, 0)
        same_bytes(key, body, digest)
        same(f"size of {key}", client.stat_object(BUCKET, key, extra_headers=header).size, len(body))


def read_by_minio(client, key: str, offset: int, length: int) -> bytes:
    answer = client.get_object(BUCKET, key, offset=offset, length=length, request_headers={HEADER: "true"})
    try:
        return answer.read()
    finally:
        answer.close()
        answer.release_conn()


if __name__ == "__main__":
    main()
