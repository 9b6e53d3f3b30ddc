"""Clients of scratch buckets, each as it uses one: blocks, locks, shuffles, spilled objects, what a compiler made.

    scratch_writes.py           all clients; TABLES_PYTHON, SCRATCH_PYTHON and SCCACHE name the programs that it starts
    scratch_writes.py s3fs      the shuffle alone, in the environment that has s3fs
    scratch_writes.py spill     spilled objects alone, in the environment that has smart_open
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import expected
from expected import BUCKET, same, same_bytes

# What servers.sh has without a backend; objects of the second one have two seconds.
SCRATCH, BRIEF = "kv-blocks", "kv-brief"
DOMAIN = "s3.localhost"
WORK = Path(os.environ["WORK"])
HERE = Path(__file__).parent
LARGE = expected.FOLDER / "tree/sizes/large/20MiB+1"
MIB = 1024 * 1024
RACERS = 16


def main() -> None:
    match sys.argv[1:]:
        case []:
            everybody()
        case ["s3fs"]:
            shuffle()
        case ["spill"]:
            spill()
        case _:
            sys.exit(__doc__)


def everybody() -> None:
    import session

    s3 = session.connect()
    is_there(s3)
    locks(s3)
    races(s3)
    expiry(s3)
    copies(s3)
    refusals(s3)
    empty(s3)
    for name, python in (("boto3", sys.executable), ("s3fs", os.environ["TABLES_PYTHON"])):
        start(f"all writes of {name}", python, "-B", HERE / f"{name}_writes.py", settings=everything())
        empty(s3)
    start("s3fs", os.environ["TABLES_PYTHON"], "-B", __file__, "s3fs")
    start("smart_open", os.environ["SCRATCH_PYTHON"], "-B", __file__, "spill")
    empty(s3)
    host = f"{SCRATCH}.{DOMAIN}"
    start("awscrt", *with_name(host), sys.executable, "-B", HERE / "scratch_crt.py", host)
    empty(s3)
    compile_twice()
    empty(s3)


def start(client: str, *command, settings=os.environ) -> None:
    print(f"== {client}", flush=True)
    subprocess.run([str(one) for one in command], env=settings, check=True)


def everything() -> dict[str, str]:
    """What an ordinary bucket in front of S3 has, but tags."""
    yes = ("KEEPS", "CHECKSUMMED", "CONDITIONAL_PARTS", "UPLOADS")
    return os.environ | {"BUCKET": SCRATCH, "TAGS": "no"} | dict.fromkeys(yes, "yes")


def with_name(host: str) -> list[str]:
    """Begins a command that finds the host here, which the machine's own table does not have."""
    hosts = WORK / "hosts"
    hosts.write_text(f"127.0.0.1 localhost {host}\n")
    mounted = 'mount --bind "$0" /etc/hosts && exec "$@"'
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", mounted, str(hosts)]


# boto3


def is_there(s3) -> None:
    """Those that make their bucket take this for success."""
    from session import fails

    s3.head_bucket(Bucket=SCRATCH)
    fails("BucketAlreadyOwnedByYou", s3.create_bucket, SCRATCH)
    same("objects at first", s3.list_objects_v2(Bucket=SCRATCH)["KeyCount"], 0)


