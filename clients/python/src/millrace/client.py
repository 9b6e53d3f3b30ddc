"""A client of one Millrace: batches, and objects as streams."""

import io
import json
import os
import re
import ssl
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, urlsplit

from millrace.signing import sign
from millrace.tar import BrokenAnswerError, TarStream

# The bounds of a request: docs/samples.md.
MOST_ITEMS = 4096
MOST_BYTES = (1 << 20) - 64
_MISSING = b"__404__/"
_ABSENT = "NoSuchKey"
_BUSY = {429, 500, 502, 503, 504}
_NOT_NOW = {"BadGateway", "GatewayTimeout", "InternalError", "ServiceUnavailable", "SlowDown"}
_LONGEST_PAUSE = 5.0
_MOST_TO_CONNECT = 10.0


class MillraceError(Exception):
    """An answer that is not what was asked for."""


class ResponseError(MillraceError):
    """A request that was refused; code is that of S3."""

    # Only the message is an argument: PyTorch makes a worker's error anew from it alone.
    status = 0
    code = ""


class _BusyError(ResponseError):
    """A request that may succeed if it is sent again."""


class BatchError(MillraceError):
    """A batch that was not had whole, also after further tries."""


class ItemError(MillraceError):
    """Items of a batch that cannot be had; codes has those of S3 by BUCKET/KEY."""

    codes = {}


# What further tries may mend.
_PASSING = (OSError, HTTPException, BrokenAnswerError, _BusyError)


class _Held(threading.local):
    """The connection of one thread, and the process that has opened it."""

    process = 0
    connection = None


class Client:
    """A client of the gateway at one endpoint, for any number of threads and processes.

    It keeps one connection for each thread. A process that was forked opens its own, as does who has it pickled.
    """

    def __init__(self, endpoint=None, *, credentials=None, region=None, timeout=60.0, retries=6, cafile=None):
        """endpoint is http://HOST:PORT or https://HOST:PORT, else that of AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL.

        credentials are (access key, secret key), with a session token as the third if there is one, or a function
        that returns such for each request; else those of AWS_ACCESS_KEY_ID and its like, and without any, requests are
        not signed. timeout is for how many seconds nothing may come, retries how many more tries in a row may bring
        nothing. cafile has the authorities for TLS, else that of AWS_CA_BUNDLE.
        """
        environment = os.environ
        endpoint = endpoint or environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or ""
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.username:
            raise ValueError(f"the endpoint is to be http://HOST:PORT or https://HOST:PORT, and is {endpoint!r}")
        self.endpoint = f"{parts.scheme}://{parts.netloc}"
        self.region = region or environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1"
        self.timeout = timeout
        self.retries = retries
        self._credentials = credentials
        self._authorities = cafile or environment.get("AWS_CA_BUNDLE")
        self.__setstate__({})

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_held", "_context")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._held = _Held()
        is_secure = self.endpoint.startswith("https:")
        self._context = ssl.create_default_context(cafile=self._authorities) if is_secure else None

    def get_batch(self, bucket, items, *, missing="raise"):
        """Returns the bytes of all items in their order, by one request for up to 4,096 of them.

        An item is a key, (key of an archive, name of a member), or a dict with objname and, as needed, archpath,
        bucket, start and length. What is not to be had just now, or is missing of an answer that broke, is asked for
        again. missing="none" gives None for items that do not exist; whatever else cannot be had is an ItemError.
        """
        if missing not in ("raise", "none"):
            raise ValueError(f'missing is "raise" or "none", and is {missing!r}')
        wanted = [_Wanted(bucket, item) for item in items]
        for part in _requests(wanted):
            self._fetch(bucket, part)
        failed = [one for one in wanted if one.content is None and not (missing == "none" and one.code == _ABSENT)]
        if failed:
            shown = ", ".join(f"{one.shown()}: {one.code}" for one in failed[:3])
            error = ItemError(f"{len(failed)} of {len(wanted)} items cannot be had, the first of them {shown}")
            error.codes = {one.shown(): one.code for one in failed}
            raise error
        return [one.content for one in wanted]

    def open(self, bucket, key):
        """Opens an object for reading, on a connection of its own; one that breaks is replaced, at the same byte."""
        return io.BufferedReader(_ObjectStream(self, bucket, key), 1 << 18)

    def _fetch(self, bucket, waiting):
        failures = 0
        while waiting:
            problem = None
            try:
                self._read(bucket, waiting)
            except _PASSING as failure:
                problem = failure
            left = [one for one in waiting if one.is_open()]
            # Each item that came renews the tries for the others.
            failures = failures + 1 if len(left) == len(waiting) else 0
            if failures > self.retries:
                reason = f"{type(problem).__name__}: {problem}" if problem else f"{left[0].code} for {len(left)} items"
                raise BatchError(f"{failures} tries at {left[0].shown()} brought nothing: {reason}") from problem
            if left:
                _pause(failures)
            waiting = left

    def _read(self, bucket, wanted):
        body = b'{"coer":true,"in":[' + b",".join(one.json for one in wanted) + b"]}"
        connection = self._connection()
        try:
            answer = self._send(connection, "POST", bucket, query="batch=", body=body)
            tar = TarStream(answer.read1)
            for one in wanted:
                one.take(*tar.entry())
            tar.end()
        except BaseException:
            # What is left of the answer would be taken for the next one.
            connection.close()
            raise

    def _connection(self):
        held = self._held
        if held.process != os.getpid():
            # The socket is the parent's too, who reads from it.
            held.process, held.connection = os.getpid(), self._connect()
        if held.connection.sock is None:
            held.connection = self._connect()
        return held.connection

    def _connect(self):
        parts = urlsplit(self.endpoint)
        secure = {} if self._context is None else {"context": self._context}
        kind = HTTPSConnection if secure else HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=min(_MOST_TO_CONNECT, self.timeout), **secure)
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as failure:
            # One of those that are tried again, in vain.
            raise MillraceError(f"{self.endpoint}: {failure}; cafile or AWS_CA_BUNDLE names the authority") from failure
        connection.sock.settimeout(self.timeout)
        return connection

    def _send(self, connection, method, bucket, key="", query="", headers=None, body=b""):
        path = quote(f"/{bucket}/{key}" if key else f"/{bucket}", safe="/~")
        host = urlsplit(self.endpoint).netloc
        credentials = self._credentials() if callable(self._credentials) else self._credentials or _of_environment()
        signed = sign(method, host, path, query, headers or {}, body, credentials, self.region)
        connection.request(method, f"{path}?{query}" if query else path, body or None, signed)
        answer = connection.getresponse()
        if answer.status in (200, 206):
            return answer
        text = answer.read(1 << 16).decode("utf-8", "replace")
        connection.close()
        code, message = (re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL) for tag in ("Code", "Message"))
        error = (_BusyError if answer.status in _BUSY else ResponseError)(
            f"{method} {self.endpoint}{path}: {answer.status} {code.group(1) if code else answer.reason}"
            f"{': ' + message.group(1) if message else ''}{'' if credentials else ' (without credentials)'}"
        )
        error.status, error.code = answer.status, code.group(1) if code else ""
        raise error


