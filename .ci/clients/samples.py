"""The archives whose members the clients of the samples read: a tar and a zip with a part of the data set."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

import expected
from expected import BUCKET

# What servers.sh derives from the bucket that is written.
DERIVED = BUCKET.removeprefix("written-")
WORK = Path(os.environ["WORK"])
TREE = expected.FOLDER / "tree"
TAR, ZIP = "train/0001.tar", "train/0002.zip"
ARCHIVES = (TAR, ZIP)
LARGEST = 6 * 1024 * 1024
NAMES = [
    key for key in expected.KEYS if key.startswith(("names/", "order/", "sizes/")) and expected.SIZES[key] <= LARGEST
]
RANGES = [one for one in expected.RANGES if one.key in NAMES]
MEMBERS = {f"{archive}/{name}": expected.SHA256[name] for archive in ARCHIVES for name in NAMES}


def tar() -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as file:
        for name in NAMES:
            file.add(TREE / name, name)
    return archive.getvalue()


def stored_zip() -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        for name in NAMES:
            file.write(TREE / name, name)
    return archive.getvalue()
