"""The package of clients/python reads batches: objects, members of a tar and of a zip, ranges, samples and heads of what
boto3 uploads; then epochs of shards by two workers, one of which is killed. All is compared with local files.

    batch_writes.py           uploads, and starts the rest with BATCH_PYTHON
    batch_writes.py plain     reads with Python's own library
    batch_writes.py torch     the same with PyTorch's DataLoader, and WebDataset
"""

import functools
import hashlib
import io
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import expected
from expected import BUCKET, same, same_bytes

PACKAGE = Path(__file__).resolve().parents[2] / "clients" / "python" / "src"
LOCAL = Path(os.environ["WORK"]) / "local"
# The bucket of those who only read.
DATA = "dataset"
TAR, ZIP = "mixed/0001.tar", "mixed/0002.zip"
LARGEST = 6 * 1024 * 1024
KEYS = [key for key in expected.KEYS if expected.SIZES[key] <= LARGEST]
MEMBERS = [key for key in KEYS if key.startswith(("names/", "order/", "sizes/"))]
RANGES = [one for one in expected.RANGES if one.key in KEYS]
SHARDS = [f"shards/{number:04}.tar" for number in range(12)]
SAMPLES = [(shard, f"{number:04}.bin") for shard in SHARDS for number in range(64)]
BATCH = 16


def main() -> None:
    match sys.argv[1:]:
        case []:
            everybody()
        case ["plain"]:
            batches()
            epochs_of_a_pool()
        case ["torch"]:
            batches()
            epochs_of_a_loader()
            with_webdataset()
        case _:
            sys.exit(__doc__)


def everybody() -> None:
    import session

    write_samples()
    s3 = session.connect()
    for key, archive in ((TAR, tar), (ZIP, stored_zip)):
        s3.put_object(Bucket=BUCKET, Key=key, Body=archive({name: tree(name) for name in MEMBERS}))
    for shard in SHARDS:
        samples = {name: local((shard, name)) for one, name in SAMPLES if one == shard}
        s3.put_object(Bucket=BUCKET, Key=shard, Body=tar(samples))
    settings = os.environ | {
        "AWS_ENDPOINT_URL": expected.ENDPOINT,
        "AWS_ACCESS_KEY_ID": expected.ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": expected.SECRET_KEY,
        "AWS_REGION": expected.REGION,
        "PYTHONPATH": str(PACKAGE),
    }
    subprocess.run([os.environ["BATCH_PYTHON"], "-B", __file__, os.environ["BATCH_KIND"]], env=settings, check=True)


def write_samples() -> None:
    source = random.Random(1)
    for shard, name in SAMPLES:
        (LOCAL / shard).mkdir(parents=True, exist_ok=True)
        (LOCAL / shard / name).write_bytes(source.randbytes(source.choice((0, 1, 511, 512, 10_000, 70_000))))


def tree(key: str) -> bytes:
    return (expected.FOLDER / "tree" / key).read_bytes()


def local(sample: tuple[str, str]) -> bytes:
    shard, name = sample
    return (LOCAL / shard / name).read_bytes()


