#!/usr/bin/env python3
"""Makes shards by jobs of a gateway, and prints what that costs beside a copy of the same bytes, as rows of a table in Markdown. Each tar is
read by Python's tarfile, GNU tar and WebDataset, and each member compared; the first wrong byte, name or place ends the run. Traffic goes
to loopback only.

    pack.py --url http://127.0.0.1:17272 ... files|objects|shards|kills

bench/pack.sh starts what it needs: two S3 servers with their buckets in folders (--from-folder, --to-folder), and the gateway, with the
buckets `source` and `target` for them, and `samples`, derived from `source`. For `kills` START runs the gateway in the foreground.
"""
import hashlib
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import urllib.request

import known
from kill_copies import Gateway, killed_job, named_uploads, uploads, writes
from s3lite import S3
from samples import GIB, KIB, MIB, Shard, Wrong, numbered, options, row, run, several, store

ENDED = {"done", "done-with-failures", "failed", "cancelled"}

# Seconds.
LONGEST_JOB = 1800

# Of each at least one kill is expected.
MOST_KILLED_JOBS = 10


def sample_of(name):
    """The name up to the first dot of its last part, by WebDataset's rule."""
    folder, slash, file = name.rpartition("/")
    return folder + slash + file.partition(".")[0]


class Source:
    """Samples of two files each, below a prefix: names are without it."""

    def __init__(self, prefix, count, size):
        self.prefix, self.size = prefix, size
        self.names = [f"{number // 1000:03}/{number:06}.{end}" for number in range(count) for end in ("jpg", "seg.png")]

    def content(self, name):
        return known.content(f"{self.prefix}/{name}", self.size)

    def bytes(self):
        return len(self.names) * self.size


def submit(args, request):
    """Does a job, and returns it as it ended, which must be well."""
    job, latest = ask(args, "POST", "/jobs", request), time.monotonic() + LONGEST_JOB
    while job["state"] not in ENDED:
        if time.monotonic() > latest:
            raise RuntimeError(f"the job {request} has not ended: {job}")
        time.sleep(0.1)
        job = ask(args, "GET", f"/jobs/{job['id']}")
    if job["state"] != "done":
        raise Wrong(f"the job {request} is {job['state']}: {job.get('message')}")
    return job


def ask(args, method, path, body=None):
    extra = {"Content-Type": "application/json"} if body else None
    status, _, answer = S3(args.admin, *args.credentials).call(method, "/api/v1" + path, json.dumps(body).encode() if body else b"", extra=extra)
    if status not in (200, 201):
        raise RuntimeError(f"{method} {path} answers {status}: {answer[:500]}")
    return json.loads(answer)


def rate(job, size):
    """Bytes of objects a second, while the job worked."""
    return size / (job["activeMillis"] / 1000)


class Fetched:
    """Bytes of bodies that the gateway has read from the source, by its own meter, and all that the server has written, by the kernel."""

    def __init__(self, args):
        self.args, self.before = args, self.now(args)

    @staticmethod
    def now(args):
        with urllib.request.urlopen(f"{args.admin}/metrics", timeout=30) as response:
            found = re.search(r'^millrace_backend_received_bytes_total\{backend="source"[^}]*\} (\S+)', response.read().decode(), re.M)
        written = pathlib.Path(f"/proc/{args.from_pid}/io").read_text()
        return float(found[1]) if found else 0.0, int(re.search(r"^wchar: (\d+)", written, re.M)[1])

    def since(self):
        """(metered, written)."""
        return tuple(now - before for now, before in zip(self.now(self.args), self.before))


def require_fetched(fetched, size):
    """What is not cached was fetched: a meter that says much less counts something else."""
    if fetched < 0.98 * size:
        raise Wrong(f"{fetched:,.0f} bytes were fetched of objects of {size:,}")


def clear(args, prefix):
    """Removes what is below a prefix of the target, past the gateway."""
    shutil.rmtree(args.to_folder / "data" / prefix, ignore_errors=True)


def tars(args, prefix):
    folder = args.to_folder / "data" / prefix
    found = sorted(folder.glob("*.tar"))
    if not found or sorted(folder.glob("*.idx")) != [tar.with_suffix(".idx") for tar in found]:
        raise Wrong(f"{folder} has no tars, or no index beside each")
    return found


