"""What a Python client is to find: the tables of dataset.py, and comparing that names the first difference."""

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

ENDPOINT = os.environ["ENDPOINT"]
ACCESS_KEY = os.environ["ACCESS_KEY"]
SECRET_KEY = os.environ["SECRET_KEY"]
REGION = os.environ["REGION"]
BUCKET = os.environ["BUCKET"]
FOLDER = Path(os.environ["EXPECTED"])
PAGE = int(os.environ["PAGE"])
SIGV2 = os.environ["SIGV2"] == "yes"
TAGS = os.environ["TAGS"] == "yes"
KEEPS = os.environ["KEEPS"] == "yes"
CHECKSUMMED = os.environ["CHECKSUMMED"] == "yes"
CONDITIONAL_PARTS = os.environ["CONDITIONAL_PARTS"] == "yes"
UPLOADS = os.environ["UPLOADS"] == "yes"


class Range(NamedTuple):
    sha256: str
    header: str
    first: int
    last: int
    key: str


class Metadata(NamedTuple):
    content_type: str
    cache_control: str
    name: str
    value: str
    key: str


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


SIZES = {key: int(size) for _, size, key in _rows("objects.tsv")}
SHA256 = {key: digest for digest, _, key in _rows("objects.tsv")}
KEYS = list(SIZES)
RANGES = [Range(digest, header, int(first), int(last), key) for digest, header, first, last, key in _rows("ranges.tsv")]
METADATA = [Metadata(*row) for row in _rows("metadata.tsv")]


def folders(prefix: str = "") -> list[str]:
    """The common prefixes below prefix for the delimiter '/', as S3 lists them."""
    below = [key[len(prefix) :] for key in KEYS if key.startswith(prefix)]
    return list(dict.fromkeys(prefix + rest.split("/")[0] + "/" for rest in below if "/" in rest))


def files(prefix: str = "") -> list[str]:
    """The keys directly below prefix."""
    return [key for key in KEYS if key.startswith(prefix) and "/" not in key[len(prefix) :]]


def same(what: str, found, expected) -> None:
    if found != expected:
        raise SystemExit(f"{what}: {_difference(found, expected)}")


def same_bytes(what: str, body: bytes, digest: str) -> None:
    same(f"sha256 of {what} ({len(body)} bytes)", hashlib.sha256(body).hexdigest(), digest)


def _difference(found, expected) -> str:
    if isinstance(found, list) and isinstance(expected, list):
        missing = [one for one in expected if one not in found]
        extra = [one for one in found if one not in expected]
        if missing or extra:
            return f"missing {missing[:5]}, not expected {extra[:5]}"
        at = next(n for n, (a, b) in enumerate(zip(found, expected)) if a != b)
        return f"out of order: {found[at]!r} where {expected[at]!r} belongs"
    return f"found {found!r}, expected {expected!r}"
