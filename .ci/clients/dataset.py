"""Makes the data set that every client reads, the same bytes every time, and uploads it.

    dataset.py make FOLDER      writes FOLDER/tree (a file per object, its path is the key) and what to expect of it
    dataset.py upload FOLDER    puts the tree into a new bucket: ENDPOINT, ACCESS_KEY, SECRET_KEY, REGION, BUCKET, PREFIX

Expectations are tables with tabs, one row a line, in the order of S3 (UTF-8 bytes of the key), so that a client in any
language can read them:

    objects.tsv     sha256, size, key
    ranges.tsv      sha256, Range header, first byte, last byte, key
    metadata.tsv    Content-Type, Cache-Control, name and value of the user metadata, key; empty for plain files

Left out are names that one of the origins or clients cannot hold at all: a key that is also a folder of other keys,
empty or dotted path segments, back slashes, control characters.
"""

import csv
import hashlib
import os
import random
import shutil
import sys
from pathlib import Path

import boto3
import pyarrow as pa
import pyarrow.parquet as parquet
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

KIB, MIB = 1024, 1024 * 1024

# Around the sizes where something changes: nothing, one byte, a page, a cache block, a part of a multipart upload.
SIZES = {
    "sizes/0": 0,
    "sizes/1": 1,
    "sizes/4095": 4 * KIB - 1,
    "sizes/4096": 4 * KIB,
    "sizes/65537": 64 * KIB + 1,
    "sizes/1MiB-1": MIB - 1,
    "sizes/1MiB": MIB,
    "sizes/1MiB+1": MIB + 1,
    "sizes/5MiB+1": 5 * MIB + 1,
    "sizes/large/9MiB+7": 9 * MIB + 7,
    "sizes/large/20MiB+1": 20 * MIB + 1,
}

# The fullwidth exclamation mark and the rocket change places when keys are ordered as UTF-16.
NAMES = [
    "names/with space.txt",
    "names/plus+plus.txt",
    "names/percent%25.txt",
    "names/100%.txt",
    "names/a%2Fb%zz.txt",
    "names/umlaut-äöü.txt",
    "names/日本語/ファイル.txt",
    "names/fullwidth-！.txt",
    "names/rocket-🚀.txt",
    "names/composed-é.txt",
    "names/decomposed-e\u0301.txt",
    "names/(round) 'single' !.txt",
    "names/comma,semicolon;colon:.txt",
    "names/at@dollar$equals=ampersand&.txt",
    "names/tilde~dot.dash-under_score",
    "names/UPPER.txt",
    "names/upper.txt",
    "names/.hidden",
    "names/long-" + "x" * 200,
    "order/a-b",
    "order/a.txt",
    "order/a/x",
    "order/a0",
    "one/two/three/four/five/six/seven/deep.txt",
]

MULTIPART_KEY = "sizes/large/20MiB+1"
PART_SIZE = 8 * MIB


def main() -> None:
    match sys.argv[1:]:
        case ["make", folder]:
            make(Path(folder))
        case ["upload", folder]:
            upload(Path(folder))
        case _:
            sys.exit(__doc__)


def make(folder: Path) -> None:
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    for key, content in objects().items():
        path = tree / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for month in (1, 2, 3):
        write_sales(tree, month)
    keys = sorted((path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()), key=str.encode)
    contents = {key: (tree / key).read_bytes() for key in keys}
    write_rows(folder / "objects.tsv", ([sha256(body), len(body), key] for key, body in contents.items()))
    write_rows(folder / "ranges.tsv", ranges(contents))
    write_rows(folder / "metadata.tsv", metadata())


def objects() -> dict[str, bytes]:
    found = {key: noise(key, size) for key, size in SIZES.items()}
    found |= {key: f"the object named {key}\n".encode() for key in NAMES}
    found |= {f"pages/{n:03}.bin": noise(f"page {n}", 100 + 37 * n) for n in range(150)}
    found |= {f"shards/{shard}/{n}.bin": noise(f"{shard}/{n}", 4 * KIB) for shard in "abc" for n in range(5)}
    return found