def copied(args, prefix, contents):
    """Compares what a copy has stored: (name, content or SHA-256)."""
    count = 0
    for name, expected in contents:
        path = args.to_folder / "data" / prefix / name
        if not path.exists():
            raise Wrong(f"the copy lacks {name}")
        right = digest(path) == expected if isinstance(expected, str) else path.read_bytes() == expected
        if not right:
            raise Wrong(f"the copy of {name} has other bytes")
        count += 1
    stored = sum(path.is_file() for path in (args.to_folder / "data" / prefix).rglob("*"))
    if stored != count:
        raise Wrong(f"the copy has {stored} objects of {count}")


def hashes(args, prefix):
    """Of all tars and their indexes."""
    return [(tar.name, digest(tar), digest(tar.with_suffix(".idx"))) for tar in tars(args, prefix)]


def digest(path):
    sha256 = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(MIB):
            sha256.update(piece)
    return sha256.hexdigest()


def members(args, prefix, content, most):
    """The names in all tars, in order. Each member is compared, and each index with one that is made here."""
    names = []
    for tar in tars(args, prefix):
        if tar.stat().st_size > most:
            raise Wrong(f"{tar.name} has {tar.stat().st_size} bytes, more than {most}")
        own, lines, sample = [], [], None
        with tarfile.open(tar, "r:") as archive:
            for entry in archive:
                if not entry.isreg() or (entry.mode, entry.uid, entry.gid, entry.mtime) != (0o644, 0, 0, 0):
                    raise Wrong(f"{tar.name}: the entry {entry.name} is {entry.get_info()}")
                if archive.extractfile(entry).read() != content(entry.name):
                    raise Wrong(f"{tar.name}: {entry.name} has wrong bytes")
                own.append(entry.name)
                if sample_of(entry.name) != sample:
                    sample = sample_of(entry.name)
                    lines.append([])
                lines[-1].append(f"{entry.name[len(sample) + 1:]} {entry.offset_data} {entry.size} {entry.name}")
        index = f"v1.2 {len(lines)}\n" + "".join(" ".join(line) + "\n" for line in lines)
        compare_index(args, tar, index)
        compare_list(tar, own)
        names += own
    return names


def compare_index(args, tar, index):
    stored = tar.with_suffix(".idx").read_text()
    if stored != index:
        raise Wrong(f"the index of {tar.name} differs from that of its members: {stored[:200]!r}, not {index[:200]!r}")
    if args.wds2idx:
        made = args.folder / "made.idx"
        subprocess.run([sys.executable, args.wds2idx, tar, made], check=True, capture_output=True)
        if made.read_text() != stored:
            raise Wrong(f"the index of {tar.name} differs from that of wds2idx")


def compare_list(tar, names):
    """What GNU tar lists, which complains of whatever it does not like."""
    done = subprocess.run(["tar", "--list", "--file", tar], capture_output=True, text=True, check=False)
    if done.returncode or done.stderr or done.stdout.splitlines() != names:
        raise Wrong(f"GNU tar reads {tar.name} otherwise: {done.returncode} {done.stderr[:300]}")


def by_webdataset(args, prefix, content, names):
    """How many samples WebDataset finds, each with its files and their bytes."""
    import webdataset

    seen = set()
    for sample in webdataset.WebDataset([str(tar) for tar in tars(args, prefix)], shardshuffle=False):
        name = sample["__key__"]
        ends = {end for end in sample if not end.startswith("__")}
        if ends != {"jpg", "seg.png"} or any(sample[end] != content(f"{name}.{end}") for end in ends):
            raise Wrong(f"WebDataset's sample {name} has {sorted(ends)}, or wrong bytes")
        seen.add(name)
    if seen != set(map(sample_of, names)):
        raise Wrong(f"WebDataset finds {len(seen)} samples of {len(names) // 2}")
    return len(seen)


def readers(args):
    return "GNU tar, WebDataset, " + ("wds2idx" if args.wds2idx else "an index that is made by tarfile")


# Each part that follows prints its rows.


