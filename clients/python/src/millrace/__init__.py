"""Reads many samples of a Millrace in one request.

Client.get_batch asks for objects, members of archives, ranges of either and whole samples, Client.head_batch for sizes
and ETags alone, BatchDataset reads for PyTorch, WindowShuffle is an order that caches like, and millrace.wds opens
shards for WebDataset. Nothing here needs more than Python's own library.
"""

from millrace.client import BatchError, Client, Head, ItemError, MillraceError, ResponseError, UsageError
from millrace.dataset import BatchDataset, shard_sizes
from millrace.shuffle import WindowShuffle, window_shuffle

__all__ = ["BatchDataset", "BatchError", "Client", "Head", "ItemError", "MillraceError", "ResponseError"]
__all__ += ["UsageError", "WindowShuffle", "shard_sizes", "window_shuffle"]
__version__ = "0.1.0-SNAPSHOT"
