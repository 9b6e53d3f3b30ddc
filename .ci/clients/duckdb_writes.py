"""DuckDB writes by its httpfs extension: COPY TO Parquet and CSV, large enough for parts, by folders, and over what was there."""

import duckdb_session
import expected
from expected import BUCKET, same

SALES = expected.FOLDER / "tree/sales"


def main() -> None:
    database = duckdb_session.connect()
    bucket = f"s3://{BUCKET}"
    database.execute(f"create table sales as from read_parquet('{SALES}/*/*.parquet', hive_partitioning = true)")
    database.execute("create table large as select range as n, sha256(range::varchar) as digest from range(600000)")
    for kind in ("parquet", "csv"):
        # Shorter and longer than what it replaces, read between: what a reader keeps of the old content would show.
        for count in (60_000, 100, 45_000):
            rows = f"from sales where item * 3 + month <= {count} order by all"
            database.execute(f"copy ({rows}) to '{bucket}/one.{kind}' (format {kind})")
            same_rows(database, f"from '{bucket}/one.{kind}'", rows)
    database.execute(f"copy large to '{bucket}/large.parquet' (format parquet, compression uncompressed)")
    same_rows(database, f"from '{bucket}/large.parquet'", "from large")
    database.execute(f"copy sales to '{bucket}/by city' (format parquet, partition_by (month, city))")
    query = "select item, price, city, month::bigint as month from {} where city = 'São Paulo' and month = 2"
    same_rows(database, query.format(f"read_parquet('{bucket}/by city/**/*.parquet')"), query.format("sales"))


def same_rows(database, found: str, wanted: str) -> None:
    counts = "select count(*) from ({})"
    same(f"count of {found}", *(database.sql(counts.format(query)).fetchall() for query in (found, wanted)))
    missing = f"select count(*) from (select columns(*)::varchar from ({wanted}) except select columns(*)::varchar from ({found}))"
    same(f"rows missing in {found}", database.sql(missing).fetchone(), (0,))


main()
