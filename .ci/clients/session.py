"""boto3 as the checks use it: path style, one attempt, so that nothing is mended in silence."""

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import expected
from expected import BUCKET, same


def connect(signature_version=None):
    """Left alone, boto3 signs requests with SigV4 and presigned URLs with SigV2."""
    return boto3.client(
        "s3",
        endpoint_url=expected.ENDPOINT,
        aws_access_key_id=expected.ACCESS_KEY,
        aws_secret_access_key=expected.SECRET_KEY,
        region_name=expected.REGION,
        config=Config(
            signature_version=signature_version,
            s3={"addressing_style": "path"},
            retries={"total_max_attempts": 1},
            max_pool_connections=16,
        ),
    )


def fails(code: str, operation, bucket: str = BUCKET, **arguments) -> None:
    try:
        operation(Bucket=bucket, **arguments)
    except ClientError as error:
        same(f"error of {operation.__name__}{str(arguments)[:200]}", error.response["Error"]["Code"], code)
    else:
        raise SystemExit(f"{operation.__name__}{str(arguments)[:200]} answers, expected {code}")
