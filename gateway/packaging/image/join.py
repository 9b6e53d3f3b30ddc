#!/usr/bin/env python3
"""Joins OCI image layouts of one image, each for another architecture, into one layout whose image is for all of them.

  join.py OUTPUT LAYOUT...
"""

import hashlib
import json
import os
import shutil
import sys

output, *layouts = sys.argv[1:]
blobs = os.path.join(output, "blobs", "sha256")
os.makedirs(blobs)
manifests, annotations = [], None
for layout in layouts:
    with open(os.path.join(layout, "index.json")) as file:
        (manifest,) = json.load(file)["manifests"]
    name = manifest.pop("annotations")
    if annotations not in (None, name):
        sys.exit(f"{layout} has another image: {name}")
    annotations = name
    manifests.append(manifest)
    for blob in os.listdir(os.path.join(layout, "blobs", "sha256")):
        shutil.copyfile(os.path.join(layout, "blobs", "sha256", blob), os.path.join(blobs, blob))
architectures = sorted(manifest["platform"]["architecture"] for manifest in manifests)
if len(set(architectures)) < len(layouts):
    sys.exit(f"one architecture twice: {architectures}")

index_type = "application/vnd.oci.image.index.v1+json"
manifests.sort(key=lambda manifest: manifest["platform"]["architecture"])
index = json.dumps({"schemaVersion": 2, "mediaType": index_type, "manifests": manifests}, sort_keys=True).encode()
digest = hashlib.sha256(index).hexdigest()
with open(os.path.join(blobs, digest), "wb") as file:
    file.write(index)
descriptor = {"mediaType": index_type, "digest": "sha256:" + digest, "size": len(index), "annotations": annotations}
for name, value in {
    "index.json": {"schemaVersion": 2, "mediaType": index_type, "manifests": [descriptor]},
    "oci-layout": {"imageLayoutVersion": "1.0.0"},
}.items():
    with open(os.path.join(output, name), "w") as file:
        json.dump(value, file, sort_keys=True)
print(*architectures)