def noise(name: str, size: int) -> bytes:
    return random.Random(name).randbytes(size)


def write_sales(tree: Path, month: int) -> None:
    """A month of made-up sales as Parquet, in a folder named as Hive does, and as CSV."""
    values = random.Random(month)
    table = pa.table({
        "item": pa.array(range(20_000), pa.int64()),
        "price": pa.array([values.randrange(100, 10_000) for _ in range(20_000)], pa.int64()),
        "city": pa.array([values.choice(["Ulm", "Köln", "São Paulo", "大阪"]) for _ in range(20_000)]),
    })
    folder = tree / "sales" / f"month={month}"
    folder.mkdir(parents=True)
    parquet.write_table(table, folder / "part-0.parquet", row_group_size=4_000)
    with open(tree / "sales" / f"{month}.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in table.columns)))


def ranges(contents: dict[str, bytes]):
    for key, header in [
        ("sizes/1", "bytes=0-0"),
        ("sizes/4096", "bytes=0-99999"),
        ("sizes/4096", "bytes=4095-"),
        ("sizes/1MiB", "bytes=-17"),
        ("sizes/1MiB+1", "bytes=1048570-1048576"),
        ("sizes/large/9MiB+7", "bytes=0-4095"),
        ("sizes/large/9MiB+7", "bytes=9437184-"),
        (MULTIPART_KEY, "bytes=8388600-8388615"),
        (MULTIPART_KEY, "bytes=1000000-3500000"),
        ("names/日本語/ファイル.txt", "bytes=17-29"),
        ("names/plus+plus.txt", "bytes=17-29"),
    ]:
        body = contents[key]
        first, last = header.removeprefix("bytes=").split("-")
        start = int(first) if first else len(body) - int(last)
        end = min(int(last), len(body) - 1) if first and last else len(body) - 1
        yield [sha256(body[start : end + 1]), header, start, end, key]


def metadata():
    yield ["text/csv; charset=utf-8", "max-age=60", "colour", "blue", "sales/1.csv"]
    yield ["application/vnd.apache.parquet", "no-cache", "rows", "20000", "sales/month=1/part-0.parquet"]
    yield ["image/x-millrace", "max-age=3600, public", "note", "made of parts: 3", MULTIPART_KEY]
    yield ["text/plain", "private", "two-words", "a b", "names/with space.txt"]


def upload(folder: Path) -> None:
    s3 = boto3.client(
        "s3",
        endpoint_url=os.environ["ENDPOINT"],
        aws_access_key_id=os.environ["ACCESS_KEY"],
        aws_secret_access_key=os.environ["SECRET_KEY"],
        region_name=os.environ["REGION"],
        config=Config(s3={"addressing_style": "path"}),
    )
    bucket, prefix = os.environ["BUCKET"], os.environ["PREFIX"]
    s3.create_bucket(Bucket=bucket)
    for neighbour in neighbours(prefix):
        s3.put_object(Bucket=bucket, Key=neighbour, Body=b"of another team")
    described = {row[-1]: row for row in read_rows(folder / "metadata.tsv")}
    one_piece = TransferConfig(multipart_threshold=5 * 1024 * MIB)
    parts = TransferConfig(multipart_threshold=PART_SIZE, multipart_chunksize=PART_SIZE)
    for _, _, key in read_rows(folder / "objects.tsv"):
        extra = {}
        if key in described:
            content_type, cache_control, name, value, _ = described[key]
            extra = {"ContentType": content_type, "CacheControl": cache_control, "Metadata": {name: value}}
        transfer = parts if key == MULTIPART_KEY else one_piece
        s3.upload_file(str(folder / "tree" / key), bucket, prefix + key, ExtraArgs=extra, Config=transfer)


def neighbours(prefix: str) -> list[str]:
    """Keys just outside a prefix, on both sides of it in the order of S3."""
    return [prefix.rstrip("/") + end for end in ("-two/sizes/1", "0/sizes/1")] if prefix else []


def write_rows(path: Path, rows) -> None:
    lines = ["\t".join(str(cell) for cell in row) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")


def read_rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    main()
