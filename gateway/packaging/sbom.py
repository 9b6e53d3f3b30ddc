#!/usr/bin/env python3
"""Adds the Java runtime and Debian's packages to the bill of materials of the jars (CycloneDX, JSON), and prints it.

  sbom.py BOM PROPERTIES STATUS
    BOM         of the CycloneDX Maven plugin
    PROPERTIES  what java -XshowSettings:properties says
    STATUS      folder with the control file of each package; none if it is missing
"""

import json
import os
import sys
import urllib.parse
import uuid
from datetime import datetime, timezone
from email.parser import HeaderParser


def runtime(properties):
    with open(properties) as file:
        facts = dict(line.strip().split(" = ", 1) for line in file if " = " in line)
    version = facts["java.runtime.version"]
    return {
        "type": "platform",
        "bom-ref": "java-runtime",
        "publisher": facts["java.vendor"],
        "name": "OpenJDK",
        "version": version,
        "purl": "pkg:generic/openjdk@" + urllib.parse.quote(version, safe=""),
        "licenses": [{"expression": "GPL-2.0-only WITH Classpath-exception-2.0"}],
    }


def debian(control):
    with open(control) as file:
        package = HeaderParser().parse(file)
    name, version, architecture = package["Package"], package["Version"], package["Architecture"]
    purl = f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='')}?arch={architecture}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


bom_file, properties, status = sys.argv[1:]
with open(bom_file) as file:
    bom = json.load(file)
packages = [debian(os.path.join(status, name)) for name in (sorted(os.listdir(status)) if os.path.isdir(status) else [])]
bom["components"] += [runtime(properties), *packages]
created = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc)
bom["metadata"]["timestamp"] = created.strftime("%Y-%m-%dT%H:%M:%SZ")
bom.pop("serialNumber", None)
bom["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bom, sort_keys=True)).urn
json.dump(bom, sys.stdout, indent=1, sort_keys=True)
print()
