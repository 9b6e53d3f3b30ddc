"""pyarrow (the AWS SDK for C++) writes: streams of every size, Parquet as a data set, folders, copies, moves, deletes."""

import pyarrow as pa
import pyarrow.dataset as datasets
import pyarrow.parquet as parquet
from pyarrow import fs

import expected
import pyarrow_session
from expected import BUCKET, same, same_bytes

TREE = expected.FOLDER / "tree"


def main() -> None:
    s3 = pyarrow_session.connect(allow_bucket_creation=True, allow_bucket_deletion=True)
    streams(s3)
    overwrite(s3)
    tables(s3)
    folders(s3)
    buckets(s3)


def streams(s3) -> None:
    for key, digest in expected.SHA256.items():
        if key.startswith(("sizes/", "names/", "one/")):
            write(s3, f"tree/{key}", (TREE / key).read_bytes(), {"Content-Type": "text/x-shown"})
            same_bytes(key, read(s3, f"tree/{key}"), digest)
    with s3.open_input_stream(f"{BUCKET}/tree/sizes/1") as stream:
        same("Content-Type", stream.metadata()["Content-Type"], b"text/x-shown")


def overwrite(s3) -> None:
    same("a missing key", s3.get_file_info(f"{BUCKET}/changing").type, fs.FileType.NotFound)
    for content in (b"first", b"the second, which is longer", b"", b"4"):
        write(s3, "changing", content)
        same("overwritten", read(s3, "changing"), content)
        same("size", s3.get_file_info(f"{BUCKET}/changing").size, len(content))


def tables(s3) -> None:
    table = datasets.dataset(TREE / "sales", partitioning="hive", format="parquet", exclude_invalid_files=True).to_table()
    parts = datasets.partitioning(pa.schema([("month", pa.int32())]), flavor="hive")
    for rows in (table, table.slice(0, 30_000)):
        datasets.write_dataset(
            rows, f"{BUCKET}/sales", filesystem=s3, format="parquet", partitioning=parts, existing_data_behavior="delete_matching"
        )
        found = datasets.dataset(f"{BUCKET}/sales", filesystem=s3, partitioning=parts).to_table()
        written = [("month", "ascending"), ("item", "ascending")]
        months = rows["month"].unique()
        same("rows of the months written", sorted_rows(found, months, written), sorted_rows(rows, months, written))
    parquet.write_table(table, f"{BUCKET}/one.parquet", filesystem=s3, row_group_size=5_000)
    same("one file", parquet.read_table(f"{BUCKET}/one.parquet", filesystem=s3).equals(table), True)


def sorted_rows(table, months, order) -> list[dict]:
    rows = table.filter(datasets.field("month").isin(months)).sort_by(order)
    return rows.select(sorted(rows.column_names)).to_pylist()


def folders(s3) -> None:
    s3.create_dir(f"{BUCKET}/made/by/hand", recursive=True)
    same("a folder", s3.get_file_info(f"{BUCKET}/made/by/hand").type, fs.FileType.Directory)
    write(s3, "made/by/hand/one", b"content")
    s3.copy_file(f"{BUCKET}/made/by/hand/one", f"{BUCKET}/made/two ä+%")
    s3.move(f"{BUCKET}/made/two ä+%", f"{BUCKET}/made/three")
    same("moved", read(s3, "made/three"), b"content")
    same("moved away", s3.get_file_info(f"{BUCKET}/made/two ä+%").type, fs.FileType.NotFound)
    s3.delete_file(f"{BUCKET}/made/three")
    same("deleted", s3.get_file_info(f"{BUCKET}/made/three").type, fs.FileType.NotFound)
    s3.delete_dir(f"{BUCKET}/made")
    same("deleted folder", s3.get_file_info(f"{BUCKET}/made").type, fs.FileType.NotFound)


def buckets(s3) -> None:
    s3.create_dir(f"{BUCKET}-two")
    same("a bucket", s3.get_file_info(f"{BUCKET}-two").type, fs.FileType.Directory)
    s3.delete_dir(f"{BUCKET}-two")
    same("a deleted bucket", s3.get_file_info(f"{BUCKET}-two").type, fs.FileType.NotFound)


def write(s3, key: str, content: bytes, metadata=None) -> None:
    with s3.open_output_stream(f"{BUCKET}/{key}", compression=None, metadata=metadata) as stream:
        stream.write(content)


def read(s3, key: str) -> bytes:
    with s3.open_input_stream(f"{BUCKET}/{key}", compression=None) as stream:
        return stream.read()


main()
