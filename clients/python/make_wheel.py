"""Makes the wheel of the package: for pip, as the build backend of pyproject.toml, and for a release.

    make_wheel.py FOLDER

The same files give the same bytes on any machine: nothing is compressed, and no time, owner or mode is taken over.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "src"
LICENSE = HERE.parents[1] / "LICENSE"
MAIN = "millrace/__init__.py"
# How Maven and Python call what is not released.
SNAPSHOT, DEVELOPED = "-SNAPSHOT", ".dev0"
METADATA = """\
Metadata-Version: 2.1
Name: millrace
Version: {version}
Summary: Reads many samples of a Millrace in one request
License: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.10
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: millrace
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(folder, config_settings=None, metadata_directory=None):
    """Writes the wheel, and returns its name: the hook of PEP 517."""
    version = _version()
    about = f"millrace-{version}.dist-info"
    paths = sorted([*SOURCE.glob("millrace/*.py"), SOURCE / "millrace/py.typed"])
    files = {path.relative_to(SOURCE).as_posix(): path.read_bytes() for path in paths}
    # So that the package says of itself what pip says of it.
    files[MAIN] = files[MAIN].replace(SNAPSHOT.encode(), DEVELOPED.encode())
    files[f"{about}/LICENSE"] = LICENSE.read_bytes()
    files[f"{about}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{about}/WHEEL"] = WHEEL.encode()
    files[f"{about}/RECORD"] = "".join(
        [f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items()]
        + [f"{about}/RECORD,,\n"]
    ).encode()
    name = f"millrace-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_STORED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            wheel.writestr(entry, content)
    return name


def _version():
    line = next(line for line in (SOURCE / MAIN).read_text().splitlines() if "__version__ =" in line)
    return line.split('"')[1].replace(SNAPSHOT, DEVELOPED)


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(build_wheel(sys.argv[1]))
