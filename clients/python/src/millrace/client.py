"""A client of one Millrace: batches, and objects as streams."""

import io
import json
import operator
import os
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from millrace.signing import sign
from millrace.tar import BrokenAnswerError, TarStream

# The bounds of a request: docs/samples.md.
MOST_ITEMS = 4096
MOST_BYTES = (1 << 20) - 64
_MISSING = b"__404__/"
_MEMBERS, _SIZE, _TAG = b"MILLRACE.members", b"MILLRACE.size", b"MILLRACE.etag"
_ABSENT = "NoSuchKey"
_BUSY = {429, 500, 502, 503, 504}
_NOT_NOW = {"BadGateway", "GatewayTimeout", "InternalError", "ServiceUnavailable", "SlowDown"}
_LONGEST_PAUSE = 5.0
_MOST_TO_CONNECT = 10.0
# The other fields of an item: the gateway does nothing with them.
_IGNORED = {"provider", "opaque"}

Item = str | Sequence[str] | dict[str, Any]
Credentials = Sequence[str | None]


class MillraceError(Exception):
    """An answer that is not what was asked for."""


class UsageError(MillraceError, ValueError):
    """A setting, an argument or an item that cannot work, told before anything is asked for."""


class ResponseError(MillraceError):
    """A request that was refused; code is that of S3."""

    # Only the message is an argument: PyTorch makes a worker's error anew from it alone.
    status: int = 0
    code: str = ""


class BusyError(ResponseError):
    """A request that may succeed if it is sent again."""


class BatchError(MillraceError):
    """A batch that was not had whole, also after further tries."""


class ItemError(BatchError):
    """Items of a batch that cannot be had; code is that of S3 for the first, codes has all by BUCKET/KEY."""

    code: str = ""
    codes: dict[str, str] = {}


class Head(NamedTuple):
    """What a HEAD tells: the size of an object in bytes, and its ETag as it is in a header, if it has one."""

    size: int
    etag: str | None


# What further tries may mend.
_PASSING = (OSError, HTTPException, BrokenAnswerError, BusyError)


class _Held(threading.local):
    """The connection of one thread, and the process that has opened it."""

    process = 0
    connection = None


