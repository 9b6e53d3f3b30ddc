"""DuckDB reads the data set by its httpfs extension: a glob over everything, every object, Parquet and CSV by SQL."""

import duckdb

import duckdb_session
import expected
from expected import BUCKET, same

# Sums of all months, and a query that needs only some columns and row groups.
QUERIES = [
    "select count(*), sum(price), count(distinct city) from read_parquet('{}/sales/*/*.parquet')",
    "select month, city, sum(price) from read_parquet('{}/sales/**/*.parquet', hive_partitioning = true)"
    " where month > 1 and item between 9000 and 9100 group by all order by all",
    "select count(*), sum(price), max(city) from read_csv('{}/sales/[12].csv')",
    "select * from read_parquet('{}/sales/month=3/part-0.parquet') where item = 19999",
]


def main() -> None:
    database = duckdb_session.connect()
    bucket = f"s3://{BUCKET}"
    lists(database, bucket)
    read_all(database, bucket)
    for query in QUERIES:
        answers = [database.sql(query.format(place)).fetchall() for place in (bucket, expected.FOLDER / "tree")]
        same(query, *answers)


def lists(database: duckdb.DuckDBPyConnection, bucket: str) -> None:
    found = database.execute("select file from glob(?)", [f"{bucket}/**"]).fetchall()
    same("keys", sorted(file.removeprefix(f"{bucket}/") for (file,) in found), sorted(expected.KEYS))
    found = database.execute("select file from glob(?)", [f"{bucket}/sizes/*"]).fetchall()
    same("keys below sizes/", sorted(file.removeprefix(f"{bucket}/") for (file,) in found), expected.files("sizes/"))


def read_all(database: duckdb.DuckDBPyConnection, bucket: str) -> None:
    found = database.execute("select filename, size, sha256(content) from read_blob(?)", [f"{bucket}/**"]).fetchall()
    sizes = {name.removeprefix(f"{bucket}/"): size for name, size, _ in found}
    same("sizes", sizes, expected.SIZES)
    for name, _, digest in found:
        key = name.removeprefix(f"{bucket}/")
        same(f"sha256 of {key}", digest, expected.SHA256[key])


main()
