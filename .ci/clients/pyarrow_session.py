"""pyarrow's filesystem (the AWS SDK for C++), as the checks use it."""

from pyarrow import fs

import expected


def connect(**more) -> fs.S3FileSystem:
    scheme, address = expected.ENDPOINT.split("://")
    return fs.S3FileSystem(
        access_key=expected.ACCESS_KEY,
        secret_key=expected.SECRET_KEY,
        region=expected.REGION,
        scheme=scheme,
        endpoint_override=address,
        **more,
    )
