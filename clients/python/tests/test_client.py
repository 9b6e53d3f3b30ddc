"""A batch is whole and in order, or an error: whatever breaks, is absent, or is not to be had at first."""

import io
import os
import pickle
import threading
import unittest
from http.client import HTTPException, HTTPResponse, IncompleteRead
from unittest import mock

from millrace.client import MOST_ITEMS, BatchError, Client, ItemError, ResponseError
from millrace.tar import BrokenAnswerError, TarStream
from tests.answers import END, Answer, ScriptedClient, entry, whole

KEYS = ["a", "b", "c", "d"]
CONTENTS = [key.encode() for key in KEYS]
BROKEN = IncompleteRead(b"")


def first(count, keys=KEYS):
    """An answer that breaks behind so many of its items, in the middle of the next."""
    body = b"".join(entry(f"data/{key}", key.encode()) for key in keys)
    return Answer(body[: count * 1024 + 700], breaks=BROKEN)


class GetBatchTest(unittest.TestCase):
    """What becomes of the items of a batch."""

    def setUp(self):
        pauses = mock.patch("millrace.client.time.sleep")
        self.sleep = pauses.start()
        self.addCleanup(pauses.stop)

    def test_contents_come_in_the_order_asked(self):
        keys = ["c", "a", "c", "b"]
        self.assertEqual(ScriptedClient(whole).get_batch("data", keys), [b"c", b"a", b"c", b"b"])

    def test_no_items_are_no_request(self):
        self.assertEqual(ScriptedClient().get_batch("data", []), [])

    def test_connection_is_used_again(self):
        client = ScriptedClient(whole, whole)
        client.get_batch("data", KEYS)
        client.get_batch("data", KEYS)
        self.assertEqual(client.connections, 1)

    def test_rest_of_a_broken_answer_is_asked_for_on_another_connection(self):
        client = ScriptedClient(first(2), whole)
        self.assertEqual(client.get_batch("data", KEYS), CONTENTS)
        self.assertEqual(client.asked, [KEYS, ["c", "d"]])
        self.assertEqual(client.connections, 2)

    def test_answer_without_its_end_gives_what_it_has(self):
        client = ScriptedClient(Answer(b"".join(entry(f"data/{key}", key.encode()) for key in KEYS), breaks=BROKEN))
        self.assertEqual(client.get_batch("data", KEYS), CONTENTS)

    def test_shorter_tar_that_ends_well_is_asked_for_again(self):
        client = ScriptedClient(Answer(entry("data/a", b"a") + END), whole)
        self.assertEqual(client.get_batch("data", KEYS), CONTENTS)
        self.assertEqual(client.asked[1], ["b", "c", "d"])

    def test_item_that_breaks_each_answer_is_named(self):
        client = ScriptedClient(first(2), *[first(0, ["c", "d"]) for _ in range(3)], retries=2)
        with self.assertRaisesRegex(BatchError, "3 tries at data/c brought nothing"):
            client.get_batch("data", KEYS)

    def test_progress_renews_the_tries(self):
        client = ScriptedClient(OSError(), first(1), OSError(), first(1, KEYS[1:]), OSError(), whole, retries=1)
        self.assertEqual(client.get_batch("data", KEYS), CONTENTS)

    def test_what_is_not_to_be_had_now_is_asked_for_again(self):
        busy = Answer(entry("data/a", b"a") + entry("data/b", code="SlowDown") + entry("data/c", b"c") + END)
        client = ScriptedClient(busy, Answer(entry("data/b", code="ServiceUnavailable") + END), whole)
        self.assertEqual(client.get_batch("data", KEYS[:3]), CONTENTS[:3])
        self.assertEqual(client.asked[1:], [["b"], ["b"]])

    def test_what_is_never_to_be_had_now_is_an_error_even_if_missing_is_none(self):
        answers = [Answer(entry("data/a", code="SlowDown") + END) for _ in range(3)]
        with self.assertRaisesRegex(BatchError, "data/a brought nothing: SlowDown"):
            ScriptedClient(*answers, retries=2).get_batch("data", ["a"], missing="none")
        self.assertTrue(self.sleep.called)

    def test_absent_items_are_an_error_with_their_codes(self):
        answer = Answer(entry("data/a", b"a") + entry("data/b", code="NoSuchKey") + END)
        with self.assertRaisesRegex(ItemError, "1 of 2 items cannot be had, .* data/b: NoSuchKey") as seen:
            ScriptedClient(answer).get_batch("data", ["a", "b"])
        self.assertEqual(seen.exception.codes, {"data/b": "NoSuchKey"})

    def test_absent_items_are_none_by_choice(self):
        answer = Answer(entry("data/a", b"") + entry("data/b", code="NoSuchKey") + END)
        self.assertEqual(ScriptedClient(answer).get_batch("data", ["a", "b"], missing="none"), [b"", None])

    def test_denied_items_are_never_none(self):
        answer = Answer(entry("data/a", code="AccessDenied") + END)
        with self.assertRaises(ItemError):
            ScriptedClient(answer).get_batch("data", ["a"], missing="none")

    def test_answer_to_another_question_is_not_taken(self):
        for name in ("data/b", "other/a", "__404__/data/a"):
            with self.subTest(name=name), self.assertRaises(BatchError):
                ScriptedClient(Answer(entry(name, b"x") + END), retries=0).get_batch("data", ["a"])

    def test_refused_request_is_not_sent_again(self):
        client = ScriptedClient(ResponseError("no"))
        with self.assertRaises(ResponseError):
            client.get_batch("data", KEYS)
        self.assertEqual(len(client.asked), 1)

    def test_items_are_keys_members_and_dicts(self):
        items = ["k", ("s.tar", "m/n"), {"objname": "o", "bucket": "other", "start": 1, "length": 2}]
        names = ["data/k", "data/s.tar/m/n", "other/o"]
        client = ScriptedClient(Answer(b"".join(entry(name, b"x") for name in names) + END))
        self.assertEqual(client.get_batch("data", items), [b"x"] * 3)

    def test_large_batches_are_several_requests(self):
        for keys in ([f"{number}" for number in range(MOST_ITEMS + 1)], [f"{number}" * 1000 for number in range(2000)]):
            client = ScriptedClient(whole, whole, whole, whole, whole, whole, whole, whole, whole)
            self.assertEqual(client.get_batch("data", keys), [key.encode() for key in keys])
            self.assertGreater(len(client.asked), 1)

    def test_interrupted_batch_leaves_no_answer_for_the_next(self):
        client = ScriptedClient(Answer(b"", breaks=KeyboardInterrupt()), whole)
        with self.assertRaises(KeyboardInterrupt):
            client.get_batch("data", KEYS)
        self.assertEqual(client.get_batch("data", KEYS), CONTENTS)
        self.assertEqual(client.connections, 2)