class _Wanted:
    """An item of a batch, and what has become of it."""

    __slots__ = ("json", "name", "content", "code")

    def __init__(self, bucket, item):
        if isinstance(item, str):
            item = {"objname": item}
        elif not isinstance(item, dict):
            archive, member = item
            item = {"objname": archive, "archpath": member}
        self.json = json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode()
        name = "/".join(part for part in (item["objname"], item.get("archpath")) if part)
        # No tar has a NUL in a name.
        self.name = f"{item.get('bucket') or bucket}/{name}".replace("\0", "_").encode()
        self.content = None
        self.code = None

    def is_open(self):
        return self.content is None and (self.code is None or self.code in _NOT_NOW)

    def take(self, name, code, content):
        if name != (self.name if code is None else _MISSING + self.name):
            raise BrokenAnswerError(f"the answer has {name[:200]!r} where {self.name!r} is due")
        self.code, self.content = (code, None) if code else (None, content)

    def shown(self):
        return self.name.decode()


def _requests(wanted):
    part, size = [], 0
    for one in wanted:
        if part and (len(part) == MOST_ITEMS or size + len(one.json) >= MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(one)
        size += len(one.json) + 1
    if part:
        yield part


def _of_environment():
    key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    return (key, secret, os.environ.get("AWS_SESSION_TOKEN")) if key and secret else None


def _pause(failures):
    # Not before the first try again: a connection that was idle may just have been closed.
    if failures > 1:
        time.sleep(min(_LONGEST_PAUSE, 0.1 * 2**failures))


class _ObjectStream(io.RawIOBase):
    """The bytes of an object, over as many connections as it takes."""

    def __init__(self, client, bucket, key):
        self._client, self._bucket, self._key = client, bucket, key
        self._connection = self._answer = self._length = self._tag = None
        self._at = 0
        # Now, so that who opens what is not there is told so.
        self.readinto(bytearray())

    def readable(self):
        return True

    def readinto(self, buffer):
        failures = 0
        while self._length is None or (buffer and self._at < self._length):
            try:
                if self._answer is None:
                    self._request()
                count = self._answer.readinto(buffer) if buffer else 0
                if buffer and not count:
                    raise BrokenAnswerError("the answer ended early")
                self._at += count
                if self._at == self._length:
                    self._drop()
                return count
            except _PASSING as problem:
                self._drop()
                failures += 1
                if failures > self._client.retries:
                    where = f"{self._bucket}/{self._key} at byte {self._at}"
                    raise BatchError(f"{failures} tries at {where} brought nothing: {problem}") from problem
                _pause(failures)
        return 0

    def _request(self):
        is_first = self._length is None
        # Bytes of two versions must not meet.
        headers = {} if is_first else {"range": f"bytes={self._at}-", "if-match": self._tag}
        self._connection = self._client._connect()
        answer = self._client._send(self._connection, "GET", self._bucket, self._key, headers=headers)
        if is_first:
            self._length, self._tag = answer.length, answer.getheader("etag")
            if self._length is None or not self._tag:
                raise MillraceError(f"{self._bucket}/{self._key} has no length or no ETag")
        elif answer.status != 206:
            raise MillraceError(f"{self._bucket}/{self._key}: a range was answered by {answer.status}")
        self._answer = answer

    def _drop(self):
        if self._connection is not None:
            self._connection.close()
        self._answer = self._connection = None

    def close(self):
        if not self.closed:
            self._drop()
        super().close()
