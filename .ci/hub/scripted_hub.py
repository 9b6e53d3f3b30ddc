"""A server with the API of the Hugging Face Hub for models and data sets, and a second one with the large files.

scripted_hub.py FOLDER: writes FOLDER/hub.url, FOLDER/storage.url, and a line a request to FOLDER/requests.log,
with the bytes that are sent of a large file.
The files are those below FOLDER/repositories/KIND/ORG/NAME. Large is what ends in .bin, and each file of LARGE_FROM bytes, if set.
Those named gated need the token TOKEN.
The second server listens on STORAGE_PORT, and the first redirects to PUBLIC_PORT, if set: a proxy before it, say.
"""

import hashlib
import json
import os
import pathlib
import re
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGE_FROM = float(os.environ.get("LARGE_FROM", "inf"))
COMMIT = "c0ffee" + "0" * 34
PAGE = 2
TOKEN = "hf_granted"
folder = pathlib.Path(sys.argv[1])
log = open(folder / "requests.log", "a", buffering=1)
stored = {}


def git_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def files(kind, name):
    root = folder / "repositories" / kind / name
    return {str(path.relative_to(root)): path for path in sorted(root.rglob("*")) if path.is_file()}


def is_large(path, body):
    return path.endswith(".bin") or len(body) >= LARGE_FROM


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        log.write(f"{self.server.name} {self.command} {self.path}\n")
        self.answer(urllib.parse.urlsplit(self.path))


class Hub(Handler):
    def refuse(self, status, code, **fields):
        self.send(status, X_Error_Code=code, X_Error_Message="of the Hub", **fields)

    def answer(self, url):
        api = re.fullmatch(r"/api/(models|datasets)/([^/]+/[^/]+)/(revision|tree)/([^/]+)(?:/(.*))?", url.path)
        file = re.fullmatch(r"(?:/(datasets))?/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", url.path)
        if api:
            kind, name, what, revision, path = api.groups()
        elif file:
            kind, name, revision, path = file.groups()
            kind, what = kind or "models", "file"
        elif url.path == "/api/models":
            return self.json([])
        else:
            return self.refuse(404, "")
        content = files(kind, name)
        if not content:
            # It does not tell strangers what exists.
            return (self.refuse(404, "RepoNotFound") if "Authorization" in self.headers
                    else self.send(401, X_Error_Message="Invalid username or password."))
        if name.endswith("/gated") and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.refuse(403 if "Authorization" in self.headers else 401, "GatedRepo")
        if revision not in ("main", COMMIT):
            return self.refuse(404, "RevisionNotFound")
        path = urllib.parse.unquote(path or "")
        if what == "revision":
            return self.json({"_id": "1", "id": name, "sha": COMMIT, "lastModified": "2026-08-04T10:11:12.000Z",
                              "private": False, "gated": False, "disabled": False, "downloads": 1, "likes": 0, "tags": [],
                              "siblings": [{"rfilename": path} for path in content]})
        if what == "tree":
            return self.tree(url, content, path)
        if path not in content:
            return self.refuse(404, "EntryNotFound", X_Repo_Commit=COMMIT)
        body = content[path].read_bytes()
        if not is_large(path, body):
            return self.send(200, body, X_Repo_Commit=COMMIT, ETag=f'"{git_id(body)}"', Content_Type="text/plain")
        digest = hashlib.sha256(body).hexdigest()
        stored["/" + digest] = body
        self.send(302, X_Repo_Commit=COMMIT, X_Linked_Size=str(len(body)), X_Linked_ETag=f'"{digest}"', X_Xet_Hash="7" * 64,
                  Link=f'<{urls["hub"]}/api/xet>; rel="xet-auth"', Location=f"{urls['storage']}/{digest}?Signature=abc")

    def json(self, document, **fields):
        self.send(200, json.dumps(document).encode(), Content_Type="application/json; charset=utf-8", **fields)

    def tree(self, url, content, path):
        entries = []
        for name, file in content.items():
            if path and not name.startswith(path + "/"):
                continue
            body = file.read_bytes()
            entry = {"type": "file", "oid": git_id(body), "size": len(body), "path": name}
            if is_large(name, body):
                digest = hashlib.sha256(body).hexdigest()
                entry |= {"lfs": {"oid": digest, "size": len(body), "pointerSize": 134}, "xetHash": "7" * 64}
            entries.append(entry)
        if not entries:
            return self.refuse(404, "EntryNotFound")
        first = int(urllib.parse.parse_qs(url.query).get("cursor", ["0"])[0])
        fields = {}
        if first + PAGE < len(entries):
            fields["Link"] = f'<{urls["hub"]}{url.path}?recursive=true&cursor={first + PAGE}>; rel="next"'
        self.json(entries[first : first + PAGE], **fields)


class Storage(Handler):
    def answer(self, url):
        body = stored.get(url.path)
        if body is None:
            return self.send(404)
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            log.write(f"storage sends {len(body)}\n")
            return self.send(200, body, ETag='"of-the-storage"', Accept_Ranges="bytes")
        first, last = int(asked[1]), min(int(asked[2] or len(body)), len(body) - 1)
        if first > last:
            return self.send(416, Content_Range=f"bytes */{len(body)}")
        log.write(f"storage sends {last + 1 - first}\n")
        self.send(206, body[first : last + 1], ETag='"of-the-storage"', Content_Range=f"bytes {first}-{last}/{len(body)}")


urls = {}
servers = []
for name, handler in (("hub", Hub), ("storage", Storage)):
    port = int(os.environ.get("STORAGE_PORT", 0)) if name == "storage" else 0
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.name = name
    public = os.environ.get("PUBLIC_PORT") if name == "storage" else None
    urls[name] = f"http://127.0.0.1:{public or server.server_port}"
    servers.append(server)
for server in servers[1:]:
    threading.Thread(target=server.serve_forever, daemon=True).start()
for name, url in urls.items():
    (folder / f"{name}.url.new").write_text(url)
    os.rename(folder / f"{name}.url.new", folder / f"{name}.url")
servers[0].serve_forever()
