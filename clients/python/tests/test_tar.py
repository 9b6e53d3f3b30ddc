"""What tarfile writes is read, in pieces of any size; what is no whole answer is never taken for one."""

import unittest

from millrace.tar import BrokenAnswerError, TarStream
from tests.answers import END, Answer, entry

NAMES = ["a", "n" * 100, "f" * 120 + "/" + "n" * 90, "f" * 200 + "/" + "n" * 200, "Grüße/日本.jpg", "__404__/a"]
SIZES = [0, 1, 511, 512, 513, 70_000]
TAR = b"".join(entry(name, bytes([at]) * size) for at, (name, size) in enumerate(zip(NAMES, SIZES)))


def read(body, count, piece=1 << 16):
    tar = TarStream(Answer(body, piece).read1)
    found = [tar.entry() for _ in range(count)]
    tar.end()
    return found


class TarStreamTest(unittest.TestCase):
    """Entries, whatever their names, sizes and the pieces they come in."""

    def test_entries_are_read_in_pieces_of_any_size(self):
        expected = [(name.encode(), None, bytes([at]) * size) for at, (name, size) in enumerate(zip(NAMES, SIZES))]
        for piece in (1, 7, 512, 1 << 16):
            with self.subTest(piece=piece):
                self.assertEqual(read(TAR + END, len(NAMES), piece), expected)

    def test_code_tells_what_cannot_be_had(self):
        tar = entry("b/k", code="NoSuchKey") + entry("b/" + "k" * 300, code="SlowDown") + entry("b/l", b"x") + END
        longest = (b"__404__/b/" + b"k" * 300, "SlowDown", b"")
        self.assertEqual(read(tar, 3), [(b"__404__/b/k", "NoSuchKey", b""), longest, (b"b/l", None, b"x")])

    def test_each_tar_that_is_cut_is_broken(self):
        tar = entry("a", b"x" * 600) + entry("b" * 300, b"y") + END
        for length in range(0, len(tar), 97):
            with self.subTest(length=length), self.assertRaises(BrokenAnswerError):
                read(tar[:length], 2)

    def test_other_numbers_of_entries_are_broken(self):
        for count in (1, 3):
            with self.subTest(count=count), self.assertRaises(BrokenAnswerError):
                read(entry("a", b"x") + entry("b", b"y") + END, count)

    def test_bytes_behind_the_end_are_broken(self):
        for piece in (512, 1 << 16):
            with self.subTest(piece=piece), self.assertRaises(BrokenAnswerError):
                read(entry("a") + END + b"x", 1, piece)

    def test_what_is_no_tar_is_broken(self):
        older = entry("a").replace(b"ustar", b"v7tar") + END
        folder = entry("a")[:156] + b"5" + entry("a")[157:] + END
        for body in (b"<html>" * 1000, b"\xff" * 2048, older, folder):
            with self.subTest(body=body[:10]), self.assertRaises(BrokenAnswerError):
                read(body, 1)