def locks(s3) -> None:
    """As Dynamo does: who creates the key has the lock, and who saw it expire takes it over by the tag that it saw."""
    from session import fails

    print("== boto3", flush=True)
    lock = {"Bucket": SCRATCH, "Key": "locks/registry"}
    fails("404", s3.head_object, SCRATCH, Key=lock["Key"])
    fails("NoSuchKey", s3.put_object, SCRATCH, Key=lock["Key"], Body=b"nobody", IfMatch='"0123456789abcdef-0"')
    first = s3.put_object(**lock, Body=b"worker 0", IfNoneMatch="*")["ETag"]
    fails("PreconditionFailed", s3.put_object, SCRATCH, Key=lock["Key"], Body=b"worker 1", IfNoneMatch="*")
    seen = s3.get_object(**lock)
    same("the lock", (seen["ETag"], seen["Body"].read()), (first, b"worker 0"))
    second = s3.put_object(**lock, Body=b"worker 0", IfMatch=seen["ETag"])["ETag"]
    same("another tag of the same bytes", second != first, True)
    fails("PreconditionFailed", s3.put_object, SCRATCH, Key=lock["Key"], Body=b"worker 1", IfMatch=first)
    same("the holder", s3.get_object(**lock)["Body"].read(), b"worker 0")
    s3.delete_object(**lock)
    fails("NoSuchKey", s3.get_object, SCRATCH, Key=lock["Key"])
    # Markers are empty.
    s3.put_object(**lock, Body=b"", IfNoneMatch="*")
    same("size of the marker", s3.head_object(**lock)["ContentLength"], 0)


def races(s3) -> None:
    """Of many that create a lock one has it, and of many that take it over by the same tag."""
    for turn in range(20):
        key = f"locks/race-{turn}"
        tag = only_winner(s3, key, {"IfNoneMatch": "*"})
        for _ in range(2):
            tag = only_winner(s3, key, {"IfMatch": tag})


def only_winner(s3, key: str, condition: dict[str, str]) -> str:
    from botocore.exceptions import ClientError

    def put(racer: int) -> str | None:
        try:
            return s3.put_object(Bucket=SCRATCH, Key=key, Body=f"racer {racer}".encode(), **condition)["ETag"]
        except ClientError as error:
            same("refused", error.response["Error"]["Code"] in ("PreconditionFailed", "ConditionalRequestConflict"), True)
            return None

    with ThreadPoolExecutor(RACERS) as racers:
        won = [(racer, tag) for racer, tag in enumerate(racers.map(put, range(RACERS))) if tag is not None]
    same(f"winners of {key} by {condition}", len(won), 1)
    ((racer, tag),) = won
    found = s3.get_object(Bucket=SCRATCH, Key=key)
    same(key, (found["ETag"], found["Body"].read()), (tag, f"racer {racer}".encode()))
    return tag


def expiry(s3) -> None:
    from botocore.exceptions import ClientError
    from session import fails

    lock = {"Bucket": BRIEF, "Key": "lock"}
    s3.put_object(**lock, Body=b"for two seconds")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            same("before its end", s3.get_object(**lock)["Body"].read(), b"for two seconds")
        except ClientError as error:
            same("beyond its time", error.response["Error"]["Code"], "NoSuchKey")
            break
        time.sleep(0.1)
    fails("NoSuchKey", s3.get_object, BRIEF, Key="lock")
    same("listed beyond its time", s3.list_objects_v2(Bucket=BRIEF)["KeyCount"], 0)
    s3.put_object(**lock, Body=b"created again", IfNoneMatch="*")
    s3.delete_object(**lock)


def copies(s3) -> None:
    """From an ordinary bucket and back, whole and in parts."""
    from boto3.s3.transfer import TransferConfig

    parts = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB)
    described = {"ContentType": "text/csv", "Metadata": {"colour": "blue"}}
    s3.upload_file(str(LARGE), BUCKET, "large", ExtraArgs=described, Config=parts)
    for source, target in ((BUCKET, SCRATCH), (SCRATCH, BUCKET)):
        whole, in_parts = f"into {target}/ä + %", f"into {target}/in parts"
        s3.copy_object(Bucket=target, Key=whole, CopySource={"Bucket": source, "Key": "large"})
        s3.copy({"Bucket": source, "Key": "large"}, target, in_parts, Config=parts)
        for key in (whole, in_parts):
            answer = s3.get_object(Bucket=target, Key=key)
            same_bytes(key, answer["Body"].read(), expected.SHA256["sizes/large/20MiB+1"])
            same(f"description of {key}", {name: answer[name] for name in described}, described)
        if target == SCRATCH:
            s3.copy_object(Bucket=target, Key="large", CopySource={"Bucket": target, "Key": in_parts})


