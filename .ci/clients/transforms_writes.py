"""Clients read what a service makes of objects that boto3 uploads. The service runs here: it sends the bytes twice, the
second time backwards, so a reader that trusts the size of the original gets half of them.

    transforms_writes.py          all clients; AWS_CLI and TABLES_PYTHON name the programs that it starts
    transforms_writes.py s3fs     s3fs alone, in the environment that has it
"""

import hashlib
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import expected
from expected import BUCKET, same, same_bytes

DERIVED = "made"
WORK = Path(os.environ["WORK"])
TREE = expected.FOLDER / "tree"
PORT = int(os.environ["TRANSFORM_PORT"])
# Their results have less than max-size, 4 MiB.
LARGEST = 2 * 1024 * 1024 - 1
NAMES = [
    key for key in expected.KEYS if key.startswith(("names/", "order/", "sizes/")) and expected.SIZES[key] <= LARGEST
]


def made(body: bytes) -> bytes:
    return body + body[::-1]


def digests() -> dict[str, str]:
    return {name: hashlib.sha256(made((TREE / name).read_bytes())).hexdigest() for name in NAMES}


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The body is a segment of its own, which would wait for the acknowledgement of the head, 40 ms.
    disable_nagle_algorithm = True

    def do_PUT(self) -> None:
        body = made(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


def main() -> None:
    if sys.argv[1:] == ["s3fs"]:
        with_s3fs()
        return
    service = ThreadingHTTPServer(("127.0.0.1", PORT), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    upload()
    # First, while no list knows a size.
    print("== s3fs", flush=True)
    subprocess.run([os.environ["TABLES_PYTHON"], "-B", __file__, "s3fs"], check=True)
    with_boto3()
    with_aws_cli()
    with_pyarrow()
    service.shutdown()


# Each environment has some of the clients, so each function imports its own.


def upload() -> None:
    import session

    s3 = session.connect()
    for name in NAMES:
        s3.put_object(Bucket=BUCKET, Key=name, Body=(TREE / name).read_bytes())


def with_s3fs() -> None:
    import s3fs_session

    s3 = s3fs_session.connect(use_listings_cache=True)
    same("keys", sorted(s3.find(DERIVED)), sorted(f"{DERIVED}/{name}" for name in NAMES))
    for name, digest in digests().items():
        if expected.SIZES[name] == 0:
            # A file asks for the range of its listed size, and an empty object has none.
            same_bytes(name, s3.cat_file(f"{DERIVED}/{name}"), digest)
            continue
        with s3.open(f"{DERIVED}/{name}") as file:
            same_bytes(name, file.read(), digest)


def with_boto3() -> None:
    import session

    print("== boto3", flush=True)
    s3 = session.connect()
    for name, digest in digests().items():
        size = 2 * expected.SIZES[name]
        head = s3.head_object(Bucket=DERIVED, Key=name)
        same(f"size of {name}", head["ContentLength"], size)
        answer = s3.get_object(Bucket=DERIVED, Key=name, IfMatch=head["ETag"])
        same_bytes(name, answer["Body"].read(), digest)
        if size > 10:
            part = s3.get_object(Bucket=DERIVED, Key=name, Range=f"bytes={size - 5}-")["Body"].read()
            same(f"end of {name}", part, made((TREE / name).read_bytes())[-5:])
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket=DERIVED, PaginationConfig={"PageSize": expected.PAGE}
    )
    found = {one["Key"]: one["Size"] for page in pages for one in page.get("Contents", [])}
    same("keys", list(found), NAMES)
    for name, size in found.items():
        # Without a cache no list knows one.
        same(f"listed size of {name}", size in (2 * expected.SIZES[name], 4 << 20), True)


def with_aws_cli() -> None:
    import aws_cli_session

    print("== aws-cli", flush=True)
    down = WORK / "aws"
    aws_cli_session.s3("cp", "--recursive", "--only-show-errors", f"s3://{DERIVED}/", str(down))
    found = sorted(path.relative_to(down).as_posix() for path in down.rglob("*") if path.is_file())
    same("files", found, sorted(NAMES))
    for name, digest in digests().items():
        same_bytes(name, (down / name).read_bytes(), digest)


def with_pyarrow() -> None:
    import pyarrow_session

    print("== pyarrow", flush=True)
    s3 = pyarrow_session.connect()
    for name, digest in digests().items():
        with s3.open_input_stream(f"{DERIVED}/{name}", compression=None) as stream:
            same_bytes(name, stream.read(), digest)


main()
