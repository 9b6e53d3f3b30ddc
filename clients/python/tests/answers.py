"""Answers to batches, written by tarfile, and a client that is given them instead of a gateway's."""

import io
import json
import tarfile

from millrace.client import Client


def entry(name, content=b"", code=None, **records):
    """The blocks of one item, as BatchTar of the gateway writes them."""
    info = tarfile.TarInfo(name if code is None else f"__404__/{name}")
    info.size = len(content)
    if code:
        records["code"] = code
    info.pax_headers = {f"MILLRACE.{key}": str(value) for key, value in records.items()}
    header = info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")
    return header + content + bytes(-len(content) % 512)


END = bytes(1024)


class Answer:
    """A response whose body comes in pieces of some size, and may break instead of ending."""

    def __init__(self, body, piece=1 << 16, breaks=None):
        self.body, self.piece, self.breaks = io.BytesIO(body), piece, breaks

    def read1(self, count):
        found = self.body.read(min(count, self.piece))
        if not found and self.breaks:
            raise self.breaks
        return found


class Connection:
    """A connection that only tells whether it is open."""

    def __init__(self):
        self.sock = object()

    def close(self):
        self.sock = None


class Clock:
    """A time that passes by pauses alone: what millrace.client needs of the module."""

    def __init__(self):
        self.now = 0.0
        self.pauses = []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds


class ScriptedClient(Client):
    """A client whose answers are those of a list: responses, failures, or functions of the keys asked for."""

    def __init__(self, *answers, **settings):
        super().__init__("http://127.0.0.1:1", **settings)
        self.answers = list(answers)
        self.asked = []
        self.connections = 0

    def _connect(self):
        self.connections += 1
        return Connection()

    def _send(self, connection, method, bucket, key="", query="", headers=None, body=b""):
        assert connection.sock, "a closed connection is used"
        self.asked.append([item["objname"] for item in json.loads(body)["in"]] if body else (key, headers))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(self.asked[-1]) if callable(answer) else answer


def whole(keys, **settings):
    """An answer that has all keys, each with its own name as the content."""
    return Answer(b"".join(entry(f"data/{key}", key.encode()) for key in keys) + END, **settings)
