"""HAProxy or Envoy before the members of a cluster, with the configurations of docs/several-gateways.md."""

import os
import re
import subprocess
import sys

from members import await_all, replaced
from s3lite import S3

DEFAULTS = "defaults\n  mode http\n  timeout connect 2s\n  timeout client 120s\n"
BY_HASH = "  balance uri\n  hash-type consistent sdbm avalanche\n"


class Balancer:
    """One of the two, until the end of the context. By the hash of the path, `bounded` by load too; HAProxy can also give each request to the next,
    and then says in each response of a member which one it is of."""

    def __init__(self, place, cluster, program, bounded=False, in_turn=False):
        self.cluster, self.page = cluster, (place.root / "docs/several-gateways.md").read_text()
        self.endpoint = f"http://127.0.0.1:{cluster.tens}9"
        self.name = f"{program}{', bounded load' if bounded else ''}"
        text, suffix = (self.haproxy(), "cfg") if program == "haproxy" else (self.envoy(), "yaml")
        if bounded:
            # Of each of the two blocks the first line is in the configuration, and the others go below it.
            block = next(one for one in self.blocks("Hot objects") if one.splitlines()[0] in text)
            text = replaced(text, [(block.splitlines()[0], block.rstrip())])
        if in_turn:
            text = replaced(text, [(BY_HASH, "  balance roundrobin\n  http-response set-header x-member %s\n")])
        file = cluster.folder / f"{program}.{suffix}"
        file.write_text(text)
        self.log = cluster.folder / f"{program}.log"
        envoy = [os.environ["ENVOY"], "--concurrency", "2", "--use-dynamic-base-id", "--log-level", "warning", "--config-path", file]
        self.command = ["haproxy", "-f", file] if program == "haproxy" else envoy

    def blocks(self, section):
        part = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", self.page, re.S | re.M)[1]
        return re.findall(r"^```\w*\n(.*?)^```", part, re.S | re.M)

    def haproxy(self):
        text, ten = self.blocks("HAProxy")[0], self.cluster.tens
        edits = [("bind :9080", f"bind 127.0.0.1:{ten}9")]
        own = [f"  server {name} 127.0.0.1:{ten}{number} check port {ten + 1}{number}\n" for number, name in enumerate("abcdefgh"[: self.cluster.count])]
        for number, name in enumerate("abc"):
            # Of more members than the page has all others come after the last.
            edits.append((f"  server {name} 10.0.0.{number + 1}:9080 check port 9081\n", "".join(own[number:] if name == "c" else own[number : number + 1])))
        return DEFAULTS + replaced(text, edits)

    def envoy(self):
        head, endpoints, entries = self.blocks("Envoy")[0].partition("          - lb_endpoints:\n")
        entry = "".join(entries.splitlines(keepends=True)[:3])
        ten = self.cluster.tens
        each = (
            replaced(entry, [("10.0.0.1, port_value: 9080", f"127.0.0.1, port_value: {ten}{number}"), ("port_value: 9081", f"port_value: {ten + 1}{number}")])
            for number in range(self.cluster.count)
        )
        return replaced(head, [("0.0.0.0, port_value: 9080", f"127.0.0.1, port_value: {ten}9")]) + endpoints + "".join(each)

    def __enter__(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        # An unsigned request is refused by a member.
        if not await_all(self.serves, 60):
            self.process.kill()
            sys.exit(f"{self.name} serves nothing: {self.log.read_text()[-2000:]}")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def serves(self):
        try:
            return S3(self.endpoint).call("GET", "/")[0] == 403
        except OSError:
            return False
