"""Runs one query over four buckets, and over the local tables, which must give the same: join.py ENDPOINT TABLES QUERY."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import duckdb


def main(endpoint: str, tables: str, query: str) -> None:
    database = duckdb.connect()
    # The extension comes as a Python package; DuckDB itself would fetch it from its own hub.
    (extension,) = Path(find_spec("duckdb_extension_httpfs").origin).parent.glob("extensions/*/httpfs.duckdb_extension")
    database.execute("set autoinstall_known_extensions = false")
    database.execute(f"load '{extension}'")
    database.execute(
        f"create secret (type s3, key_id 'ANALYST', secret 'analyst-secret', region 'us-east-1', endpoint '{endpoint.removeprefix('http://')}',"
        " url_style 'path', use_ssl false)"
    )
    print(query)
    joined = database.sql(query)
    print(joined)
    local = database.sql(re.sub("s3://sales-[a-z0-9]+", tables, query)).fetchall()
    if joined.fetchall() != local:
        sys.exit(f"the local tables give another result: {local}")


main(sys.argv[1], sys.argv[2], Path(sys.argv[3]).read_text())
