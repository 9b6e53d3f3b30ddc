"""Prints what an entry of 10 KiB costs tarfile and the own reader: python3 -m tests.time_tar, with src in PYTHONPATH."""

import io
import tarfile
import timeit

from millrace.tar import TarStream
from tests.answers import END, Answer, entry

COUNT = 512
TAR = b"".join(entry(f"data/train/0001.tar/{number:06}.jpg", bytes(10 << 10)) for number in range(COUNT)) + END


def by_tarfile():
    with tarfile.open(fileobj=io.BytesIO(TAR), mode="r|") as tar:
        return [tar.extractfile(one).read() for one in tar]


def by_reader():
    tar = TarStream(Answer(TAR).read1)
    return [tar.entry() for _ in range(COUNT)]


if __name__ == "__main__":
    for way in (by_tarfile, by_reader):
        print(f"{way.__name__}: {min(timeit.repeat(way, number=5, repeat=5)) / 5 / COUNT * 1e6:.1f} µs")
