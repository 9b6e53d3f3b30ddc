#!/usr/bin/env python3
"""Prints what the files of a release were built from, as an in-toto statement with SLSA's provenance; the same text for the same release.

  provenance.py VERSION REVISION ARCHITECTURE CLASSES BOM FILE...
    REVISION  the commit of the sources
    CLASSES   the archive of classes, which is an input of a build that is to have the same bytes
    BOM       the bill of materials, which names the Java runtime and Debian's packages
BUILDER is the URI of who builds, SOURCE the URL of the repository; without it the commit alone is said.
"""

import hashlib
import json
import os
import sys


def digest(path):
    with open(path, "rb") as file:
        return {"sha256": hashlib.sha256(file.read()).hexdigest()}


version, revision, architecture, classes, bom, *files = sys.argv[1:]
with open(bom) as file:
    components = json.load(file)["components"]
source = {"name": "sources", "digest": {"gitCommit": revision}}
if os.environ.get("SOURCE"):
    source["uri"] = "git+" + os.environ["SOURCE"]
packages = [each.get("purl", "") for each in components]
taken = [{"uri": purl} for purl in packages if purl.startswith(("pkg:deb/", "pkg:generic/openjdk"))]
statement = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": os.path.basename(path), "digest": digest(path)} for path in sorted(files)],
    "predicateType": "https://slsa.dev/provenance/v1",
    "predicate": {
        "buildDefinition": {
            "buildType": "https://millrace.invalid/ci/release/v1",
            "externalParameters": {"command": ".ci/release", "version": version, "architecture": architecture},
            "resolvedDependencies": [source, {"name": "classes.jsa", "digest": digest(classes)}, *taken],
        },
        "runDetails": {"builder": {"id": os.environ.get("BUILDER") or "https://millrace.invalid/builders/unnamed"}},
    },
}
json.dump(statement, sys.stdout, indent=1, sort_keys=True)
print()