def refusals(s3) -> None:
    """As a backend without them says it."""
    from session import fails

    tags = {"TagSet": [{"Key": "colour", "Value": "blue"}]}
    s3.put_object(Bucket=SCRATCH, Key="plain", Body=b"plain")
    fails("NotImplemented", s3.put_object_tagging, SCRATCH, Key="plain", Tagging=tags)
    fails("NoSuchVersion", s3.get_object, SCRATCH, Key="plain", VersionId="1")
    fails("NotImplemented", s3.delete_bucket, SCRATCH)
    # Beyond the quota, in one piece.
    fails("EntityTooLarge", s3.put_object, BRIEF, Key="large", Body=bytes(65 * MIB))


def empty(s3) -> None:
    """Takes all away, as the next run finds it."""
    uploads = s3.list_multipart_uploads(Bucket=SCRATCH).get("Uploads", [])
    same("uploads left open", [one["Key"] for one in uploads], [])
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=SCRATCH):
        if keys := [{"Key": one["Key"]} for one in page.get("Contents", [])]:
            answer = s3.delete_objects(Bucket=SCRATCH, Delete={"Objects": keys, "Quiet": True})
            same("errors of the delete", answer.get("Errors", []), [])
    same("objects behind the delete", s3.list_objects_v2(Bucket=SCRATCH)["KeyCount"], 0)


# s3fs


def shuffle() -> None:
    """Each of some writers has a file for each of the readers, which list what is theirs, read and delete it."""
    import s3fs_session

    s3 = s3fs_session.connect()
    writers, readers = range(20), range(25)
    files = {
        f"{SCRATCH}/shuffle/reader={reader}/from-{writer}": rows(writer, reader) for writer in writers for reader in readers
    }
    s3.pipe(files)
    same("files", sorted(s3.find(f"{SCRATCH}/shuffle")), sorted(files))
    for reader in readers:
        folder = f"{SCRATCH}/shuffle/reader={reader}"
        mine = {path: body for path, body in files.items() if path.startswith(folder + "/")}
        same(folder, sorted(s3.ls(folder, detail=False)), sorted(mine))
        found = s3.cat(list(mine))
        for path, body in mine.items():
            same(f"bytes of {path}", found[path] == body, True)
        s3.rm(folder, recursive=True)
        same(f"what is left of {folder}", s3.find(folder), [])
    same("what is left", s3.find(f"{SCRATCH}/shuffle"), [])
    # One file of a writer with all its rows, of which each reader takes its range.
    path, pieces = f"{SCRATCH}/shuffle/all-of-0", [rows(0, reader) for reader in readers if reader % 5]
    with s3.open(path, "wb", block_size=5 * MIB) as file:
        for piece in pieces:
            file.write(piece)
    ends = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    starts = [0, *ends[:-1]]
    same("ranges", s3.cat_ranges([path] * len(pieces), starts, ends) == pieces, True)
    s3.rm(path)
    same("the file", s3.exists(path), False)


def rows(writer: int, reader: int) -> bytes:
    """Up to 39 KiB; some have none."""
    return hashlib.shake_256(f"{writer}/{reader}".encode()).digest((writer * 7 + reader) % 5 * 9999)


# smart_open