class Client:
    """A client of the gateway at one endpoint, for any number of threads and processes.

    It keeps one connection for each thread. A process that was forked opens its own, as does who has it pickled.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        *,
        credentials: Credentials | Callable[[], Credentials | None] | None = None,
        region: str | None = None,
        timeout: float = 60.0,
        patience: float = 60.0,
        cafile: str | None = None,
    ) -> None:
        """endpoint is http://HOST:PORT or https://HOST:PORT, else that of AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL.

        credentials are (access key, secret key), with a session token as the third if there is one, or a function
        that returns such for each request; else those of AWS_ACCESS_KEY_ID and its like, and without any, requests are
        not signed. timeout is for how many seconds nothing may come of an answer, patience for how many seconds after
        a failure further tries begin while none brings anything. cafile has the authorities for TLS, else that of
        AWS_CA_BUNDLE.
        """
        environment = os.environ
        endpoint = endpoint or environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or ""
        try:
            parts = urlsplit(endpoint)
            # Its port is read when it is asked for, and not before.
            is_server = parts.port != 0 and parts.hostname and not parts.path.strip("/") and not parts.username
        except ValueError:
            is_server = False
        if not is_server or parts.scheme not in ("http", "https"):
            raise UsageError(f"the endpoint is to be http://HOST:PORT or https://HOST:PORT, and is {endpoint!r}")
        self.endpoint = f"{parts.scheme}://{parts.netloc}"
        self.region = region or environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1"
        self.timeout = timeout
        self.patience = patience
        self._credentials = credentials if callable(credentials) else _checked(credentials)
        self._authorities = cafile or environment.get("AWS_CA_BUNDLE")
        self.__setstate__({})

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_held", "_context")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._held = _Held()
        is_secure = self.endpoint.startswith("https:")
        self._context = ssl.create_default_context(cafile=self._authorities) if is_secure else None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that it keeps; whoever uses it again opens others."""
        if self._held.connection is not None:
            self._held.connection.close()
        # Those of other threads end with what holds them, and not before an answer that is being read.
        self._held = _Held()

    def get_batch(self, bucket: str, items: Iterable[Item], *, missing: str = "raise") -> list[Any]:
        """Returns the bytes of all items in their order, by one request for up to 4,096 of them.

        An item is a key, (key of an archive, name of a member), or a dict with objname and, as needed, archpath or
        sample, bucket, start and length. Of a sample it returns a dict with the bytes of its members, by what their
        names have behind that of the sample and the dot, in the order of the archive. What is not to be had just now,
        or is missing of an answer that broke, is asked for again. missing="none" gives None for items that do not
        exist; whatever else cannot be had is an ItemError.
        """
        if missing not in ("raise", "none"):
            raise UsageError(f'missing is "raise" or "none", and is {missing!r}')
        return self._batch(bucket, items, missing == "none", wants_heads=False)

    def head_batch(self, bucket: str, items: Iterable[Item]) -> list[Any]:
        """Returns a Head of each item in their order, without their bytes, and None for those that do not exist.

        Items are those of get_batch, without start and length; of a sample it is a dict with the Heads of its members.
        Whatever else cannot be had is an ItemError.
        """
        return self._batch(bucket, items, True, wants_heads=True)

    def _batch(self, bucket, items, absent_is_none, wants_heads):
        _check_bucket(bucket)
        wanted = [_Wanted(bucket, item, wants_heads) for item in items]
        for part in _requests(wanted):
            self._fetch(bucket, part)
        failed = [one for one in wanted if one.content is None and not (absent_is_none and one.code == _ABSENT)]
        if failed:
            shown = ", ".join(f"{one.shown()}: {one.code}" for one in failed[:3])
            message = f"{len(failed)} of {len(wanted)} items cannot be had, the first of them {shown}"
            raise _item_error(message, failed)
        return [one.content for one in wanted]

    def open(self, bucket: str, key: str) -> io.BufferedReader:
        """Opens an object for reading, on a connection of its own; one that breaks is replaced, at the same byte."""
        _check_bucket(bucket)
        if not _is_text(key):
            raise UsageError(f"the key of an object is to be a text that is not empty, and is {key!r}")
        return io.BufferedReader(_ObjectStream(self, bucket, key), 1 << 18)

    def _fetch(self, bucket, waiting):
        tries = _Tries(self.patience)
        while waiting:
            problem = None
            try:
                self._read(bucket, waiting)
            except _PASSING as failure:
                problem = failure
            left = [one for one in waiting if one.is_open()]
            if len(left) < len(waiting):
                # Each item that came renews the patience for the others.
                tries.renew()
            elif not tries.again():
                if problem is None:
                    message = tries.message(left[0].shown(), f"{left[0].code} for {len(left)} items")
                    raise _item_error(message, left)
                raise tries.error(left[0].shown(), problem) from problem
            waiting = left

    def _read(self, bucket, wanted):
        want = b'"want":"head",' if wanted[0].wants_head else b""
        body = b'{"coer":true,' + want + b'"in":[' + b",".join(one.json for one in wanted) + b"]}"
        connection = self._connection()
        try:
            answer = self._send(connection, "POST", bucket, query="batch=", body=body)
            tar = TarStream(answer.read1)
            for one in wanted:
                one.take(tar)
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
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            # Whoever stops just now closes connections as well.
            raise
        except ssl.SSLError as failure:
            # One of those that are tried again, in vain.
            is_stranger = isinstance(failure, ssl.SSLCertVerificationError)
            hint = "cafile or AWS_CA_BUNDLE names the authority" if is_stranger else "a port without TLS takes http://"
            raise MillraceError(f"{self.endpoint}: {failure}; {hint}") from failure
        connection.sock.settimeout(self.timeout)
        return connection

    def _send(self, connection, method, bucket, key="", query="", headers=None, body=b""):
        path = quote(f"/{bucket}/{key}" if key else f"/{bucket}", safe="/~")
        host = urlsplit(self.endpoint).netloc
        given = self._credentials
        credentials = _checked(given()) if callable(given) else given or _of_environment()
        signed = sign(method, host, path, query, headers or {}, body, credentials, self.region)
        connection.request(method, f"{path}?{query}" if query else path, body or None, signed)
        answer = connection.getresponse()
        if answer.status in (200, 206):
            return answer
        text = answer.read(1 << 16).decode("utf-8", "replace")
        connection.close()
        code, message = (re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL) for tag in ("Code", "Message"))
        error = (BusyError if answer.status in _BUSY else ResponseError)(
            f"{method} {self.endpoint}{path}: {answer.status} {code.group(1) if code else answer.reason}"
            f"{': ' + message.group(1) if message else ''}{'' if credentials else ' (without credentials)'}"
        )
        error.status, error.code = answer.status, code.group(1) if code else ""
        raise error