def objects(args):
    """Packs many small objects, beside a copy of them."""
    source = small(args)
    most, figures = 64 * MIB, []
    pack = {
        "kind": "pack", "from": {"bucket": "source", "prefix": "small/"}, "to": {"bucket": "target", "prefix": "packed/"},
        "shards": {"name": "shard-%06d.tar", "size": "64MiB"},
    }
    copy = {"kind": "copy", "from": {"bucket": "source", "prefix": "small/"}, "to": {"bucket": "target", "prefix": "copied/"}}
    # The gateway has been running for a while.
    submit(args, copy | {"from": {"bucket": "source", "prefix": "small/000/"}})
    submit(args, pack | {"from": {"bucket": "source", "prefix": "small/000/"}})
    for number in range(args.rounds):
        clear(args, "copied")
        clear(args, "packed")
        copying = submit(args, copy)
        copied(args, "copied", ((name, source.content(name)) for name in source.names))
        fetched = Fetched(args)
        packing = submit(args, pack)
        fetched = fetched.since()[0]
        require_fetched(fetched, source.bytes())
        names = members(args, "packed", source.content, most)
        if names != sorted(source.names):
            raise Wrong(f"the tars have {len(names)} members of {len(source.names)}, or in another order")
        figures.append((rate(packing, source.bytes()), rate(copying, source.bytes()), fetched / source.bytes()))
    count = by_webdataset(args, "packed", source.content, source.names)
    show("pack", f"{len(source.names):,} objects of 10 KiB", figures, "")
    row(f"{len(tars(args, 'packed')):,} tars of {count:,} samples, in the order of keys, read by {readers(args)}",
        "every member once, each byte and index right", "every one")
    again = submit(args, pack)
    progress = again["progress"]
    row("the same pack once more: tars skipped; bytes moved", f"{progress['skipped']:,}; {progress['movedBytes']:,}", "all; 0",
        progress["skipped"] != len(tars(args, "packed")) or progress["movedBytes"] > 0)


def show(kind, what, figures, goal):
    own, other, fetched = zip(*figures)
    ratios = [mine / copy for mine, copy in zip(own, other)]
    row(f"{kind} of {what}: MiB/s; of a copy job of the same bytes; the ratio",
        f"{several([one / MIB for one in own], '.0f')}; {several([one / MIB for one in other], '.0f')}; {several(ratios, '.2f')}",
        f"≥ {goal}" if goal else "", bool(goal) and min(ratios) < goal)
    row("bytes from the backend ÷ those of the objects", several(fetched, ".3f"), "≤ 1.02", max(fetched) > 1.02)