def tar(contents: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as file:
        for name, content in contents.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            file.addfile(entry, io.BytesIO(content))
    return archive.getvalue()


def stored_zip(contents: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        for name, content in contents.items():
            file.writestr(name, content)
    return archive.getvalue()


def batches() -> None:
    from millrace import Client, ItemError

    print("== batches", flush=True)
    client = Client()
    items = [({"objname": key, "bucket": DATA}, expected.SHA256[key]) for key in KEYS]
    items += [((archive, name), expected.SHA256[name]) for archive in (TAR, ZIP) for name in MEMBERS]
    items += [
        ({"objname": one.key, "bucket": DATA, "start": one.first, "length": one.last - one.first + 1}, one.sha256)
        for one in RANGES
    ]
    random.Random(2).shuffle(items)
    found = client.get_batch(BUCKET, [item for item, _ in items])
    for content, (item, digest) in zip(found, items, strict=True):
        same_bytes(str(item), content, digest)
    asked = [(TAR, "order/a-b"), (TAR, "no/such"), "no/such/key"]
    same("absent items", client.get_batch(BUCKET, asked, missing="none"), [tree("order/a-b"), None, None])
    try:
        client.get_batch(BUCKET, asked)
    except ItemError as error:
        codes = {f"{BUCKET}/{TAR}/no/such": "NoSuchKey", f"{BUCKET}/no/such/key": "NoSuchKey"}
        same("codes of absent items", error.codes, codes)
    else:
        raise SystemExit("a batch with absent items is whole")
    some = SAMPLES[::50]
    whole = client.get_batch(BUCKET, [{"objname": shard, "sample": name.removesuffix(".bin")} for shard, name in some])
    same("whole samples", whole, [{"bin": local(sample)} for sample in some])
    heads = client.head_batch(DATA, [*KEYS, {"objname": "no/such/key", "bucket": BUCKET}, {"objname": KEYS[0]}])
    sizes = [head and head.size for head in heads]
    same("sizes by heads", sizes, [*(expected.SIZES[key] for key in KEYS), None, expected.SIZES[KEYS[0]]])
    with client.open(DATA, "sizes/5MiB+1") as stream:
        same_bytes("an object as a stream", stream.read(), expected.SHA256["sizes/5MiB+1"])


def data_set():
    from millrace import BatchDataset, Client

    data = BatchDataset(Client(), BUCKET, SAMPLES, transform=named)
    # So that a forked worker has a connection that is not its own.
    same("a sample", data[7], named(SAMPLES[7], local(SAMPLES[7])))
    return data


def named(sample: tuple[str, str], content: bytes) -> tuple[str, str]:
    return "/".join(sample), hashlib.sha256(content).hexdigest()


def order(epoch: int, **part: int) -> list[int]:
    from millrace import shard_sizes, window_shuffle

    return list(window_shuffle(shard_sizes(SAMPLES), window=4, seed=7, epoch=epoch, **part))


def as_local(numbers: list[int]) -> list[tuple[str, str]]:
    return [named(SAMPLES[number], local(SAMPLES[number])) for number in numbers]


def epochs_of_a_pool() -> None:
    data = data_set()
    for epoch in range(2):
        print(f"== epoch {epoch} by two processes", flush=True)
        with pool(data) as workers:
            found = [one for batch in workers.map(read, batches_of(order(epoch))) for one in batch]
        same(f"samples of epoch {epoch}", found, as_local(order(epoch)))
    print("== a killed worker", flush=True)
    with pool(data) as workers:
        asked = [workers.submit(read, numbers) for numbers in batches_of(order(0) * 20)]
        asked[0].result()
        os.kill(next(iter(workers._processes)), signal.SIGKILL)
        try:
            for one in asked:
                one.result()
        except BrokenProcessPool:
            pass
        else:
            raise SystemExit("nobody noticed the killed worker")
    same("a sample after the kill", data[7], named(SAMPLES[7], local(SAMPLES[7])))
    with pool(data) as workers:
        found = [one for batch in workers.map(read, batches_of(order(0))) for one in batch]
    same("samples after the kill", found, as_local(order(0)))


def pool(data) -> ProcessPoolExecutor:
    global shared
    shared = data
    return ProcessPoolExecutor(2, multiprocessing.get_context("fork"))


def read(numbers: list[int]) -> list[tuple[str, str]]:
    return shared.__getitems__(numbers)


def batches_of(numbers: list[int]) -> list[list[int]]:
    return [numbers[at : at + BATCH] for at in range(0, len(numbers), BATCH)]


def epochs_of_a_loader() -> None:
    from millrace import WindowShuffle, shard_sizes

    data = data_set()
    sampler = WindowShuffle(shard_sizes(SAMPLES), window=4, seed=7)
    for epoch, start in ((0, "fork"), (1, "spawn")):
        print(f"== epoch {epoch} by two workers, {start}", flush=True)
        sampler.set_epoch(epoch)
        found = [one for batch in loader(data, sampler, start) for one in batch]
        same(f"samples of epoch {epoch}", found, as_local(order(epoch)))
    print("== a killed worker", flush=True)
    sampler.set_epoch(0)
    batches = iter(loader(data, sampler, "fork"))
    try:
        next(batches)
        os.kill(batches._workers[0].pid, signal.SIGKILL)
        for _ in batches:
            pass
    except RuntimeError as error:
        same("who was killed", "worker" in str(error), True)
    else:
        raise SystemExit("nobody noticed the killed worker")
    del batches
    found = [one for batch in loader(data, sampler, "fork") for one in batch]
    same("samples after the kill", found, as_local(order(0)))


def loader(data, sampler, start: str):
    from torch.utils.data import DataLoader

    return DataLoader(
        data, batch_size=BATCH, sampler=sampler, num_workers=2, collate_fn=list, multiprocessing_context=start
    )


def with_webdataset() -> None:
    import webdataset
    from millrace import Client, wds
    from torch.utils.data import DataLoader

    print("== WebDataset by two workers", flush=True)
    shards = webdataset.WebDataset([f"mill://{BUCKET}/{shard}" for shard in SHARDS], shardshuffle=False)
    opening = functools.partial(wds.register, Client())
    found = {}
    for sample in DataLoader(shards, batch_size=None, num_workers=2, worker_init_fn=opening):
        found[f"{sample['__url__'].removeprefix(f'mill://{BUCKET}/')}/{sample['__key__']}.bin"] = sample["bin"]
    same("samples of shards", found == {"/".join(one): local(one) for one in SAMPLES}, True)


if __name__ == "__main__":
    main()
