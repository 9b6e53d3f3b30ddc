"""One epoch of a PyTorch training job that reads its samples: batches of 32, a step of 20 ms each (where a GPU would compute), workers that
read ahead. Each sample is compared with the bytes that it must have, and their order with that of the sampler. Prints samples a second, and
the share of the time that the job waited for data.

  training.py dataset|webdataset|batch|local PLACE PREFIX SAMPLES [BUCKET [WORKERS]]

PLACE is an endpoint, of `local` a folder. `dataset` is s3torchconnector's, an object a request; `batch` is that of clients/python, a batch a
request; `webdataset` reads tars; `local` reads files.
"""
import os
import pathlib
import sys
import time
import warnings

import torch
import webdataset
from s3torchconnector import S3ClientConfig, S3MapDataset
from s3torchconnectorclient._mountpoint_s3_client import MountpointS3Client

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "clients" / "python" / "src"))

import known
import millrace

BATCH, STEP, SIZE, REGION = 32, 0.02, 128 << 10, "us-east-1"  # training.sh makes samples of this size

kind, place, prefix, samples = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
bucket = sys.argv[5] if len(sys.argv) > 5 else "data"
workers = int(sys.argv[6]) if len(sys.argv) > 6 else 2


def number_of(key, content):
    """The number of a sample, whose bytes follow from its key."""
    if content != known.content(key, SIZE):
        raise ValueError(f"{key} has wrong bytes, {len(content)} of {SIZE}: {content[:60]}")
    return int(pathlib.PurePosixPath(key).stem)


class Files:
    """The samples as files of a folder."""

    def __len__(self):
        return samples

    def __getitem__(self, number):
        key = keys[number]
        return number_of(key, (pathlib.Path(place) / key).read_bytes())


def objects():
    """The samples by an object a request."""
    dataset = S3MapDataset.from_prefix(
        f"s3://{bucket}/{prefix}/", region=REGION, endpoint=place, transform=lambda sample: number_of(sample.key, sample.read()),
        s3client_config=S3ClientConfig(force_path_style=True))
    if len(dataset) != samples:
        sys.exit(f"{len(dataset)} objects are listed, not {samples}")
    return dataset


def batches():
    """The samples by a batch a request."""
    return millrace.BatchDataset(millrace.Client(place, region=REGION), bucket, keys, transform=number_of)


def shards():
    """The samples of tar files, read one after the other by s5cmd."""
    client = MountpointS3Client(REGION, endpoint=place, force_path_style=True)
    found = [one.key for page in client.list_objects(bucket, f"{prefix}/") for one in page.object_info]
    urls = [f"pipe:s5cmd --log error --endpoint-url {place} cat s3://{bucket}/{key}" for key in found]
    # There may be more workers than tars.
    dataset = webdataset.WebDataset(urls, shardshuffle=len(urls), empty_check=False).map(lambda sample: number_of(sample["__key__"], sample["bin"]))
    return torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers)


os.environ.setdefault("AWS_REGION", REGION)
# That there are more workers than cores: they wait for the network.
warnings.filterwarnings("ignore", "This DataLoader will create")
keys = [f"{prefix}/{number // 1000:03}/{number:06}" for number in range(samples)]
order = torch.randperm(samples, generator=torch.Generator().manual_seed(7)).tolist()
if kind == "webdataset":
    loader = shards()
else:
    made = {"dataset": objects, "batch": batches, "local": Files}[kind]()
    loader = torch.utils.data.DataLoader(made, batch_size=BATCH, sampler=order, num_workers=workers)
began = time.perf_counter()
waited, seen = 0.0, []
batch_iterator = iter(loader)
while True:
    asked = time.perf_counter()
    batch = next(batch_iterator, None)
    waited += time.perf_counter() - asked
    if batch is None:
        break
    seen += batch.tolist()
    time.sleep(STEP)
seconds = time.perf_counter() - began
# The order of tars is WebDataset's own.
if kind == "webdataset":
    seen, order = sorted(seen), sorted(order)
if seen != order:
    sys.exit(f"{len(seen)} samples were read of {samples}, not each once, or in another order")
print(f"rate={len(seen) / seconds:.1f}")
print(f"shown={len(seen) / seconds:,.0f} samples a second, {len(seen) * SIZE / seconds / 2**20:.0f} MiB/s; "
      f"waited {100 * waited / seconds:.0f} % of {seconds:.1f} s")