def shards(args):
    """Shuffles the samples of shards into others, twice, beside copies of the shards: cold, then cached."""
    size = 100 * KIB
    whole = int(args.gib * GIB)
    each = min(GIB, whole // 4) if args.gib < 4 else GIB
    per_shard = each // (2 * (size + 512))
    archives = [
        Shard(f"shards/{number:04}.tar",
              tuple(f"{number:04}-{sample:06}.{end}" for sample in range(per_shard) for end in ("jpg", "seg.png")), size)
        for number in range(whole // each)
    ]
    stored = {shard.key.removeprefix("shards/"): store(args, shard) for shard in archives}
    total = sum(count for count, _ in stored.values())
    # A member's name in the new tars begins with that of its old tar.
    expected = {f"{shard.key.removeprefix('shards/')}/{name}": shard for shard in archives for name in shard.names}

    def content(name):
        shard = expected.get(name)
        if shard is None:
            raise Wrong(f"{name} is the name of no sample")
        return shard.content(name.rpartition("/")[2])

    def copy(prefix):
        to = {"bucket": "target", "prefix": "copied/"}
        return submit(args, {"kind": "copy", "from": {"bucket": "source", "prefix": prefix}, "to": to})

    def reshard(prefix, to):
        return submit(args, {
            "kind": "pack", "from": {"bucket": "samples", "prefix": prefix}, "to": {"bucket": "target", "prefix": to},
            "shards": {"name": "shard-%06d.tar", "size": f"{each}B", "shuffle": 7}})

    # The gateway has been running for a while.
    for number in range(4):
        store(args, Shard(f"warm/{number}.tar", numbered(400), size))
    copy("warm/")
    reshard("warm/", "warm/")
    figures, made = [], []
    for number in range(2):
        clear(args, "copied")
        copying = copy("shards/")
        copied(args, "copied", ((name, sha256) for name, (_, sha256) in stored.items()))
        clear(args, "copied")
        prefix = f"seed-7-{number}"
        fetched = Fetched(args)
        packing = reshard("shards/", f"{prefix}/")
        metered, written = fetched.since()
        if number == 0:
            require_fetched(min(metered, written), total)
        names = members(args, prefix, content, each)
        if sorted(names) != sorted(expected) or names == sorted(expected):
            raise Wrong(f"the tars have {len(names)} members of {len(expected)}, not each once, or they are not shuffled")
        made.append(hashes(args, prefix))
        figures.append((rate(packing, total), rate(copying, total), metered / total, written / total))
        if number == 0:
            count = by_webdataset(args, prefix, content, expected)
            clear(args, prefix)
    if made[0] != made[1]:
        raise Wrong("the same seed made other tars")
    show("reshard", f"{total / GIB:.2f} GiB of {len(archives)} tars by seed 7, cold, then cached", [one[:3] for one in figures], 0.8)
    row("all bytes that the server wrote, headers included ÷ those of the tars", several([one[3] for one in figures], ".3f"), "")
    row(f"SHA-256 of {len(made[0])} tars and their indexes, made twice by seed 7; {count:,} samples read by {readers(args)}",
        "the same; every member once, each byte and index right", "the same")


def files(args):
    """Makes the files that `objects` packs, to be uploaded."""
    source = small(args)
    for name in source.names:
        path = args.folder / "files" / source.prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.content(name))


def small(args):
    return Source("small", args.objects // 2, 10 * KIB)


def kills(args):
    """Shuffles the samples of shards into others, which are stored in parts, while the gateway is killed again and again; then once without a
    kill. The former append, so that what is there is not replaced."""
    size, each = 100 * KIB, 150 * MIB
    archives = [Shard(f"killed/{number}.tar", numbered(1400), size) for number in range(4)]
    for shard in archives:
        store(args, shard)
    expected = {f"{shard.key.removeprefix('killed/')}/{name}": shard for shard in archives for name in shard.names}
    bandwidth = f"{max(1, int(len(expected) * size / args.seconds / MIB))}MiB"

    def request(prefix, **more):
        return {
            "kind": "pack", "from": {"bucket": "samples", "prefix": "killed/"}, "to": {"bucket": "target", "prefix": f"{prefix}/"},
            "shards": {"name": "shard-%06d.tar", "size": "150MiB", "shuffle": 7, **more}}

    jobs, killed, met = {}, 0, 0
    with open(args.output, "ab") as output:
        gateway = Gateway(args.start, S3(args.admin, *args.credentials), output)
        gateway.run()
        while killed < args.kills and len(jobs) < MOST_KILLED_JOBS:
            prefix, due = f"killed-{len(jobs)}", args.kills - killed
            # One tar after another: kills are aimed at the beginning of uploads.
            slow = request(prefix, append=True) | {"bandwidth": bandwidth, "workers": 1}
            jobs[prefix], done, intents, _ = killed_job(gateway, slow, due, args.seconds * due / args.kills, args.data, None)
            killed, met = killed + done, met + intents
        submit(args, request("whole"))
        gateway.kill(signal.SIGTERM)
    names = members(args, "whole", lambda name: expected[name].content(name.rpartition("/")[2]), each)
    if sorted(names) != sorted(expected):
        raise Wrong(f"the tars have {len(names)} members of {len(expected)}, or not each once")
    whole = hashes(args, "whole")
    for prefix, job in jobs.items():
        counts = tuple(job["progress"][what] for what in ("done", "skipped", "failed"))
        if job["state"] != "done" or counts != (len(whole), 0, 0):
            raise Wrong(f"the job {prefix} of {len(whole)} tars is {job['state']}: {job.get('message')} {job['progress']}")
        if hashes(args, prefix) != whole:
            raise Wrong(f"the tars or indexes below {prefix} are others than those that were made without a kill")
    if killed < args.kills:
        raise Wrong(f"{len(jobs)} jobs have ended after {killed} kills")
    twice = {key: times for key, times in writes(args.to_log, "data").items() if key.startswith("killed-") and times != 1}
    if twice:
        raise Wrong(f"the server was told to store again what it had: {twice}")
    named = named_uploads(args.output)
    left = uploads(S3(args.target, *args.credentials), "data", named)
    if left:
        raise Wrong(f"uploads of {left} are left")
    row(f"kill -9, {killed} times, while {len(expected):,} samples are shuffled into {len(whole)} tars of up to 150 MiB, in parts, {len(jobs)} times; {met} met "
        "an upload without an id", f"tars and indexes as without a kill, every sample once, each written once; uploads left: 0, and {len(named)} that the log "
        "names", "the same")


PARTS = {"files": files, "objects": objects, "shards": shards, "kills": kills}


def main():
    parser = options(__doc__, PARTS)
    parser.add_argument("--from-folder", type=pathlib.Path, required=True)
    parser.add_argument("--to-folder", type=pathlib.Path, required=True)
    parser.add_argument("--from-pid", required=True, help="of the server with the source")
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--gib", type=float, default=10)
    parser.add_argument("--target", required=True, help="the endpoint of the server with the target")
    parser.add_argument("--to-log", help="the access log of that server")
    parser.add_argument("--start", help="a command that is the gateway")
    parser.add_argument("--data", help="its folder")
    parser.add_argument("--output", help="where its log goes")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--wds2idx", help="NVIDIA's program, tools/wds2idx.py of DALI")
    run(parser, PARTS)


if __name__ == "__main__":
    main()
