"""s3fs of fsspec (aiobotocore) writes: a tree up and down, files opened for writing, in parts, created only once, appended
to, copied, moved, deleted."""

import os
from pathlib import Path

import pyarrow.parquet as parquet

import expected
import s3fs_session
from expected import BUCKET, same, same_bytes

MIB = 1024 * 1024
TREE = expected.FOLDER / "tree"


def main() -> None:
    s3 = s3fs_session.connect()
    tree(s3)
    files(s3)
    once(s3)
    moves(s3)
    tables(s3)


def tree(s3) -> None:
    s3.put(str(TREE) + "/", f"{BUCKET}/tree/", recursive=True)
    same("keys", sorted(s3.find(f"{BUCKET}/tree")), sorted(f"{BUCKET}/tree/{key}" for key in expected.KEYS))
    down = Path(os.environ["WORK"]) / "down"
    s3.get(f"{BUCKET}/tree/", str(down) + "/", recursive=True)
    for key, digest in expected.SHA256.items():
        same_bytes(key, (down / key).read_bytes(), digest)


def files(s3) -> None:
    path = f"{BUCKET}/changing ä+%"
    same("before", s3.exists(path), False)
    large = (TREE / "sizes/large/20MiB+1").read_bytes()
    for content in (b"first", large[: 12 * MIB + 5], b"", b"4"):
        with s3.open(path, "wb", block_size=5 * MIB) as file:
            for at in range(0, len(content), MIB):
                file.write(content[at : at + MIB])
        same("size", s3.info(path)["size"], len(content))
        same("content", s3.cat_file(path) == content, True)
    for more in (b" and 5", large[: 6 * MIB]):
        before = s3.cat_file(path)
        with s3.open(path, "ab", block_size=5 * MIB) as file:
            file.write(more)
        same("appended", s3.cat_file(path) == before + more, True)
    s3.setxattr(path, colour="blue")
    same("attributes", s3.getxattr(path, "colour"), "blue")
    same("content behind that", s3.cat_file(path) == b"4 and 5" + large[: 6 * MIB], True)


def once(s3) -> None:
    s3.pipe_file(f"{BUCKET}/once", b"first", mode="create")
    try:
        s3.pipe_file(f"{BUCKET}/once", b"second", mode="create")
    except OSError:  # made of PreconditionFailed
        same("kept", s3.cat_file(f"{BUCKET}/once"), b"first")
    else:
        raise SystemExit("what exists was created again")


def moves(s3) -> None:
    s3.copy(f"{BUCKET}/tree/order/", f"{BUCKET}/copied/", recursive=True)
    names = ["a-b", "a.txt", "a/x", "a0"]
    same("copied", sorted(s3.find(f"{BUCKET}/copied")), [f"{BUCKET}/copied/{name}" for name in names])
    s3.mv(f"{BUCKET}/copied/a.txt", f"{BUCKET}/copied/moved")
    same_bytes("moved", s3.cat_file(f"{BUCKET}/copied/moved"), expected.SHA256["order/a.txt"])
    same("moved away", s3.exists(f"{BUCKET}/copied/a.txt"), False)
    s3.rm(f"{BUCKET}/copied", recursive=True)
    same("deleted", s3.find(f"{BUCKET}/copied"), [])
    same("folders", s3.ls(f"{BUCKET}/tree/shards", detail=False), [f"{BUCKET}/tree/shards/{one}" for one in "abc"])


def tables(s3) -> None:
    table = parquet.read_table(TREE / "sales/month=1/part-0.parquet", partitioning=None)
    parquet.write_table(table, f"{BUCKET}/one.parquet", filesystem=s3)
    same("a table", parquet.read_table(f"{BUCKET}/one.parquet", filesystem=s3).equals(table), True)


main()
