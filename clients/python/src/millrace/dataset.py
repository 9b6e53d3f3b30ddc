"""A data set for PyTorch, which needs nothing of PyTorch."""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from millrace.client import Client, Item, fields_of

_ARCHIVE = re.compile(r".*?\.(?:tar|zip)(?=/)")


class BatchDataset:
    """A map-style data set that reads a batch by one request: DataLoader calls __getitems__ with all its numbers.

    A sample is what Client.get_batch has of its item, or what transform(item, content) makes of that. Workers have the
    data set by fork or pickled, and each opens a connection of its own.
    """

    def __init__(
        self,
        client: Client,
        bucket: str,
        items: Sequence[Item],
        *,
        transform: Callable[[Any, Any], Any] | None = None,
        missing: str = "raise",
    ) -> None:
        """items and missing are those of Client.get_batch."""
        self.client = client
        self.bucket = bucket
        self.items = items
        self.transform = transform
        self.missing = missing

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, number: Any) -> Any:
        """Returns a sample, or by one call the samples of a slice."""
        if isinstance(number, slice):
            return self.__getitems__(range(len(self.items))[number])
        return self.__getitems__([number])[0]

    def __getitems__(self, numbers: Iterable[int]) -> list[Any]:
        """Returns the samples with these numbers, in this order."""
        items = [self.items[number] for number in numbers]
        contents = self.client.get_batch(self.bucket, items, missing=self.missing)
        if self.transform is None:
            return contents
        return [self.transform(item, content) for item, content in zip(items, contents)]


def shard_of(item: Item) -> str:
    """Returns the archive that an item is in, or the folder of an object in none."""
    fields = fields_of(item)
    key = fields["objname"]
    if "archpath" in fields or "sample" in fields:
        return key
    archive = _ARCHIVE.match(key)
    return archive.group() if archive else key.rpartition("/")[0]


def shard_sizes(items: Iterable[Item], shard: Callable[[Any], Any] = shard_of) -> list[int]:
    """Returns how many items in a row are of one shard, for window_shuffle."""
    return [sum(1 for _ in run) for _, run in itertools.groupby(items, shard)]
