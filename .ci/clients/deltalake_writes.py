"""delta-rs: eight writers commit to one table at once, and no commit is lost; then overwriting, deleting, compacting."""

import os
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, write_deltalake

import expected
from expected import BUCKET, same

WRITERS, COMMITS, ROWS = 8, 5, 100
PLACE = f"s3://{BUCKET}/table"
OPTIONS = {
    "AWS_ENDPOINT_URL": expected.ENDPOINT,
    "AWS_ACCESS_KEY_ID": expected.ACCESS_KEY,
    "AWS_SECRET_ACCESS_KEY": expected.SECRET_KEY,
    "AWS_REGION": expected.REGION,
    "AWS_ALLOW_HTTP": "true",
    "conditional_put": "etag",
}


def main() -> None:
    write_deltalake(PLACE, rows(0, 0, 0), storage_options=OPTIONS)
    # Of writers that race one wins a version; the others try the next, so everybody needs as many turns as there are commits.
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    table = open_table()
    found = table.to_pyarrow_table()
    same("version", table.version(), WRITERS * COMMITS)
    wanted = sorted(one for w in range(WRITERS) for c in range(COMMITS) for one in rows(w, c, ROWS)["id"].to_pylist())
    same("rows", sorted(found["id"].to_pylist()), wanted)
    table.optimize.compact()
    same("rows behind compaction", open_table().to_pyarrow_table().num_rows, len(wanted))
    open_table().delete("writer = 3")
    same("rows behind a delete", open_table().to_pyarrow_table().num_rows, (WRITERS - 1) * COMMITS * ROWS)
    open_table().create_checkpoint()
    open_table().vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    same("rows behind vacuum", open_table().to_pyarrow_table().num_rows, (WRITERS - 1) * COMMITS * ROWS)
    write_deltalake(PLACE, rows(9, 9, 7), storage_options=OPTIONS, mode="overwrite")
    same("rows behind overwriting", open_table().to_pyarrow_table().num_rows, 7)


def write(writer: int) -> None:
    for commit in range(COMMITS):
        properties = CommitProperties(max_commit_retries=WRITERS * COMMITS)
        write_deltalake(PLACE, rows(writer, commit, ROWS), mode="append", storage_options=OPTIONS, commit_properties=properties)


def open_table() -> DeltaTable:
    return DeltaTable(PLACE, storage_options=OPTIONS)


def rows(writer: int, commit: int, count: int) -> pa.Table:
    ids = [f"{writer}-{commit}-{n}" for n in range(count)]
    return pa.table({"id": pa.array(ids, pa.string()), "writer": pa.array([writer] * count, pa.int64())})


main()
# At once, since threads of pyarrow that are still there abort an orderly end one time in two.
os._exit(0)
