"""DuckDB with its httpfs extension, as the checks use it."""

import os
from importlib.util import find_spec
from pathlib import Path

import duckdb

import expected


def connect() -> duckdb.DuckDBPyConnection:
    database = load()
    scheme, address = expected.ENDPOINT.split("://")
    database.execute(
        f"""create secret (type s3, key_id '{expected.ACCESS_KEY}', secret '{expected.SECRET_KEY}',
            region '{expected.REGION}', endpoint '{address}', url_style 'path', use_ssl {scheme == "https"})"""
    )
    return database


def load() -> duckdb.DuckDBPyConnection:
    """Without a secret yet."""
    database = duckdb.connect()
    # The extension comes as a Python package; DuckDB itself would fetch it from its own hub.
    package = Path(find_spec("duckdb_extension_httpfs").origin).parent
    (extension,) = package.glob("extensions/*/httpfs.duckdb_extension")
    database.execute("set autoinstall_known_extensions = false")
    database.execute(f"load '{extension}'")
    # It takes no authority from the environment.
    if authority := os.environ.get("AWS_CA_BUNDLE"):
        database.execute(f"set ca_cert_file = '{authority}'")
    return database
