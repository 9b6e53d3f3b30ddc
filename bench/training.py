"""One epoch of a PyTorch training job that reads its samples from S3: batches of 32, a step of 20 ms each (where a GPU would compute),
two workers that read ahead. Prints samples a second and the share of the time that the job waited for data.

  training.py dataset|webdataset ENDPOINT PREFIX SAMPLES
"""
import os
import sys
import time

import torch
import webdataset
from s3torchconnector import S3ClientConfig, S3MapDataset
from s3torchconnectorclient._mountpoint_s3_client import MountpointS3Client

BATCH, STEP, WORKERS, BUCKET, REGION = 32, 0.02, 2, "data", "us-east-1"

kind, endpoint, prefix, samples = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])


def objects():
    """The shuffled samples of a map-style dataset: an object each."""
    dataset = S3MapDataset.from_prefix(
        f"s3://{BUCKET}/{prefix}/", region=REGION, endpoint=endpoint, transform=lambda sample: len(sample.read()),
        s3client_config=S3ClientConfig(force_path_style=True))
    return torch.utils.data.DataLoader(dataset, batch_size=BATCH, shuffle=True, num_workers=WORKERS)


def shards():
    """The samples of tar files, read one after the other by s5cmd."""
    client = MountpointS3Client(REGION, endpoint=endpoint, force_path_style=True)
    keys = [found.key for page in client.list_objects(BUCKET, f"{prefix}/") for found in page.object_info]
    urls = [f"pipe:s5cmd --log error --endpoint-url {endpoint} cat s3://{BUCKET}/{key}" for key in keys]
    dataset = webdataset.WebDataset(urls, shardshuffle=len(urls)).map(lambda sample: len(sample["bin"]))
    return torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=WORKERS)


os.environ.setdefault("AWS_REGION", REGION)
loader = objects() if kind == "dataset" else shards()
began = time.perf_counter()
waited = seen = bytes_read = 0
batches = iter(loader)
while True:
    asked = time.perf_counter()
    batch = next(batches, None)
    waited += time.perf_counter() - asked
    if batch is None:
        break
    seen += len(batch)
    bytes_read += int(batch.sum())
    time.sleep(STEP)
seconds = time.perf_counter() - began
if seen != samples:
    sys.exit(f"{seen} samples were read, not {samples}")
print(f"{seen / seconds:7.0f} samples/s, {bytes_read / seconds / 2**20:6.1f} MiB/s, waited {100 * waited / seconds:4.1f} % of {seconds:.1f} s")
