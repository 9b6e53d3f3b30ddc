#!/usr/bin/env python3
"""Packs a root file system into an OCI image layout, the same bytes for the same content.

  oci.py ROOT OUTPUT EPOCH VERSION REVISION DOCKERFILE ARCHITECTURE
    REVISION      of the sources; empty if it is unknown
    ARCHITECTURE  amd64 or arm64
    DOCKERFILE    has the settings of the image in its last stage
"""

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
from datetime import datetime, timezone

PROGRAM = "usr/lib/millrace"
RUNTIME = PROGRAM + "/runtime"
WRITABLE = ("var/lib/millrace", "var/cache/millrace")

root, output, epoch, version, revision, dockerfile, architecture = sys.argv[1:]
epoch = int(epoch)
created = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_settings():
    """Returns the instructions of the last stage by name, and its labels."""
    with open(dockerfile) as file:
        lines = file.read().rpartition("\nFROM ")[2].splitlines()
    settings, labels = {}, {}
    for line in lines:
        name, _, value = line.partition(" ")
        settings[name] = value
        if name == "LABEL":
            key, _, text = value.partition("=")
            labels[key] = json.loads(text)
    return settings, labels


def health_check(instruction):
    """Returns it as Docker has it in the settings of an image, where OCI has nothing of the kind and lets readers pass over it."""
    options, _, command = instruction.partition("CMD ")
    check = {"Test": ["CMD", *json.loads(command)]}
    for option in options.split():
        name, _, seconds = option.removeprefix("--").removesuffix("s").partition("=")
        check["".join(map(str.capitalize, name.split("-")))] = int(seconds) * 10**9
    return check


def layer_of(path):
    """What changes seldom comes first, so that an upgrade fetches the last layer only."""
    if path == RUNTIME or path.startswith(RUNTIME + "/"):
        return "Java runtime"
    if path == "usr/bin/millrace" or path == PROGRAM or path.startswith((PROGRAM + "/", "usr/share/doc/millrace/")):
        return "Millrace"
    return "Debian"


def paths():
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            yield os.path.relpath(os.path.join(folder, name), root)


def pack(members):
    """Returns a tar file of the members and of the folders that they are in."""
    packed = io.BytesIO()
    parents = {path[:end] for path in members for end in range(len(path)) if path[end] == "/"}
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(parents | set(members)):
            member = tar.gettarinfo(os.path.join(root, path), arcname=path)
            member.mtime = epoch
            member.uname = member.gname = ""
            member.uid = member.gid = user if path in WRITABLE else 0
            if member.isreg():
                with open(os.path.join(root, path), "rb") as content:
                    tar.addfile(member, content)
            else:
                tar.addfile(member)
    return packed.getvalue()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def store(content, media_type):
    """Writes a blob and returns its descriptor."""
    folder = os.path.join(output, "blobs", "sha256")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, digest(content).removeprefix("sha256:")), "wb") as blob:
        blob.write(content)
    return {"mediaType": media_type, "digest": digest(content), "size": len(content)}


def store_json(value, media_type):
    return store(json.dumps(value, sort_keys=True).encode(), media_type)


settings, labels = read_settings()
user = int(settings["USER"].partition(":")[0])
labels |= {"org.opencontainers.image.version": version, "org.opencontainers.image.created": created}
if revision:
    labels["org.opencontainers.image.revision"] = revision
layers = {"Debian": [], "Java runtime": [], "Millrace": []}
for each in paths():
    layers[layer_of(each)].append(each)

descriptors, diff_ids, history = [], [], []
for name, members in layers.items():
    content = pack(members)
    diff_ids.append(digest(content))
    descriptors.append(store(gzip.compress(content, 6, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip"))
    history.append({"created": created, "created_by": name})

config = store_json(
    {
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": {
            "User": settings["USER"],
            "Env": [settings["ENV"]],
            "Entrypoint": json.loads(settings["ENTRYPOINT"]),
            "Cmd": json.loads(settings["CMD"]),
            "WorkingDir": settings["WORKDIR"],
            "ExposedPorts": {port + "/tcp": {} for port in settings["EXPOSE"].split()},
            "StopSignal": settings["STOPSIGNAL"],
            "Healthcheck": health_check(settings["HEALTHCHECK"]),
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
        "history": history,
    },
    "application/vnd.oci.image.config.v1+json",
)
manifest_type = "application/vnd.oci.image.manifest.v1+json"
manifest = store_json(
    {"schemaVersion": 2, "mediaType": manifest_type, "config": config, "layers": descriptors, "annotations": labels},
    manifest_type,
)
manifest["platform"] = {"architecture": architecture, "os": "linux"}
# What podman load and containerd call it.
name = "millrace:" + version
manifest["annotations"] = {"org.opencontainers.image.ref.name": name, "io.containerd.image.name": "docker.io/library/" + name}
index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}
for name, value in {"index.json": index, "oci-layout": {"imageLayoutVersion": "1.0.0"}}.items():
    with open(os.path.join(output, name), "w") as file:
        json.dump(value, file, sort_keys=True)
print(manifest["digest"])
