"""A batch is whole and in order, or an error: whatever breaks, is absent, or is not to be had at first."""

import io
import json
import os
import pickle
import ssl
import threading
import unittest
from http.client import HTTPException, HTTPResponse, IncompleteRead
from unittest import mock

from millrace.client import MOST_ITEMS, BatchError, Client, Head, ItemError, MillraceError, ResponseError, UsageError
from millrace.tar import BrokenAnswerError, TarStream
from tests.answers import END, Answer, Clock, ScriptedClient, entry, whole

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
        self.clock = Clock()
        times = mock.patch("millrace.client.time", self.clock)
        times.start()
        self.addCleanup(times.stop)

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
        client = ScriptedClient(first(2), *[first(0, ["c", "d"]) for _ in range(3)], patience=0.25)
        with self.assertRaisesRegex(BatchError, "3 tries at data/c brought nothing: IncompleteRead.* is 0.25 s"):
            client.get_batch("data", KEYS)

    def test_progress_renews_the_patience(self):
        failures = [OSError(), OSError()]
        answers = [*failures, first(1), *failures, first(1, KEYS[1:]), *failures, whole]
        self.assertEqual(ScriptedClient(*answers, patience=0.5).get_batch("data", KEYS), CONTENTS)
        self.assertGreater(self.clock.now, 0.5)

    def test_gateway_that_restarts_is_waited_for(self):
        def restarting(keys):
            client.answers.append(restarting if self.clock.now < 50 else whole)
            raise ConnectionRefusedError

        client = ScriptedClient(restarting)
        self.assertEqual(client.get_batch("data", KEYS), CONTENTS)

    def test_tries_begin_until_the_patience_is_over(self):
        client = ScriptedClient(*[OSError("no") for _ in range(100)], patience=12)
        with self.assertRaisesRegex(BatchError, "brought nothing: OSError: no .patience is 12 s"):
            client.get_batch("data", KEYS)
        self.assertEqual(self.clock.pauses[:4], [0.4, 0.8, 1.6, 3.2])
        self.assertAlmostEqual(self.clock.now, 12)

    def test_long_patience_has_no_long_pauses(self):
        client = ScriptedClient(*[OSError() for _ in range(1500)], whole, patience=86400)
        self.assertEqual(client.get_batch("data", KEYS), CONTENTS)
        self.assertEqual(max(self.clock.pauses), 5)

    def test_no_patience_is_one_try(self):
        client = ScriptedClient(OSError(), patience=0)
        with self.assertRaises(BatchError):
            client.get_batch("data", KEYS)

    def test_what_is_not_to_be_had_now_is_asked_for_again(self):
        busy = Answer(entry("data/a", b"a") + entry("data/b", code="SlowDown") + entry("data/c", b"c") + END)
        client = ScriptedClient(busy, Answer(entry("data/b", code="ServiceUnavailable") + END), whole)
        self.assertEqual(client.get_batch("data", KEYS[:3]), CONTENTS[:3])
        self.assertEqual(client.asked[1:], [["b"], ["b"]])

    def test_what_is_never_to_be_had_now_is_an_error_even_if_missing_is_none(self):
        answers = [Answer(entry("data/a", code="SlowDown") + END) for _ in range(3)]
        with self.assertRaisesRegex(ItemError, "data/a brought nothing: SlowDown") as seen:
            ScriptedClient(*answers, patience=0.25).get_batch("data", ["a"], missing="none")
        self.assertEqual((seen.exception.code, seen.exception.codes), ("SlowDown", {"data/a": "SlowDown"}))
        self.assertIsInstance(seen.exception, BatchError)
        self.assertEqual(self.clock.pauses, [0.25])

    def test_absent_items_are_an_error_with_their_codes(self):
        answer = Answer(entry("data/a", b"a") + entry("data/b", code="NoSuchKey") + END)
        with self.assertRaisesRegex(ItemError, "1 of 2 items cannot be had, .* data/b: NoSuchKey") as seen:
            ScriptedClient(answer).get_batch("data", ["a", "b"])
        self.assertEqual(seen.exception.codes, {"data/b": "NoSuchKey"})
        self.assertEqual(seen.exception.code, "NoSuchKey")

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
                ScriptedClient(Answer(entry(name, b"x") + END), patience=0).get_batch("data", ["a"])

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

    def test_fields_that_are_none_are_not_sent(self):
        item = {"objname": "a", "archpath": None, "bucket": "", "start": 3, "length": None, "opaque": b"x"}
        with mock.patch("tests.answers.json.loads", wraps=json.loads) as bodies:
            self.assertEqual(ScriptedClient(whole).get_batch("data", [item]), [b"a"])
        bodies.assert_called_once_with(b'{"coer":true,"in":[{"objname":"a","start":3}]}')

    def test_what_is_no_item_is_told_with_it(self):
        wrong = [None, 7, "", b"ab", ("s.tar",), ("s.tar", ""), ("s.tar", 7), ("a", "b", "c"), "\udc80", {}]
        wrong += [{"objname": ""}, {"objname": 7}, {"objnam": "k"}, {"objname": "k", "start": -1}]
        wrong += [{"objname": "k", "length": 1.5}, {"objname": "k", "length": "1"}]
        for item in wrong:
            with self.subTest(item=item), self.assertRaises(UsageError) as seen:
                ScriptedClient().get_batch("data", ["a", item])
            self.assertIn(f"{item!r} is no item: ", str(seen.exception))
        self.assertTrue(issubclass(UsageError, MillraceError))

    def test_bucket_is_a_name(self):
        for bucket in ("", "a/b", None, "\udc80"):
            with self.subTest(bucket=bucket), self.assertRaises(UsageError):
                ScriptedClient().get_batch(bucket, KEYS)

    def test_names_that_no_tar_has_are_those_of_the_gateway(self):
        answer = Answer(entry("data/folder_", b"x") + entry("data/a_b", code="NoSuchKey") + END)
        items = ["folder/", "a\0b"]
        self.assertEqual(ScriptedClient(answer).get_batch("data", items, missing="none"), [b"x", None])

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


