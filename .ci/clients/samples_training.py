"""What training programs read members of archives with, in a derived bucket; samples_writes.py has uploaded the archives.

    samples_training.py s3torch     s3torchconnector's client (the AWS CRT), without PyTorch
    samples_training.py loader      s3torchconnector's data sets, by two workers of PyTorch's DataLoader
    samples_training.py datasets    Hugging Face's datasets: a tar of pictures, which is uploaded here
"""

import hashlib
import io
import os
import random
import sys
import tarfile

import expected
from expected import BUCKET, same, same_bytes
from samples import ARCHIVES, DERIVED, MEMBERS, RANGES, WORK

MIB = 1024 * 1024
PLACE = f"s3://{DERIVED}/train/"
PICTURES = "pictures/0003.tar"
WIDTH, HEIGHT = 64, 48


def main() -> None:
    # Read by the CRT when it is loaded.
    os.environ |= {"AWS_ACCESS_KEY_ID": expected.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": expected.SECRET_KEY}
    match sys.argv[1:]:
        case ["s3torch"]:
            with_s3torch()
        case ["loader"]:
            with_loader()
        case ["datasets"]:
            with_datasets()
        case _:
            sys.exit(__doc__)


# Each environment has some of the clients, so each function imports its own.


def with_s3torch() -> None:
    from s3torchconnectorclient._mountpoint_s3_client import MountpointS3Client

    s3 = MountpointS3Client(
        expected.REGION, endpoint=expected.ENDPOINT, force_path_style=True, part_size=5 * MIB, max_attempts=1
    )
    pages = s3.list_objects(DERIVED, "train/", max_keys=expected.PAGE)
    found = {one.key: one.size for page in pages for one in page.object_info}
    same("members", list(found), list(MEMBERS))
    for key, digest in MEMBERS.items():
        same(f"size of {key}", s3.head_object(DERIVED, key).size, found[key])
        same_bytes(key, b"".join(s3.get_object(DERIVED, key)), digest)
    for archive in ARCHIVES:
        for one in RANGES:
            part = s3.get_object(DERIVED, f"{archive}/{one.key}", start=one.first, end=one.last + 1)
            same_bytes(f"{one.header} of {archive}/{one.key}", b"".join(part), one.sha256)


def with_loader() -> None:
    from s3torchconnector import S3ClientConfig, S3IterableDataset, S3MapDataset, S3ReaderConstructor
    from torch.utils.data import DataLoader

    settings = {
        "region": expected.REGION,
        "endpoint": expected.ENDPOINT,
        "s3client_config": S3ClientConfig(force_path_style=True, max_attempts=1),
        "transform": named,
    }

    def load(how: str, data, **more) -> None:
        print(f"== {how}", flush=True)
        loader = DataLoader(data, batch_size=4, num_workers=2, collate_fn=list, **more)
        found = [one for batch in loader for one in batch]
        same(f"members of {how}", sorted(found), sorted(MEMBERS.items()))

    whole, ranges = S3ReaderConstructor.sequential(), S3ReaderConstructor.range_based()
    for how, reader in (("S3MapDataset", whole), ("S3MapDataset by ranges", ranges)):
        data = S3MapDataset.from_prefix(PLACE, reader_constructor=reader, **settings)
        same(f"length of {how}", len(data), len(MEMBERS))
        load(how, data, shuffle=True)
    load("S3IterableDataset", S3IterableDataset.from_prefix(PLACE, enable_sharding=True, **settings))


def named(reader) -> tuple[str, str]:
    return reader.key, hashlib.sha256(reader.read()).hexdigest()


def with_datasets() -> None:
    # Read when they are loaded. Nothing is to ask the Hub; offline, they would refuse S3, too.
    os.environ |= {"HF_HOME": str(WORK / "hub"), "HF_ENDPOINT": "http://127.0.0.1:1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    # By variables, since what decodes pictures knows nothing of storage_options.
    os.environ |= {"AWS_ENDPOINT_URL": expected.ENDPOINT, "AWS_REGION": expected.REGION, "AWS_MAX_ATTEMPTS": "1"}
    import datasets

    import s3fs_session

    datasets.disable_progress_bars()
    pictures = {f"{label}/{number:02}.png": noise(label, number) for label in ("cat", "dog") for number in range(4)}
    s3fs_session.connect().pipe_file(f"{BUCKET}/{PICTURES}", tar_of(pictures))

    labelled = [(name.split("/")[0], pixels) for name, pixels in pictures.items()]
    for streaming in (True, False):
        print(f"== imagefolder, streaming {streaming}", flush=True)
        place = f"s3://{DERIVED}/{PICTURES}/**"
        data = datasets.load_dataset("imagefolder", data_files=place, split="train", streaming=streaming)
        found = [(data.features["label"].int2str(row["label"]), row["image"].tobytes()) for row in data]
        same(f"pictures, streaming {streaming}", found == labelled, True)


def noise(label: str, number: int) -> bytes:
    return random.Random(f"{label} {number}").randbytes(3 * WIDTH * HEIGHT)


def tar_of(pictures: dict[str, bytes]) -> bytes:
    from PIL import Image

    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as file:
        for name, pixels in pictures.items():
            content = io.BytesIO()
            Image.frombytes("RGB", (WIDTH, HEIGHT), pixels).save(content, "PNG")
            entry = tarfile.TarInfo(name)
            entry.size = content.tell()
            content.seek(0)
            file.addfile(entry, content)
    return archive.getvalue()


if __name__ == "__main__":
    main()
