"""Contents that follow from a title and a size, so that whoever reads an object can tell whether its bytes are right."""
import random
import zlib

# Text, so that deflate has something to do.
POOL = random.Random(51).randbytes(1 << 20).hex().encode()


def content(title, size):
    """The bytes of this title and size: a line that tells them, and a part of the pool."""
    head = f"{title} {size}\n".encode()[:size]
    rest = size - len(head)
    if rest >= len(POOL):
        return head + (POOL * (rest // len(POOL) + 1))[:rest]
    at = zlib.crc32(head) % (len(POOL) - rest)
    return head + POOL[at:at + rest]