class ChunkedTest(unittest.TestCase):
    """A chunked body as Python's http.client reads it, piece by piece."""

    TAR = b"".join(entry(f"data/{key}", key.encode() * 300) for key in KEYS) + END

    def read(self, answer):
        socket = mock.Mock()
        socket.makefile.return_value = io.BytesIO(answer)
        response = HTTPResponse(socket, method="POST")
        response.begin()
        tar = TarStream(response.read1)
        found = [tar.entry() for _ in KEYS]
        tar.end()
        self.assertTrue(response.isclosed())
        return found

    def test_each_answer_that_is_cut_is_broken(self):
        chunks = [self.TAR[at : at + 1000] for at in range(0, len(self.TAR), 1000)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.assertEqual(len(self.read(head + body + b"0\r\n\r\n")), len(KEYS))
        for length in [*range(0, len(body), 61), len(body)]:
            with self.subTest(length=length), self.assertRaises((BrokenAnswerError, HTTPException)):
                self.read(head + body[:length])


class WireTest(unittest.TestCase):
    """What is sent by http.client, over one connection while it is kept open."""

    class Socket:
        """A socket whose peer has sent its answers already."""

        def __init__(self, *answers):
            self.answers, self.sent = list(answers), b""

        def sendall(self, content):
            self.sent += content

        def makefile(self, *_):
            return io.BytesIO(self.answers.pop(0))

        def settimeout(self, _):
            pass

        def close(self):
            pass

    def client(self, *sockets, **settings):
        def connect(connection):
            connection.sock = sockets[self.connected]
            self.connected += 1

        self.connected = 0
        connecting = mock.patch("http.client.HTTPConnection.connect", connect)
        connecting.start()
        self.addCleanup(connecting.stop)
        return Client("http://gateway:9080", **settings)

    def answer(self, *keys, head=b""):
        body = b"".join(entry(f"data/{key}", key.encode()) for key in keys) + END
        head = b"HTTP/1.1 200 OK\r\n%sTransfer-Encoding: chunked\r\n\r\n" % head
        return head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)

    def test_batches_are_signed_and_share_a_connection(self):
        socket = self.Socket(self.answer("a", "b"), self.answer("c"))
        client = self.client(socket, credentials=lambda: ("KEY", "SECRET", "TOKEN"))
        self.assertEqual(client.get_batch("data", ["a", "b"]), [b"a", b"b"])
        self.assertEqual(client.get_batch("data", ["c"]), [b"c"])
        requests = socket.sent.decode().split("POST ")[1:]
        self.assertEqual(len(requests), 2)
        head, _, body = requests[0].partition("\r\n\r\n")
        self.assertTrue(head.startswith("/data?batch= HTTP/1.1\r\n"), head)
        self.assertEqual(body, '{"coer":true,"in":[{"objname":"a"},{"objname":"b"}]}')
        self.assertEqual(requests[0].lower().count("\r\nhost: gateway:9080\r\n"), 1)
        signed = "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
        self.assertIn(signed, requests[0])

    def test_connection_that_is_to_be_closed_is_not_used_again(self):
        closing = self.answer("a", head=b"Connection: close\r\n")
        client = self.client(self.Socket(closing), self.Socket(self.answer("b")))
        self.assertEqual(client.get_batch("data", ["a"]) + client.get_batch("data", ["b"]), [b"a", b"b"])
        self.assertEqual(self.connected, 2)

    def test_connection_that_was_closed_meanwhile_is_replaced(self):
        client = self.client(self.Socket(self.answer("a"), b""), self.Socket(self.answer("b")))
        self.assertEqual(client.get_batch("data", ["a"]) + client.get_batch("data", ["b"]), [b"a", b"b"])

    def test_refusal_says_what_is_wrong(self):
        body = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
        answer = b"HTTP/1.1 403 Forbidden\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        with mock.patch.dict(os.environ, clear=True):
            client = self.client(self.Socket(answer))
            with self.assertRaisesRegex(ResponseError, "403 AccessDenied: Access Denied .without credentials.") as seen:
                client.get_batch("data", ["a"])
        self.assertEqual((seen.exception.status, seen.exception.code), (403, "AccessDenied"))

    def test_busy_gateway_is_asked_again(self):
        answer = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n"
        client = self.client(self.Socket(answer), self.Socket(self.answer("a")))
        self.assertEqual(client.get_batch("data", ["a"]), [b"a"])


