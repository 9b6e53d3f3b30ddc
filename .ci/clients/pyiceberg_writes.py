"""Iceberg by pyiceberg: eight writers commit to one table at once, and no commit is lost; then overwriting and deleting.

The catalog is a local SQLite file; it decides who wins a commit. Everything else, metadata and data, is in the bucket.
"""

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException
from sqlalchemy.exc import OperationalError

import expected
from expected import BUCKET, same

WRITERS, COMMITS, ROWS = 8, 3, 50
NAME = "lake.events"


def main() -> None:
    catalog = open_catalog()
    catalog.create_namespace("lake")
    catalog.create_table(NAME, schema=rows(0, 0).schema)
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    table = open_catalog().load_table(NAME)
    wanted = sorted(one for w in range(WRITERS) for c in range(COMMITS) for one in rows(w, c)["id"].to_pylist())
    same("rows", sorted(table.scan().to_arrow()["id"].to_pylist()), wanted)
    same("snapshots", len(table.snapshots()), WRITERS * COMMITS)
    table.delete("writer = 3")
    same("rows behind a delete", open_catalog().load_table(NAME).scan().to_arrow().num_rows, (WRITERS - 1) * COMMITS * ROWS)
    table.overwrite(rows(9, 9))
    same("rows behind overwriting", open_catalog().load_table(NAME).scan().to_arrow().num_rows, ROWS)


def open_catalog() -> SqlCatalog:
    return SqlCatalog(
        "checks",
        **{
            "uri": f"sqlite:///{os.environ['WORK']}/catalog.db",
            "warehouse": f"s3://{BUCKET}/lake",
            "py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO",
            "s3.endpoint": expected.ENDPOINT,
            "s3.access-key-id": expected.ACCESS_KEY,
            "s3.secret-access-key": expected.SECRET_KEY,
            "s3.region": expected.REGION,
            "s3.force-virtual-addressing": "false",
        },
    )


def write(writer: int) -> None:
    for commit in range(COMMITS):
        while True:
            try:
                open_catalog().load_table(NAME).append(rows(writer, commit))
                break
            # Somebody was faster, or the catalog's own file is locked.
            except (CommitFailedException, OperationalError):
                time.sleep(random.random() / 5)


def rows(writer: int, commit: int) -> pa.Table:
    ids = [f"{writer}-{commit}-{n}" for n in range(ROWS)]
    return pa.table({"id": pa.array(ids, pa.string()), "writer": pa.array([writer] * ROWS, pa.int64())})


main()
