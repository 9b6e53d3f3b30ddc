"""The wheel is one to pip, and the same on each machine."""

import base64
import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from make_wheel import build_wheel


class WheelTest(unittest.TestCase):
    """The zip that a release has."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.wheel = self.folder / build_wheel(self.folder)

    def test_record_has_each_file_with_its_digest(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            record = next(name for name in names if name.endswith("/RECORD"))
            rows = list(csv.reader(wheel.read(record).decode().splitlines()))
            self.assertEqual([name for name, _, _ in rows], names)
            for name, digest, size in rows[:-1]:
                found = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")
                self.assertEqual((digest, int(size)), (f"sha256={found}", len(wheel.read(name))))

    def test_second_wheel_has_the_same_bytes(self):
        first = self.wheel.read_bytes()
        self.assertEqual((self.folder / build_wheel(self.folder)).read_bytes(), first)
        with zipfile.ZipFile(self.wheel) as wheel:
            self.assertEqual({entry.compress_type for entry in wheel.infolist()}, {zipfile.ZIP_STORED})

    def test_package_is_typed_and_of_the_version_that_pip_tells(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            self.assertIn("millrace/py.typed", wheel.namelist())
            program = wheel.read("millrace/__init__.py").decode()
        self.assertIn(f'__version__ = "{self.wheel.name.split("-")[1]}"\n', program)

    def test_package_is_imported_from_the_wheel(self):
        program = "import millrace, millrace.wds; print(millrace.__file__)"
        settings = {**os.environ, "PYTHONPATH": str(self.wheel)}
        found = subprocess.check_output([sys.executable, "-c", program], env=settings, text=True)
        self.assertTrue(found.startswith(str(self.wheel)), found)
