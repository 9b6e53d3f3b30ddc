"""s3torchconnector's client (the AWS CRT) saves and loads checkpoints, as S3Checkpoint does through it: written as a stream of
pieces, read at once, saved over, renamed and deleted.

S3Checkpoint itself needs PyTorch: gigabytes, and nothing of it is on the wire.
"""

import os

import expected
from expected import BUCKET, same, same_bytes

# Read by the CRT when it is loaded.
os.environ |= {"AWS_ACCESS_KEY_ID": expected.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": expected.SECRET_KEY}
from s3torchconnectorclient._mountpoint_s3_client import MountpointS3Client, S3Exception  # noqa: E402

MIB = 1024 * 1024
LARGE = expected.FOLDER / "tree/sizes/large/20MiB+1"


def main() -> None:
    s3 = MountpointS3Client(
        expected.REGION, endpoint=expected.ENDPOINT, force_path_style=True, part_size=5 * MIB, max_attempts=1
    )
    content = LARGE.read_bytes()
    for size in (0, 1, 5 * MIB, 100, len(content)):
        save(s3, "checkpoints/step-1.ckpt", content[:size])
        same("size", s3.head_object(BUCKET, "checkpoints/step-1.ckpt").size, size)
        same("loaded", load(s3, "checkpoints/step-1.ckpt") == content[:size], True)
    for key, digest in expected.SHA256.items():
        if key.startswith(("names/", "sizes/")):
            save(s3, f"tree/{key}", (expected.FOLDER / "tree" / key).read_bytes())
            same_bytes(key, load(s3, f"tree/{key}"), digest)
    wanted = [f"tree/{key}" for key in expected.KEYS if key.startswith("names/")]
    same("listing", [one.key for page in s3.list_objects(BUCKET, "tree/names/", max_keys=expected.PAGE) for one in page.object_info], wanted)
    # A rename, as writers of distributed checkpoints do it. Of a plain name: the CRT asks for a copy's source with what it
    # should escape as it stands, which is signed wrongly for every server.
    s3.copy_object(BUCKET, "checkpoints/step-1.ckpt", BUCKET, "checkpoints/renamed ä+%")
    s3.delete_object(BUCKET, "checkpoints/step-1.ckpt")
    same("renamed", load(s3, "checkpoints/renamed ä+%") == content, True)
    try:
        load(s3, "checkpoints/step-1.ckpt")
    except S3Exception:
        return
    raise SystemExit("what was renamed is still there")


def save(s3, key: str, content: bytes) -> None:
    stream = s3.put_object(BUCKET, key)
    for at in range(0, len(content), MIB):
        stream.write(content[at : at + MIB])
    stream.close()


def load(s3, key: str) -> bytes:
    return b"".join(s3.get_object(BUCKET, key))


main()