class SampleTest(unittest.TestCase):
    """A sample is all of its members, or an error."""

    ITEM = {"objname": "s.tar", "sample": "7"}
    FIRST = entry("data/s.tar/7.jpg", b"x", members=2)
    WHOLE = FIRST + entry("data/s.tar/7.seg.txt", b"")

    def batch(self, *parts, **settings):
        client = ScriptedClient(*[Answer(part + END) for part in parts], patience=0)
        return client.get_batch("data", [self.ITEM, "o"], **settings)

    def test_members_are_named_by_what_is_behind_the_sample(self):
        found = self.batch(self.WHOLE + entry("data/o", b"o"))
        self.assertEqual(found, [{"jpg": b"x", "seg.txt": b""}, b"o"])
        self.assertEqual(list(found[0]), ["jpg", "seg.txt"])

    def test_one_sample_twice_is_two(self):
        client = ScriptedClient(Answer(self.WHOLE + self.WHOLE + END))
        self.assertEqual(client.get_batch("data", [self.ITEM] * 2), [{"jpg": b"x", "seg.txt": b""}] * 2)

    def test_file_without_a_dot_is_a_sample_of_its_own(self):
        self.assertEqual(self.batch(entry("data/s.tar/7", b"x", members=1) + entry("data/o")), [{"": b"x"}, b""])

    def test_absent_sample_is_one_entry(self):
        absent = entry("data/s.tar/7", code="NoSuchKey") + entry("data/o", b"o")
        self.assertEqual(self.batch(absent, missing="none"), [None, b"o"])
        with self.assertRaises(ItemError) as seen:
            self.batch(absent)
        self.assertEqual(seen.exception.codes, {"data/s.tar/7": "NoSuchKey"})

    def test_sample_of_which_a_member_is_not_to_be_had_now_is_asked_for_as_a_whole(self):
        busy = self.FIRST + entry("data/s.tar/7.txt", code="ServiceUnavailable") + entry("data/o", b"o")
        client = ScriptedClient(Answer(busy + END), Answer(self.WHOLE + END))
        self.assertEqual(client.get_batch("data", [self.ITEM, "o"]), [{"jpg": b"x", "seg.txt": b""}, b"o"])
        self.assertEqual(client.asked[1], ["s.tar"])

    def test_member_that_cannot_be_had_is_that_of_the_sample(self):
        codes = entry("data/s.tar/7.a", code="SlowDown", members=2) + entry("data/s.tar/7.b", code="NotImplemented")
        with self.assertRaises(ItemError) as seen:
            self.batch(codes + entry("data/o"))
        self.assertEqual(seen.exception.codes, {"data/s.tar/7": "NotImplemented"})

    def test_answer_that_breaks_in_a_sample_has_none_of_it(self):
        client = ScriptedClient(Answer(self.FIRST, breaks=BROKEN), Answer(self.WHOLE + END))
        self.assertEqual(client.get_batch("data", [self.ITEM]), [{"jpg": b"x", "seg.txt": b""}])

    def test_members_of_another_sample_are_not_taken(self):
        wrong = [
            entry("data/s.tar/7.jpg", b"x"),
            self.FIRST + entry("data/s.tar/8.txt"),
            self.FIRST + entry("data/s.tar/7.jpg"),
            self.FIRST + entry("data/s.tar/7"),
            self.FIRST,
            entry("data/s.tar/7.jpg", members=0),
            entry("data/s.tar/7.jpg", members=-1),
            entry("data/s.tar/7.jpg", members="x"),
            entry("other/s.tar/7.jpg", members=1),
        ]
        for part in wrong:
            with self.subTest(part=part), self.assertRaises(BatchError):
                ScriptedClient(Answer(part + END), patience=0).get_batch("data", [self.ITEM])

    def test_sample_has_neither_member_nor_range(self):
        for fields in ({"archpath": "a"}, {"start": 1}, {"length": 1}):
            with self.subTest(fields=fields), self.assertRaisesRegex(UsageError, "more than a sample"):
                ScriptedClient().get_batch("data", [self.ITEM | fields])


