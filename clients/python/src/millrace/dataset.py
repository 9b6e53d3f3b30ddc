"""A data set for PyTorch, which needs nothing of PyTorch."""

import itertools
import re

_ARCHIVE = re.compile(r".*?\.(?:tar|zip)(?=/)")


class BatchDataset:
    """A map-style data set that reads a batch by one request: DataLoader calls __getitems__ with all its numbers.

    A sample is the bytes of its item, or what transform(item, bytes) makes of them. Workers have it by fork or pickled,
    and each opens a connection of its own.
    """

    def __init__(self, client, bucket, items, *, transform=None, missing="raise"):
        """items and missing are those of Client.get_batch."""
        self.client = client
        self.bucket = bucket
        self.items = items
        self.transform = transform
        self.missing = missing

    def __len__(self):
        return len(self.items)

    def __getitem__(self, number):
        return self.__getitems__([number])[0]

    def __getitems__(self, numbers):
        """Returns the samples with these numbers, in this order."""
        items = [self.items[number] for number in numbers]
        contents = self.client.get_batch(self.bucket, items, missing=self.missing)
        if self.transform is None:
            return contents
        return [self.transform(item, content) for item, content in zip(items, contents)]


def shard_of(item):
    """Returns the archive that an item is in, or the folder of an object in none."""
    if isinstance(item, dict):
        if item.get("archpath"):
            return item["objname"]
        item = item["objname"]
    elif not isinstance(item, str):
        return item[0]
    archive = _ARCHIVE.match(item)
    return archive.group() if archive else item.rpartition("/")[0]


def shard_sizes(items, shard=shard_of):
    """Returns how many items in a row are of one shard, for window_shuffle."""
    return [sum(1 for _ in run) for _, run in itertools.groupby(items, shard)]
