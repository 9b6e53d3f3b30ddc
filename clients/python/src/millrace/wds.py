"""Shards for WebDataset: mill://BUCKET/KEY, a key with + % ? # or braces percent-encoded."""

import functools
import importlib
from urllib.parse import unquote, urlsplit

from millrace.client import UsageError


def register(client, worker=None):
    """Makes WebDataset open mill: URLs by this client, in this process.

    Workers that are not forked need it too: DataLoader(worker_init_fn=functools.partial(register, client)), which
    gives each its number.
    """
    # The package has a function of the module's name.
    module = importlib.import_module("webdataset.gopen")
    module.gopen_schemes["mill"] = functools.partial(open_url, client)


def open_url(client, url, mode="rb", bufsize=8192, **_):
    """Opens a mill: URL for reading, as a stream that fails if it breaks and cannot be continued."""
    if mode != "rb":
        raise UsageError(f"{url}: shards are opened to be read")
    parts = urlsplit(url)
    if parts.query or parts.fragment:
        raise UsageError(f"{url}: write ? and # in a key as %3F and %23")
    return client.open(parts.netloc, unquote(parts.path[1:]))
