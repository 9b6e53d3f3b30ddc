"""A cluster of three processes under faults, restarts and real clients, behind balancers, and what it costs. Ends with 1 if a promise of docs/cluster.md is broken.

    check.py ROOT WORK STORE STORE_FOLDER ACCESS:SECRET PART...     FAULT_SECONDS, OPERATIONS, SEED, ONLY, MEMBERS, REQUESTS, NAMESPACES are in the environment
"""

import os
import pathlib
import signal
import sys
import time
import traceback

sys.path.append(str(pathlib.Path(sys.argv[1]) / "bench"))

import clients
import costs
import faults
import homes
import promises
import scale
from members import ANNOUNCED, STRONG
from s3lite import S3

PARTS = {
    "clients": clients.run_clients,
    "balancers": promises.run_balancers,
    "tls": clients.run_tls,
    "faults": faults.run_faults,
    "restarts": faults.run_restarts,
    "costs": costs.run_costs,
    "homes": homes.run_homes,
    "scale": scale.run_scale,
}


class Place:
    """Where the parts work, what they are told, and what they find."""

    def __init__(self, root, work, store, store_folder, keys):
        self.root, self.work, self.store, self.store_folder = pathlib.Path(root), pathlib.Path(work), store, pathlib.Path(store_folder)
        self.store_key = keys.split(":")
        self.seconds, self.operations = float(os.environ["FAULT_SECONDS"]), int(os.environ["OPERATIONS"])
        self.brief, self.seed = os.environ.get("BRIEF") == "yes", os.environ["SEED"]
        self.only = os.environ.get("ONLY")
        self.members, self.requests = int(os.environ["MEMBERS"]), int(os.environ["REQUESTS"])
        self.namespaces = os.environ.get("NAMESPACES") == "yes"
        self.broken_promises, self.result = [], []

    def say(self, text):
        self.result.append(text)
        print(time.strftime("%T"), text, flush=True)

    def table(self, rows):
        lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
        lines.insert(1, "|" + "---|" * len(rows[0]))
        self.result += lines
        print(*lines, sep="\n", flush=True)

    def attempt(self, part):
        """Does one of several parts; what ends it early does not end the others."""
        try:
            part(self)
        except (Exception, SystemExit):
            traceback.print_exc()
            self.broken(f"{part.__name__} ended early: {sys.exc_info()[1]!r}")

    def hold(self, holds, otherwise):
        if not holds:
            self.broken(otherwise)

    def broken(self, promise):
        self.broken_promises.append(promise)
        print(f"BROKEN {promise}", flush=True)


def main():
    # So that whoever stops this leaves no server behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    place, parts = Place(*sys.argv[1:6]), sys.argv[6:]
    for bucket in (STRONG, ANNOUNCED, homes.STRICT):
        status, _, said = S3(place.store, *place.store_key).call("PUT", f"/{bucket}")
        assert status == 200, said
    for part in parts:
        begun = time.monotonic()
        place.attempt(PARTS[part])
        place.say(f"{part}: {time.monotonic() - begun:.0f} s")
    print("", *place.result, "", sep="\n")
    print(*(f"BROKEN {promise}" for promise in place.broken_promises), f"{len(place.broken_promises)} promises broken", sep="\n")
    sys.exit(1 if place.broken_promises else 0)


main()
