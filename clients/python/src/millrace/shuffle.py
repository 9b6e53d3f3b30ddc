"""An order of samples that is random enough for training, and that caches like: shards, then samples of some shards."""

import itertools
import random
import sys
from collections.abc import Iterable, Iterator, Sequence

from millrace.client import UsageError


def window_shuffle(
    sizes: Sequence[int],
    *,
    window: int = 16,
    seed: int = 0,
    epoch: int = 0,
    rank: int = 0,
    world_size: int = 1,
    worker: int = 0,
    workers: int = 1,
    even: bool = True,
) -> Iterator[int]:
    """Returns an iterator over the numbers of the samples that one worker of one rank reads in an epoch.

    A function of its arguments alone. sizes has the numbers of samples of the shards, in the data set's order. Shards
    are shuffled, for all workers alike. Each worker has a share of that order, and shuffles it, window shards at a
    time. With even, all shares are equal, which ranks that wait for each other need; fewer samples than there are
    workers are left out then, other ones in each epoch.
    """
    part, parts = rank * workers + worker, world_size * workers
    if not (0 <= rank < world_size and 0 <= worker < workers and window > 0):
        raise UsageError(f"no such part: rank {rank} of {world_size}, worker {worker} of {workers}, window {window}")
    order = list(range(len(sizes)))
    random.Random(f"{seed}/{epoch}").shuffle(order)
    own = list(_runs(sizes, order, *_share(sum(sizes), part, parts, even)))
    return _mixed(own, window, random.Random(f"{seed}/{epoch}/{part}/{parts}"))


def _share(total, part, parts, even):
    first = total * part // parts
    return first, first + total // parts if even else total * (part + 1) // parts


def _runs(sizes, order, first, last):
    starts = list(itertools.accumulate(sizes, initial=0))
    at = 0
    for shard in order:
        low, high = max(first, at), min(last, at + sizes[shard])
        if low < high:
            yield range(starts[shard] + low - at, starts[shard] + high - at)
        at += sizes[shard]


def _mixed(runs, window, source):
    for first in range(0, len(runs), window):
        mixed = list(itertools.chain.from_iterable(runs[first : first + window]))
        source.shuffle(mixed)
        yield from mixed


class WindowShuffle:
    """A sampler of PyTorch's DataLoader that shuffles within a window of shards, and gives each rank its share.

    Rank and world size are those of torch.distributed, if the program has set it up by then. Call set_epoch before each
    epoch, as with DistributedSampler: without it all have the same order.
    """

    def __init__(
        self,
        sizes: Iterable[int],
        *,
        window: int = 16,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        even: bool = True,
    ) -> None:
        """sizes are the numbers of samples of each shard in the data set's order: shard_sizes(items)."""
        here, all_of_them = _distributed()
        self.sizes = list(sizes)
        self.rank = here if rank is None else rank
        self.world_size = all_of_them if world_size is None else world_size
        self.settings = {"window": window, "seed": seed, "even": even}
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, on which the order depends."""
        self.epoch = epoch

    def __len__(self) -> int:
        first, last = _share(sum(self.sizes), self.rank, self.world_size, self.settings["even"])
        return last - first

    def __iter__(self) -> Iterator[int]:
        parts = {"rank": self.rank, "world_size": self.world_size}
        return window_shuffle(self.sizes, epoch=self.epoch, **parts, **self.settings)


def _distributed():
    # Who has not imported it does not use it.
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()
