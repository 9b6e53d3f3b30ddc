"""Blocks as LMCache's connector keeps them in S3, by the library that it uses: the bucket is in the name of the host, a
block is a file that is sent and received, and larger ones go and come in parts.

    scratch_crt.py HOST     without the port, which is that of ENDPOINT
"""

import hashlib
import os
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit

from awscrt import auth, io, s3
from awscrt.http import HttpHeaders, HttpRequest

import expected
from expected import same, same_bytes

MIB = 1024 * 1024
WORK = Path(os.environ["WORK"])
ENDPOINT = urlsplit(expected.ENDPOINT)
HOST = f"{sys.argv[1]}:{ENDPOINT.port}"
TLS = s3.S3RequestTlsMode.ENABLED if ENDPOINT.scheme == "https" else s3.S3RequestTlsMode.DISABLED


def main() -> None:
    os.environ |= {"AWS_ACCESS_KEY_ID": expected.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": expected.SECRET_KEY}
    connector = Connector()
    for size in (4 * MIB, 12 * MIB + 5, 1):
        key = f"vllm@model/7@8@0@{size:x}@half".replace("/", "_")
        block = hashlib.shake_256(key.encode()).digest(size)
        same(f"size of {key} before", connector.size(key), None)
        connector.put(key, block)
        same(f"size of {key}", connector.size(key), size)
        same_bytes(key, connector.get(key), hashlib.sha256(block).hexdigest())
        if size > 8 * MIB:
            first = 3 * MIB + 1
            found = connector.ranged(key, first, first + 4 * MIB - 1)
            same_bytes(f"4 MiB of {key}", found, hashlib.sha256(block[first : first + 4 * MIB]).hexdigest())
        connector.put(key, block[::-1])
        same_bytes(f"{key}, replaced", connector.get(key), hashlib.sha256(block[::-1]).hexdigest())
    absent(connector)


def absent(connector) -> None:
    """A block that has left is an error at once."""
    try:
        connector.get("absent")
    except s3.S3ResponseError as error:
        same("status of what is absent", error.status_code, 404)
    else:
        raise SystemExit("what is absent was received")


class Connector:
    """One client, which finds keys and authorities in the environment, as they are no setting of LMCache."""

    def __init__(self) -> None:
        group = io.EventLoopGroup(2)
        bootstrap = io.ClientBootstrap(group, io.DefaultHostResolver(group))
        self.credentials = auth.AwsCredentialsProvider.new_default_chain(bootstrap)
        self.client = s3.S3Client(
            bootstrap=bootstrap,
            region=expected.REGION,
            credential_provider=self.credentials,
            enable_s3express=False,
            tls_mode=TLS,
            part_size=5 * MIB,
        )

    def size(self, key: str) -> int | None:
        seen = {}

        def on_headers(headers, **_) -> None:
            seen.update({name.lower(): value for name, value in headers})

        request = self.request(s3.S3RequestType.DEFAULT, "HEAD", key, operation_name="HeadObject", on_headers=on_headers)
        try:
            request.finished_future.result(60)
        except s3.S3ResponseError as error:
            same(f"status of the head of {key}", error.status_code, 404)
            return None
        return int(seen["content-length"])

    def put(self, key: str, block: bytes) -> None:
        sent = WORK / "sent.part"
        sent.write_bytes(block)
        self.request(s3.S3RequestType.PUT_OBJECT, "PUT", key, send_filepath=str(sent)).finished_future.result(60)

    def get(self, key: str) -> bytes:
        received = WORK / "received.part"
        received.unlink(missing_ok=True)
        self.request(s3.S3RequestType.GET_OBJECT, "GET", key, recv_filepath=str(received)).finished_future.result(60)
        return received.read_bytes()

    def ranged(self, key: str, first: int, last: int) -> bytes:
        pieces = {}
        asked = self.request(
            s3.S3RequestType.GET_OBJECT,
            "GET",
            key,
            [("Range", f"bytes={first}-{last}")],
            on_body=lambda chunk, offset, **_: pieces.update({offset: chunk}),
        )
        asked.finished_future.result(60)
        return b"".join(pieces[offset] for offset in sorted(pieces))

    def request(self, kind, method: str, key: str, more=(), **options) -> s3.S3Request:
        headers = HttpHeaders([("Host", HOST), *more])
        if "send_filepath" in options:
            headers.add("Content-Length", str(os.path.getsize(options["send_filepath"])))
        return self.client.make_request(
            type=kind,
            request=HttpRequest(method, quote("/" + key), headers),
            credential_provider=self.credentials,
            **options,
        )


main()
