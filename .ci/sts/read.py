"""boto3 with nothing but the environment writes one object to its output."""

import sys

import boto3
from botocore.config import Config

s3 = boto3.client("s3", config=Config(s3={"addressing_style": "path"}))
sys.stdout.buffer.write(s3.get_object(Bucket="data", Key="key")["Body"].read())
