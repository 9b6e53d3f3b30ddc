"""The members of a cluster: three processes that are started by the commands of docs/cluster.md, with ports and a store of this machine."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from namespaces import Namespaces, address
from s3lite import S3

ACCESS_KEY, SECRET_KEY = "ADMIN01", "change-me-please"
STRONG, ANNOUNCED = "checkpoints", "datasets"
LEASE = 3.0
# What gateways that know nothing of each other have not, of what the page has.
APART = [(", coherence: strong", ""), (re.compile(r"\ncluster:\n.*?(?=\nEND)", re.S), "")]
LIST = '"gw-0=127.0.0.1:7800", "gw-1=127.0.0.1:7801", "gw-2=127.0.0.1:7802"'


def free_tens(root, rows):
    """The first of some rows of ten ports, without its last digit."""
    first = subprocess.run(["bash", "-c", f"source .ci/lib.sh && free_port {10 * rows + 9}"], cwd=root, capture_output=True, text=True, check=True).stdout
    return (int(first) + 9) // 10


def page_commands(page):
    commands = re.search(r"## Three on one machine\n.*?\n```\n(.*?)\n```", page.read_text(), re.S)
    if not commands:
        sys.exit(f"{page} has no commands below 'Three on one machine'")
    return commands[1]


def replaced(text, edits):
    for old, new in edits:
        text, count = old.subn(new, text) if isinstance(old, re.Pattern) else (text.replace(old, new), text.count(old))
        if count != 1:
            sys.exit(f"a page of docs has {count} times what is replaced here once: {old}")
    return text


class Cluster:
    """Members below a folder, or as many gateways that are not `joined`. Those that are `relayed` reach each other through relay.py, or each is in a
    network namespace of its own."""

    def __init__(self, place, name, edits=(), relayed=False, count=3, joined=True, scheme="http"):
        self.folder = place.work / name
        self.folder.mkdir()
        self.count, self.joined = count, joined
        self.tens, self.scheme = free_tens(place.root, 3 + count), scheme
        self.relay = self.namespaces = None
        if relayed and place.namespaces:
            self.namespaces, relayed = Namespaces(count), False
        os.symlink(place.root / "millrace", self.folder / "millrace")
        ten = self.tens
        listed = ", ".join(f'"gw-{to}={self.host(to)}:{ten + 3 + to}$n"' if relayed else f'"gw-{to}={self.host(to)}:{ten + 2}{to}"' for to in range(count))
        own = [
            ("for n in 0 1 2;", f"for n in {' '.join(map(str, range(count)))};"), ("909$n", f"{ten}$n"), ("919$n", f"{ten + 1}$n"), ("http://STORE:9000", place.store),
            ("access-key: A, secret-key: S }", f"access-key: {place.store_key[0]}, secret-key: {place.store_key[1]} }}"),
        ]
        own += [("780$n", f"{ten + 2}$n"), (LIST, listed)] if joined else APART
        if self.namespaces:
            own += [(f"{port}: {{ port:", f"{port}: {{ address: {address('$n')}, port:") for port in ("s3", "admin")]
            own += [('listen: "127.0.0.1:', f'listen: "{address("$n")}:'), ("./millrace serve", "nsenter --net=gw-$n.net ./millrace serve")]
            for number in range(count):
                os.symlink(self.namespaces.file(number), self.folder / f"gw-{number}.net")
        self.commands = replaced(page_commands(place.root / "docs/cluster.md"), [*edits, *own])
        if relayed:
            pairs = [f"gw-{one}:gw-{to}:{ten + 3 + to}{one}:{ten + 2}{to}" for one in range(count) for to in range(count) if one != to]
            relay = [sys.executable, "-B", pathlib.Path(__file__).with_name("relay.py"), *pairs]
            self.relay = subprocess.Popen(relay, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.relay.stdout.readline()

    def __enter__(self):
        try:
            subprocess.run(["bash", "-c", self.commands + "\njobs -p > pids"], cwd=self.folder, check=True)
            self.pids = [int(pid) for pid in (self.folder / "pids").read_text().split()]
            self.await_ready(range(self.count))
            if self.joined and not await_all(self.holds_leases, 30):
                sys.exit(f"not all leases are held 30 s after the start; {self.log(0)}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for pid in getattr(self, "pids", ()):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        if self.relay:
            self.relay.kill()
        if self.namespaces:
            self.namespaces.close()

    def host(self, number):
        return address(number) if self.namespaces else "127.0.0.1"

    def endpoint(self, number):
        return f"{self.scheme}://{self.host(number)}:{self.tens}{number}"

    def s3(self, number):
        """What signs requests to a member."""
        return S3(self.endpoint(number), ACCESS_KEY, SECRET_KEY)

    def control(self, number, path):
        """The body of a response of the control port; None if there is none, or another one than 200."""
        try:
            with urllib.request.urlopen(f"http://{self.host(number)}:{self.tens + 1}{number}{path}", timeout=5) as response:
                return response.read().decode()
        except OSError:
            return None

    def api(self, number, method, path, query=None, request=None):
        """What the control API of a member answers to an administrator, whose query is in the order of its names."""
        extra = {"content-type": "application/json"} if request else None
        s3 = S3(f"http://{self.host(number)}:{self.tens + 1}{number}", ACCESS_KEY, SECRET_KEY)
        words = "&".join(f"{name}={urllib.parse.quote(value, safe='~')}" for name, value in sorted((query or {}).items()))
        status, _, said = s3.call(method, f"/api/v1{path}", json.dumps(request).encode() if request else b"", words, extra)
        assert status in (200, 201), (status, said)
        return json.loads(said)

    def is_ready(self, number):
        return self.control(number, "/ready") is not None

    def await_ready(self, numbers, seconds=300):
        end = time.monotonic() + seconds
        for number in numbers:
            while not self.is_ready(number):
                if time.monotonic() > end or not is_alive(self.pids[number]):
                    sys.exit(f"gw-{number} is not ready; {self.log(number)}")
                time.sleep(0.05)

    def log(self, number):
        return "the end of its log:\n" + "\n".join((self.folder / f"gw-{number}.log").read_text().splitlines()[-20:])

    def figure(self, number, meter, label=""):
        """The sum of a meter over its labels, of those that have `label` in them; None if the member does not respond."""
        text = self.control(number, "/metrics")
        if text is None:
            return None
        found = re.findall(rf"^{meter}(\{{[^}}]*\}})? (\S+)$", text, re.MULTILINE)
        return sum(float(value) for labels, value in found if label in labels)

    def are_well(self):
        """Whether all members are ready, hear each other, and nobody has missed anything."""
        return all(self.is_well(number) for number in range(self.count))

    def is_well(self, number):
        heard = [self.figure(number, "millrace_cluster_members", f'state="{state}"') for state in ("heard", "paused")]
        return None not in heard and sum(heard) == self.count - 1 and self.figure(number, "millrace_cluster_missed_buckets") == 0 and self.is_ready(number)

    def holds_leases(self):
        return all(self.figure(number, "millrace_cluster_leases_held") == self.count - 1 for number in range(self.count))

    def start(self, number):
        with open(self.folder / f"gw-{number}.log", "a") as log:
            enter = self.namespaces.enter(number) if self.namespaces else []
            command = [*enter, "./millrace", "serve", "--config", f"gw-{number}.yaml"]
            self.pids[number] = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log).pid

    def signal(self, number, kind):
        os.kill(self.pids[number], kind)

    def end(self, number, kind):
        self.signal(number, kind)
        end = time.monotonic() + 60
        while is_alive(self.pids[number]):
            if time.monotonic() > end:
                sys.exit(f"gw-{number} does not end; {self.log(number)}")
            time.sleep(0.02)

    def network(self, *words):
        """A command of relay.py."""
        self.relay.stdin.write(" ".join(map(str, words)) + "\n")
        self.relay.stdin.flush()

    def cut(self, one, other):
        """Nothing that one member sends arrives at another any more, until the network is healed."""
        if self.namespaces:
            self.namespaces.cut(one, other)
        else:
            self.network("cut", f"gw-{one}", f"gw-{other}")

    def heal(self):
        if self.namespaces:
            self.namespaces.heal()
        else:
            self.network("heal")

    def cpu(self):
        """Seconds of processor that all members have used."""
        return sum(self.cpu_of(number) for number in range(self.count))

    def cpu_of(self, number):
        """Of the process's own clock, which the ticks of /proc are too coarse for: CPUCLOCK_SCHED of the kernel's posix-timers.h."""
        return time.clock_gettime(~self.pids[number] << 3 | 2)


def await_all(condition, seconds):
    """Whether a condition holds within some seconds."""
    end = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return holds


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
