"""Members in network namespaces, as machines of their own: each has an address on a bridge, over which clients and the store reach it too.

What is cut is dropped where it would arrive, unseen by both ends, and comes when its sender repeats it after the end of the cut. Needs root, and the
bridge BRIDGE of `run`.
"""

import subprocess

BRIDGE = "members"


class Namespaces:
    """One for each of some members, until it is closed. Each lives as long as a process that waits for the end of its input."""

    def __init__(self, count):
        self.holders, self.cuts = [], []
        try:
            for number in range(count):
                self.add(number, count)
        except BaseException:
            self.close()
            raise

    def add(self, number, count):
        holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo ready; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.holders.append(holder)
        if holder.stdout.readline() != "ready\n":
            raise OSError(f"no network namespace could be made for gw-{number}; as root on Linux it can")
        ip("link", "add", link(number), "type", "veth", "peer", "name", "eth0", "address", hardware(number), "netns", holder.pid)
        ip("link", "set", link(number), "master", BRIDGE, "up")
        # A rule that drops must come before the one that finds a member's own address.
        own = ["link set lo up", f"address add {address(number)}/24 dev eth0", "link set eth0 up", "rule add pref 100 lookup local", "rule del pref 0 lookup local"]
        # Otherwise who is cut off is told soon that nobody has the other's address.
        own += [f"neighbour add {address(other)} lladdr {hardware(other)} dev eth0" for other in range(count) if other != number]
        subprocess.run([*self.enter(number), "ip", "-batch", "-"], input="\n".join(own) + "\n", text=True, check=True)

    def enter(self, number):
        """The beginning of a command that runs in the namespace of a member."""
        return ["nsenter", f"--net={self.file(number)}"]

    def file(self, number):
        return f"/proc/{self.holders[number].pid}/ns/net"

    def cut(self, one, other):
        """Nothing arrives from one member at another any more."""
        rule = ["pref", "10", "from", address(one), "iif", "eth0", "blackhole"]
        ip("rule", "add", *rule, enter=self.enter(other))
        self.cuts.append((other, rule))

    def heal(self):
        while self.cuts:
            other, rule = self.cuts.pop()
            ip("rule", "del", *rule, enter=self.enter(other))

    def close(self):
        for number, holder in enumerate(self.holders):
            subprocess.run(["ip", "link", "delete", link(number)], stderr=subprocess.DEVNULL)
            holder.kill()
            holder.wait()


def address(number):
    return f"10.213.0.1{number}"


def hardware(number):
    return f"02:00:00:00:00:1{number}"


def link(number):
    """The bridge's end of what a member is connected by."""
    return f"to-gw-{number}"


def ip(*words, enter=()):
    subprocess.run([*enter, "ip", *map(str, words)], check=True)