class _Wanted:
    """An item of a batch, and what has become of it."""

    __slots__ = ("json", "name", "is_sample", "wants_head", "content", "code")

    def __init__(self, bucket, item, wants_head):
        fields = fields_of(item)
        if wants_head and ("start" in fields or "length" in fields):
            raise UsageError(f"{repr(item)[:200]} has a range, and a head is that of all")
        self.json = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
        self.is_sample = "sample" in fields
        self.wants_head = wants_head
        name = "/".join(fields[part] for part in ("objname", "archpath", "sample") if part in fields)
        # No tar has a NUL in a name, nor a file with a slash at the end of its own: the gateway writes these.
        name = f"{fields.get('bucket', bucket)}/{name}".replace("\0", "_")
        self.name = (name[:-1] + "_" if name.endswith("/") else name).encode()
        self.content = None
        self.code = None

    def is_open(self):
        return self.content is None and (self.code is None or self.code in _NOT_NOW)

    def take(self, tar):
        """Takes its entry from the tar, or all of its entries if it is a sample."""
        name, code, content = tar.entry()
        if self.is_sample and _MEMBERS in tar.records:
            self._take_members(tar, _number(tar.records, _MEMBERS), name, code, content)
        elif name != (self.name if code is None else _MISSING + self.name) or (self.is_sample and not code):
            raise self._wrong(name)
        else:
            self.code, self.content = (code, None) if code else (None, self._value(tar, content))

    def _take_members(self, tar, count, name, code, content):
        members, codes = {}, []
        for number in range(count):
            if number:
                name, code, content = tar.entry()
            own = name.removeprefix(_MISSING) if code else name
            # A file without a dot is a sample of its own.
            is_alone = count == 1 and own == self.name
            if not is_alone and not own.startswith(self.name + b"."):
                raise self._wrong(name)
            part = own[len(self.name) + 1 :].decode("utf-8", "replace")
            if part in members:
                raise self._wrong(name)
            members[part] = None if code else self._value(tar, content)
            codes += [code] if code else []
        if not members:
            raise self._wrong(name)
        # That of a member which no further try brings counts before that of one which is not to be had now.
        self.code = min(codes, key=_NOT_NOW.__contains__, default=None)
        self.content = members if self.code is None else None

    def _value(self, tar, content):
        if not self.wants_head:
            return content
        tag = tar.records.get(_TAG)
        return Head(_number(tar.records, _SIZE), None if tag is None else tag.decode("utf-8", "replace"))

    def _wrong(self, name):
        return BrokenAnswerError(f"the answer has {name[:200]!r} where {self.name!r} is due")

    def shown(self):
        return self.name.decode()


class _Tries:
    """The tries in a row that brought nothing, which go on for a time."""

    def __init__(self, patience):
        self._patience = patience
        self.renew()

    def renew(self):
        self._count, self._since = 0, 0.0

    def again(self):
        """Counts one more; returns after a pause that another is due, or at once that the time is over."""
        now = time.monotonic()
        if self._count == 0:
            self._since = now
        self._count += 1
        left = self._since + self._patience - now
        if left <= 0:
            return False
        # Not before the first try again: a connection that was idle may just have been closed.
        if self._count > 1:
            time.sleep(min(left, _LONGEST_PAUSE, 0.1 * 2 ** min(self._count, 6)))
        return True

    def error(self, where, problem):
        # The own errors say all in their messages.
        is_own = isinstance(problem, (MillraceError, BrokenAnswerError))
        return BatchError(self.message(where, problem if is_own else f"{type(problem).__name__}: {problem}"))

    def message(self, where, reason):
        tried = f"{self._count} tries at {where} brought nothing"
        return f"{tried}: {reason} (patience is {self._patience:g} s)"


def _item_error(message, failed):
    error = ItemError(message)
    error.code = failed[0].code
    error.codes = {one.shown(): one.code for one in failed}
    return error


def _number(records, key):
    try:
        return int(records[key])
    except (KeyError, ValueError) as failure:
        raise BrokenAnswerError(f"the answer has no number as {key.decode()}") from failure


def fields_of(item):
    """Returns the fields of an item, however it is written, without those that are None or empty."""
    try:
        if isinstance(item, str):
            given = {"objname": item}
        elif isinstance(item, dict):
            given = {name: value for name, value in item.items() if name not in _IGNORED and value is not None}
        else:
            archive, member = item
            if not member:
                raise ValueError("the name of the member is empty")
            given = {"objname": archive, "archpath": member}
        fields = {name: _FIELDS[name](value) for name, value in given.items() if value != ""}
    except KeyError as unknown:
        fault = f"{unknown} is no field of one"
    except (TypeError, ValueError) as wrong:
        fault = str(wrong)
    else:
        is_member = "archpath" in fields or "start" in fields or "length" in fields
        if "objname" in fields and not ("sample" in fields and is_member):
            return fields
        fault = "it has more than a sample" if "objname" in fields else "it names no object"
    kinds = "a key, (key of an archive, name of a member), or a dict with objname"
    raise UsageError(f"{repr(item)[:200]} is no item: {fault}; an item is {kinds}")


def _text(value):
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    # Fails if it is not Unicode.
    value.encode()
    return value


def _is_text(value):
    try:
        return bool(_text(value))
    except (TypeError, ValueError):
        return False


def _count_of_bytes(value):
    # Also numbers of NumPy, which are none to JSON.
    count = operator.index(value)
    if count < 0:
        raise ValueError(f"{count} is no number of bytes")
    return count


_FIELDS = {"objname": _text, "archpath": _text, "sample": _text, "bucket": _text}
_FIELDS |= {"start": _count_of_bytes, "length": _count_of_bytes}


def _check_bucket(bucket):
    if not _is_text(bucket) or "/" in bucket:
        raise UsageError(f"the bucket is to be a name, and is {bucket!r}")


def _checked(credentials):
    if credentials is None:
        return None
    # botocore's have the account as a fourth.
    is_tuple = isinstance(credentials, (tuple, list)) and len(credentials) >= 2
    if not is_tuple or not all(part and isinstance(part, str) for part in credentials[:2]):
        raise UsageError("credentials are (access key, secret key) or (access key, secret key, session token)")
    return credentials


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
        tries = _Tries(self._client.patience)
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
                if not tries.again():
                    raise tries.error(f"{self._bucket}/{self._key} at byte {self._at}", problem) from problem
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
