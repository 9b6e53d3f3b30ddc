"""pyarrow (the AWS SDK for C++) reads the data set: listings, every object, ranges by seeking, and Parquet as a data set."""

import pyarrow.compute as pc
import pyarrow.dataset as datasets
import pyarrow.parquet as parquet
from pyarrow import fs

import expected
import pyarrow_session
from expected import BUCKET, same, same_bytes


def main() -> None:
    s3 = pyarrow_session.connect()
    lists(s3)
    read_all(s3)
    read_ranges(s3)
    read_metadata(s3)
    read_tables(s3)


def lists(s3) -> None:
    found = s3.get_file_info(fs.FileSelector(BUCKET, recursive=True))
    sizes = {one.path.removeprefix(BUCKET + "/"): one.size for one in found if one.type == fs.FileType.File}
    same("keys", sorted(sizes), sorted(expected.KEYS))
    same("sizes", sizes, expected.SIZES)
    for prefix in ("", "names/", "sales/"):
        found = s3.get_file_info(fs.FileSelector(f"{BUCKET}/{prefix}"))
        names = [one.path.removeprefix(BUCKET + "/") for one in found if one.type == fs.FileType.Directory]
        keys = [one.path.removeprefix(BUCKET + "/") for one in found if one.type == fs.FileType.File]
        same(f"folders below {prefix!r}", sorted(name + "/" for name in names), sorted(expected.folders(prefix)))
        same(f"files below {prefix!r}", sorted(keys), sorted(expected.files(prefix)))
    same("a missing key", s3.get_file_info(f"{BUCKET}/no/such/key").type, fs.FileType.NotFound)


def read_all(s3) -> None:
    for key, digest in expected.SHA256.items():
        with s3.open_input_stream(f"{BUCKET}/{key}", compression=None) as stream:
            same_bytes(key, stream.read(), digest)


def read_ranges(s3) -> None:
    for one in expected.RANGES:
        with s3.open_input_file(f"{BUCKET}/{one.key}") as file:
            same_bytes(f"{one.header} of {one.key}", file.read_at(one.last - one.first + 1, one.first), one.sha256)


def read_metadata(s3) -> None:
    for one in expected.METADATA:
        with s3.open_input_stream(f"{BUCKET}/{one.key}", compression=None) as stream:
            found = stream.metadata()
        same(f"Content-Type of {one.key}", found["Content-Type"].decode(), one.content_type)
        same(f"Cache-Control of {one.key}", found["Cache-Control"].decode(), one.cache_control)


def read_tables(s3) -> None:
    local = parquet.read_table(expected.FOLDER / "tree/sales/month=2/part-0.parquet", partitioning=None)
    remote = parquet.read_table(f"{BUCKET}/sales/month=2/part-0.parquet", filesystem=s3, partitioning=None)
    same("Parquet of month 2", remote.equals(local), True)
    ulm = {}
    for where, files in ((f"{BUCKET}/sales", s3), (str(expected.FOLDER / "tree/sales"), None)):
        table = datasets.dataset(where, filesystem=files, format="parquet", partitioning="hive", exclude_invalid_files=True)
        price = table.to_table(columns=["price"], filter=(pc.field("city") == "Ulm") & (pc.field("month") > 1))
        ulm[where] = (price.num_rows, pc.sum(price["price"]).as_py())
    same("sales in Ulm", *ulm.values())


main()
