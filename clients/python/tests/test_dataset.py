"""A data set reads a batch by one request, and needs no library but Python's own."""

import subprocess
import sys
import types
import unittest
from unittest import mock

from millrace import BatchDataset, shard_sizes, wds
from tests.answers import END, Answer, ScriptedClient, entry, whole


class BatchDatasetTest(unittest.TestCase):
    """Samples by their numbers."""

    def test_batch_is_one_request_in_the_order_asked(self):
        client = ScriptedClient(whole)
        data = BatchDataset(client, "data", ["a", "b", "c"])
        self.assertEqual(data.__getitems__([2, 0]), [b"c", b"a"])
        self.assertEqual(client.asked, [["c", "a"]])
        self.assertEqual(len(data), 3)

    def test_single_sample_is_a_batch_of_one(self):
        self.assertEqual(BatchDataset(ScriptedClient(whole), "data", ["a", "b"])[1], b"b")

    def test_slice_is_a_batch(self):
        client = ScriptedClient(whole)
        self.assertEqual(BatchDataset(client, "data", ["a", "b", "c", "d"])[-3:10:2], [b"b", b"d"])
        self.assertEqual(client.asked, [["b", "d"]])

    def test_transform_has_item_and_bytes(self):
        data = BatchDataset(ScriptedClient(whole), "data", ["a"], transform=lambda item, content: (item, content))
        self.assertEqual(data[0], ("a", b"a"))

    def test_samples_of_a_shard_are_dicts(self):
        parts = entry("data/s.tar/7.jpg", b"x", members=2) + entry("data/s.tar/7.txt", b"y")
        items = [{"objname": "s.tar", "sample": "7"}, {"objname": "s.tar", "sample": "8"}, "t.tar/7.jpg"]
        data = BatchDataset(ScriptedClient(Answer(parts + END)), "data", items)
        self.assertEqual(data[0], {"jpg": b"x", "txt": b"y"})
        self.assertEqual(shard_sizes(items), [2, 1])

    def test_missing_is_told_to_the_client(self):
        client = ScriptedClient(Answer(entry("data/a", code="NoSuchKey") + END))
        self.assertEqual(BatchDataset(client, "data", ["a"], missing="none")[0], None)

    def test_package_imports_nothing_but_the_standard_library(self):
        program = (
            "import sys; before = set(sys.modules); import millrace, millrace.wds; "
            "own = sys.stdlib_module_names | {'millrace'}; "
            "print([name for name in set(sys.modules) - before if name.split('.')[0] not in own])"
        )
        found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(found.stdout.strip(), "[]")


class WdsTest(unittest.TestCase):
    """Shards by WebDataset's opener."""

    def test_registered_scheme_opens_the_key_of_the_url(self):
        module = types.SimpleNamespace(gopen_schemes={})
        client = mock.Mock()
        with mock.patch.dict(sys.modules, {"webdataset": mock.Mock(), "webdataset.gopen": module}):
            wds.register(client, 3)
        module.gopen_schemes["mill"]("mill://data/train/a%2B%3F%20b.tar", "rb", 8192)
        client.open.assert_called_once_with("data", "train/a+? b.tar")

    def test_writes_and_queries_are_refused(self):
        for url, mode in (("mill://data/k", "wb"), ("mill://data/k?x", "rb"), ("mill://data/k#x", "rb")):
            with self.subTest(url=url), self.assertRaises(ValueError):
                wds.open_url(mock.Mock(), url, mode)