class ProcessesTest(unittest.TestCase):
    """Nobody speaks on the connection of another thread or process."""

    def test_forked_process_has_its_own_connection(self):
        client = ScriptedClient(whole, whole)
        client.get_batch("data", KEYS)
        with mock.patch("millrace.client.os.getpid", return_value=os.getpid() + 1):
            client.get_batch("data", KEYS)
        self.assertEqual(client.connections, 2)

    def test_thread_has_its_own_connection(self):
        client = ScriptedClient(whole, whole)
        client.get_batch("data", KEYS)
        thread = threading.Thread(target=client.get_batch, args=("data", KEYS))
        thread.start()
        thread.join()
        self.assertEqual(client.connections, 2)

    def test_client_is_pickled_without_its_connection(self):
        client = Client("http://127.0.0.1:1", credentials=("K", "S"), retries=3)
        client._held.connection = threading.Lock()
        again = pickle.loads(pickle.dumps(client))
        self.assertIsNone(again._held.connection)
        self.assertEqual((again.retries, again.endpoint), (3, "http://127.0.0.1:1"))

    def test_error_survives_a_worker(self):
        # PyTorch makes it anew of its message; pools pickle it.
        self.assertEqual(str(ItemError("all")), "all")
        error = ItemError("one")
        error.codes = {"data/a": "NoSuchKey"}
        self.assertEqual(pickle.loads(pickle.dumps(error)).codes, error.codes)


class SettingsTest(unittest.TestCase):
    """Settings that cannot work are refused at once."""

    @mock.patch.dict(os.environ, clear=True)
    def test_endpoint_is_a_server(self):
        for endpoint in ("", "127.0.0.1:9080", "s3://bucket", "http://host:9080/path", "http://key:secret@host"):
            with self.subTest(endpoint=endpoint), self.assertRaises(ValueError):
                Client(endpoint)

    def test_missing_is_one_of_two(self):
        with self.assertRaises(ValueError):
            ScriptedClient().get_batch("data", ["a"], missing="None")


class ObjectTest(unittest.TestCase):
    """An object as a stream is whole, or an error."""

    class Part:
        """An answer that has a part of an object."""

        status = 206

        def __init__(self, body, length=None, tag='"1"'):
            self.body, self.length, self.tag = body, length, tag

        def getheader(self, _):
            return self.tag

        def readinto(self, buffer):
            found, self.body = self.body[: len(buffer)], self.body[len(buffer) :]
            buffer[: len(found)] = found
            return len(found)

    def test_object_that_breaks_is_continued_if_it_is_the_same(self):
        client = ScriptedClient(self.Part(b"abc", 6), self.Part(b"def"))
        with client.open("data", "k") as stream:
            self.assertEqual(stream.read(), b"abcdef")
        self.assertEqual(client.asked, [("k", {}), ("k", {"range": "bytes=3-", "if-match": '"1"'})])

    def test_object_that_keeps_breaking_is_an_error(self):
        client = ScriptedClient(self.Part(b"abc", 6), self.Part(b""), retries=1)
        with client.open("data", "k") as stream, self.assertRaisesRegex(BatchError, "data/k at byte 3"):
            stream.read()

    def test_empty_object_is_empty(self):
        with ScriptedClient(self.Part(b"", 0)).open("data", "k") as stream:
            self.assertEqual(stream.read(), b"")

    def test_refusal_is_told_at_once(self):
        with self.assertRaises(ResponseError):
            ScriptedClient(ResponseError("NoSuchKey")).open("data", "k")


