"""Reads the scripted Hub's repositories through Millrace with huggingface_hub, and one of them as a bucket with boto3.

reads.py FOLDER S3_ENDPOINT: HF_ENDPOINT is Millrace's Hub port; the files are compared with those below FOLDER/repositories.
"""

import concurrent.futures
import pathlib
import sys
import tempfile

import boto3
import botocore.config
import huggingface_hub
from huggingface_hub import HfApi, hf_hub_download, snapshot_download
from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

folder = pathlib.Path(sys.argv[1])
COMMIT = "c0ffee" + "0" * 34


def compare(kind, name, copy):
    original = folder / "repositories" / kind / name
    names = sorted(str(path.relative_to(original)) for path in original.rglob("*") if path.is_file())
    assert names, original
    for path in names:
        assert (pathlib.Path(copy) / path).read_bytes() == (original / path).read_bytes(), path
    return len(names)


def bytes_of_large_files():
    lines = (folder / "requests.log").read_text().splitlines()
    return sum(int(line.split()[-1]) for line in lines if line.startswith("storage sends "))


def fails(error, call):
    try:
        call()
    except error as failure:
        return failure
    raise AssertionError(f"no {error.__name__}")


def gated(path, token=None):
    """Reads a file of the gated repository, with no cache of the client's own."""
    with tempfile.TemporaryDirectory() as cache:
        file = hf_hub_download("org/gated", path, token=token, cache_dir=cache)
        assert pathlib.Path(file).read_bytes() == (folder / "repositories/models/org/gated" / path).read_bytes(), path


def pod(number):
    with tempfile.TemporaryDirectory() as cache:
        copy = snapshot_download("org/tiny", cache_dir=cache)
        assert pathlib.Path(copy).name == COMMIT, copy
        return compare("models", "org/tiny", copy)


print("huggingface_hub", huggingface_hub.__version__)
with concurrent.futures.ThreadPoolExecutor(8) as pods:
    print("snapshot_download, 8 at a time:", set(pods.map(pod, range(8))), "files each")
pulled = bytes_of_large_files()
size = (folder / "repositories/models/org/tiny/model.bin").stat().st_size
print("bytes of the large file pulled from its server:", pulled, "of", size)
assert pulled == size, "each byte of the model's one large file is pulled once for all"

with tempfile.TemporaryDirectory() as cache:
    compare("datasets", "org/rows", snapshot_download("org/rows", repo_type="dataset", cache_dir=cache))
    print("snapshot_download of a data set")
    file = hf_hub_download("org/tiny", "model.bin", cache_dir=cache)
    assert pathlib.Path(file).read_bytes() == (folder / "repositories/models/org/tiny/model.bin").read_bytes()
    file = hf_hub_download("org/tiny", "config.json", revision=COMMIT, cache_dir=cache)
    print("hf_hub_download of a branch and of a commit")
    fails(EntryNotFoundError, lambda: hf_hub_download("org/tiny", "none.json", cache_dir=cache))
    fails(RevisionNotFoundError, lambda: hf_hub_download("org/tiny", "config.json", revision="none", cache_dir=cache))
    fails(RepositoryNotFoundError, lambda: HfApi().model_info("org/none"))
    print("a file, a revision and a repository that do not exist")

for path in "config.json", "model.bin":
    fails(GatedRepoError, lambda: gated(path))
    fails(GatedRepoError, lambda: gated(path, "hf_other"))
    gated(path, "hf_granted")
    fails(GatedRepoError, lambda: gated(path))
    fails(GatedRepoError, lambda: gated(path, "hf_other"))
print("files of a gated repository with the token that may, and neither before nor after without it or with another")

api = HfApi()
assert api.model_info("org/tiny").sha == COMMIT
tree = {entry.path: entry for entry in api.list_repo_tree("org/tiny", recursive=True)}
assert set(tree) == {"config.json", "model.bin", "tokenizer/vocab.txt", "README.md"}, tree
assert tree["model.bin"].lfs.size == (folder / "repositories/models/org/tiny/model.bin").stat().st_size
assert all(entry.xet_hash is None for entry in tree.values())
print("model_info, list_repo_tree")

s3 = boto3.client(
    "s3", endpoint_url=sys.argv[2], aws_access_key_id="READER", aws_secret_access_key="reader-secret", region_name="us-east-1",
    config=botocore.config.Config(s3={"addressing_style": "path"}))
pulled = bytes_of_large_files()
keys = [entry["Key"] for entry in s3.list_objects_v2(Bucket="tiny")["Contents"]]
assert keys == sorted(tree), keys
for key in keys:
    body = s3.get_object(Bucket="tiny", Key=key)["Body"].read()
    assert body == (folder / "repositories/models/org/tiny" / key).read_bytes(), key
print("the same files as an S3 bucket")
assert bytes_of_large_files() - pulled <= size, "the bucket, whose keys have another revision, pulls it once more at most"