def spill() -> None:
    """As Ray does: objects are fused in one file, and each is restored from where it begins."""
    import session
    from smart_open import open as smart_open

    options = {"client": session.connect()}
    url, content = f"s3://{SCRATCH}/ray_spilled/node-1/fused", LARGE.read_bytes()
    edges = [0, 1, 100_000, 4 * MIB, 4 * MIB + 7, 17 * MIB, len(content)]
    objects = [(first, content[first:last]) for first, last in zip(edges, edges[1:])]
    with smart_open(url, "wb", transport_params=options | {"min_part_size": 5 * MIB}) as file:
        for _, body in objects:
            file.write(body)
    for first, body in reversed(objects):
        with smart_open(url, "rb", transport_params=options | {"defer_seek": True}) as file:
            file.seek(first)
            same(f"object at {first}", file.read(len(body)) == body, True)
    options["client"].delete_object(Bucket=SCRATCH, Key="ray_spilled/node-1/fused")
    session.fails("NoSuchKey", options["client"].get_object, SCRATCH, Key="ray_spilled/node-1/fused")


# sccache


def compile_twice() -> None:
    """Two servers of sccache, each with nothing of its own: what the first one stored is what the second one finds."""
    print("== sccache", flush=True)
    sources = [WORK / f"unit{n}.c" for n in range(8)]
    for n, source in enumerate(sources):
        table = ", ".join(str(n * one) for one in range(500))
        source.write_text(f"static int table[] = {{{table}}};\nint look_up_{n}(int at) {{ return table[at]; }}\n")
    plain = compiled(sources, ["cc"], os.environ)
    for turn, (hits, misses) in enumerate([(0, len(sources)), (len(sources), 0)]):
        settings = compiler_settings(turn)
        sccache(settings, "--start-server")
        try:
            found = compiled(sources, [os.environ["SCCACHE"], "cc"], settings)
            counts = json.loads(sccache(settings, "--show-stats", "--stats-format=json"))["stats"]
        finally:
            sccache(settings, "--stop-server")
        same(f"compiled in turn {turn}", found == plain, True)
        same(f"hits and misses in turn {turn}", (total(counts["cache_hits"]), total(counts["cache_misses"])), (hits, misses))
        troubles = ("cache_errors", "cache_timeouts", "cache_read_errors", "cache_write_errors")
        same(f"troubles in turn {turn}", {one: total(counts[one]) for one in troubles}, dict.fromkeys(troubles, 0))


def compiler_settings(turn: int) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SCCACHE", "RUSTC"))}
    scheme, place = expected.ENDPOINT.split("://")
    return kept | {
        "AWS_ACCESS_KEY_ID": expected.ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": expected.SECRET_KEY,
        "SCCACHE_BUCKET": SCRATCH,
        "SCCACHE_ENDPOINT": place,
        "SCCACHE_REGION": "auto",
        "SCCACHE_S3_USE_SSL": "true" if scheme == "https" else "false",
        "SCCACHE_S3_KEY_PREFIX": "sccache",
        "SCCACHE_DIR": str(WORK / f"sccache-{turn}"),
        "SCCACHE_CONF": str(WORK / "none.toml"),
        "SCCACHE_SERVER_UDS": str(WORK / f"sccache-{turn}.sock"),
        "SCCACHE_ERROR_LOG": str(WORK / f"sccache-{turn}.log"),
        "SCCACHE_LOG": "warn",
    }


def sccache(settings: dict[str, str], *arguments: str) -> str:
    ran = subprocess.run([os.environ["SCCACHE"], *arguments], env=settings, capture_output=True, text=True, timeout=120)
    if ran.returncode:
        log = Path(settings["SCCACHE_ERROR_LOG"])
        raise SystemExit(f"sccache {arguments}: {ran.stderr}\n{log.read_text() if log.exists() else ''}")
    return ran.stdout


def compiled(sources: list[Path], compiler: list[str], settings) -> list[bytes]:
    made = [source.with_suffix(".o") for source in sources]
    for source, target in zip(sources, made):
        subprocess.run([*compiler, "-O1", "-c", str(source), "-o", str(target)], env=settings, check=True, timeout=120)
    bodies = [target.read_bytes() for target in made]
    for target in made:
        target.unlink()
    return bodies


def total(count: dict | int) -> int:
    """Some are counted by language."""
    return count if isinstance(count, int) else sum(count["counts"].values())


main()