class HeadBatchTest(unittest.TestCase):
    """Sizes and tags of many items."""

    def test_heads_come_in_the_order_asked(self):
        parts = entry("data/a", size=7, etag='"1"') + entry("data/b", code="NoSuchKey") + entry("data/c", size=0)
        with mock.patch("tests.answers.json.loads", wraps=json.loads) as bodies:
            found = ScriptedClient(Answer(parts + END)).head_batch("data", ["a", "b", "c"])
        self.assertEqual(found, [Head(7, '"1"'), None, Head(0, None)])
        self.assertTrue(bodies.call_args.args[0].startswith(b'{"coer":true,"want":"head","in":['))

    def test_heads_of_a_sample_are_those_of_its_members(self):
        parts = entry("data/s.tar/7.jpg", members=2, size=7) + entry("data/s.tar/7.txt", size=1, etag='"2"')
        found = ScriptedClient(Answer(parts + END)).head_batch("data", [SampleTest.ITEM])
        self.assertEqual(found, [{"jpg": Head(7, None), "txt": Head(1, '"2"')}])

    def test_denied_items_are_an_error(self):
        with self.assertRaises(ItemError) as seen:
            ScriptedClient(Answer(entry("data/a", code="AccessDenied") + END)).head_batch("data", ["a"])
        self.assertEqual(seen.exception.code, "AccessDenied")

    def test_entry_without_a_size_is_no_head(self):
        for records in ({}, {"size": "x"}):
            with self.subTest(records=records), self.assertRaises(BatchError):
                ScriptedClient(Answer(entry("data/a", **records) + END), patience=0).head_batch("data", ["a"])

    def test_ranges_have_no_head(self):
        with self.assertRaisesRegex(UsageError, "a head is that of all"):
            ScriptedClient().head_batch("data", [{"objname": "a", "start": 1}])


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

    def test_gateway_that_stays_busy_is_told_in_its_own_words(self):
        answer = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n"
        with self.assertRaisesRegex(BatchError, "brought nothing: POST http://gateway:9080/data: 503 Slow Down"):
            self.client(self.Socket(answer), patience=0).get_batch("data", ["a"])

    def test_credentials_of_a_function_are_checked(self):
        with self.assertRaises(UsageError):
            self.client(self.Socket(), credentials=lambda: "TRAINER01").get_batch("data", ["a"])

    def test_port_without_tls_is_told_at_once(self):
        wrong = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number")
        with mock.patch("http.client.HTTPSConnection.connect", side_effect=wrong) as connecting:
            with self.assertRaisesRegex(MillraceError, "https://gateway:9080: .*a port without TLS takes http://"):
                Client("https://gateway:9080").get_batch("data", ["a"])
        connecting.assert_called_once()

    def test_handshake_that_is_cut_is_tried_again(self):
        with mock.patch("http.client.HTTPSConnection.connect", side_effect=ssl.SSLEOFError(8, "EOF")):
            with self.assertRaisesRegex(BatchError, "SSLEOFError"):
                Client("https://gateway:9080", patience=0).get_batch("data", ["a"])

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

    def test_closed_client_opens_another_connection(self):
        with ScriptedClient(whole, whole) as client:
            client.get_batch("data", KEYS)
            connection = client._held.connection
        self.assertIsNone(connection.sock)
        client.close()
        client.get_batch("data", KEYS)
        self.assertEqual(client.connections, 2)

    def test_client_is_pickled_without_its_connection(self):
        client = Client("http://127.0.0.1:1", credentials=("K", "S"), patience=3)
        client._held.connection = threading.Lock()
        again = pickle.loads(pickle.dumps(client))
        self.assertIsNone(again._held.connection)
        self.assertEqual((again.patience, again.endpoint), (3, "http://127.0.0.1:1"))

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
        wrong = ["", "127.0.0.1:9080", "s3://bucket", "http://host:9080/path", "http://key:secret@host"]
        wrong += ["http://host:port", "http://host:99999", "http://host:0", "http://[::1"]
        for endpoint in wrong:
            with self.subTest(endpoint=endpoint), self.assertRaises(UsageError):
                Client(endpoint)

    def test_credentials_are_two_texts_or_more(self):
        for credentials in ("TRAINER01", ("KEY",), ("KEY", None), ("", "SECRET"), (), b"ab"):
            with self.subTest(credentials=credentials), self.assertRaises(UsageError):
                Client("http://127.0.0.1:1", credentials=credentials)
        for credentials in (("KEY", "SECRET"), ["KEY", "SECRET", None], ("KEY", "SECRET", "TOKEN", "ACCOUNT")):
            Client("http://127.0.0.1:1", credentials=credentials)

    @mock.patch.dict(os.environ, {"AWS_ENDPOINT_URL": "http://gateway:9080", "AWS_DEFAULT_REGION": "eu-1"}, clear=True)
    def test_endpoint_and_region_may_come_from_the_environment(self):
        client = Client()
        self.assertEqual((client.endpoint, client.region), ("http://gateway:9080", "eu-1"))
        self.assertEqual(Client(region="eu-2").region, "eu-2")

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
        client = ScriptedClient(self.Part(b"abc", 6), self.Part(b""), patience=0)
        with client.open("data", "k") as stream, self.assertRaisesRegex(BatchError, "data/k at byte 3"):
            stream.read()

    def test_empty_object_is_empty(self):
        with ScriptedClient(self.Part(b"", 0)).open("data", "k") as stream:
            self.assertEqual(stream.read(), b"")

    def test_object_has_a_bucket_and_a_key(self):
        for bucket, key in (("data", ""), ("", "k"), ("data/k", "k"), ("data", None), ("data", "\udc80")):
            with self.subTest(bucket=bucket, key=key), self.assertRaises(UsageError):
                ScriptedClient().open(bucket, key)

    def test_refusal_is_told_at_once(self):
        with self.assertRaises(ResponseError):
            ScriptedClient(ResponseError("NoSuchKey")).open("data", "k")


