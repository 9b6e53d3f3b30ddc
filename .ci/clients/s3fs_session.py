"""s3fs of fsspec (aiobotocore), as the checks use it."""

import s3fs

import expected


def connect(use_listings_cache: bool = False) -> s3fs.S3FileSystem:
    return s3fs.S3FileSystem(
        key=expected.ACCESS_KEY,
        secret=expected.SECRET_KEY,
        endpoint_url=expected.ENDPOINT,
        client_kwargs={"region_name": expected.REGION},
        config_kwargs={"s3": {"addressing_style": "path"}, "retries": {"total_max_attempts": 1}},
        use_listings_cache=use_listings_cache,
    )
