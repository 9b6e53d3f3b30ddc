#!/usr/bin/env python3
"""An emulator of the I/O of RetinaNet as MLPerf Storage v3.0 has it with objects, not a submission, nor DLIO itself: no result of it may be called
one of MLPerf.

What is the same (configs/dlio/workload/retinanet_b200.yaml of mlcommons/storage): objects of 322,957 bytes, batches of 24 of them in an
order that is shuffled for each epoch, 8 processes that read a batch ahead each, an object a request by the `minio` client as it is, a step of
47.55 ms in which nothing is computed, one simulated accelerator, and the accelerator utilization (AU) as DLIO counts it: the time of the
steps ÷ the time of the epoch, both without the first step. Otherwise: fewer objects (1,170,301), fewer epochs (8), no PyTorch, and each
object's bytes are compared. Traffic goes to loopback only.

    retinanet.py --url http://127.0.0.1:17272 --key A:S --samples 20000 "through Millrace, warm"

--reader batch reads a batch by one request of clients/python instead, which no implementation of MLPerf's does.
"""
import argparse
import concurrent.futures
import multiprocessing
import os
import pathlib
import random
import statistics
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "clients" / "python" / "src"))

import known
from cost_of_get import cpu_seconds

SIZE, BATCH, PROCESSES, STEP, GOAL = 322_957, 24, 8, 0.04755, 85
PREFIX = "retinanet"


class Wrong(Exception):
    """An object that is not what was stored."""


def key_of(number):
    return f"{PREFIX}/{number // 1000:03}/{number:06}"


def minio(args):
    from minio import Minio

    access_key, secret_key = args.key.split(":", 1)
    host = urllib.parse.urlsplit(args.url).netloc
    return Minio(host, access_key=access_key, secret_key=secret_key, secure=False, region="us-east-1")


def by_minio(args):
    """Reads the objects with these numbers; returns the seconds of each request."""
    client, pool = minio(args), concurrent.futures.ThreadPoolExecutor(args.threads)

    def read(number):
        began = time.perf_counter()
        answer = client.get_object(args.bucket, key_of(number))
        try:
            body = answer.read()
        finally:
            answer.close()
            answer.release_conn()
        seconds = time.perf_counter() - began
        compare(number, body)
        return seconds

    return lambda numbers: list(pool.map(read, numbers) if args.threads > 1 else map(read, numbers))


def by_batch(args):
    import millrace

    client = millrace.Client(args.url, credentials=args.key.split(":", 1), region="us-east-1", patience=0)

    def read(numbers):
        began = time.perf_counter()
        found = client.get_batch(args.bucket, list(map(key_of, numbers)))
        seconds = time.perf_counter() - began
        for number, body in zip(numbers, found, strict=True):
            compare(number, body)
        return [seconds]

    return read


def compare(number, body):
    if body != known.content(key_of(number), SIZE):
        raise Wrong(f"{key_of(number)} has wrong bytes, {len(body)} of {SIZE}: {body[:60]}")


def work(args, pipe):
    """A reader process: batches by their numbers, until it is told no more."""
    read = {"minio": by_minio, "batch": by_batch}[args.reader](args)
    pipe.send("ready")
    while (numbers := pipe.recv()) is not None:
        try:
            pipe.send((numbers, read(numbers)))
        except Exception as failure:  # it ends the run; not each of other packages can be sent
            pipe.send(failure if isinstance(failure, Wrong) else RuntimeError(repr(failure)))
            return


class Epochs:
    """Epochs by the same reader processes."""

    def __init__(self, args):
        self.args, self.seconds = args, []
        context = multiprocessing.get_context("fork")
        self.pipes, self.processes = [], []
        for _ in range(PROCESSES):
            own, other = context.Pipe()
            process = context.Process(target=work, args=(args, other), daemon=True)
            process.start()
            other.close()
            self.pipes.append(own)
            self.processes.append(process)
        # What they import is no part of an epoch.
        for own in self.pipes:
            own.recv()

    def run(self, epoch):
        """(AU in percent, samples a second) of an epoch."""
        order = random.Random(f"7/{epoch}").sample(range(self.args.samples), self.args.samples)
        batches = [order[at:at + BATCH] for at in range(0, len(order) - BATCH + 1, BATCH)]
        for batch, pipe in zip(batches, self.pipes):
            pipe.send(batch)
        computed, began, first, seen = [], time.perf_counter(), 0.0, 0
        for number, batch in enumerate(batches):
            pipe = self.pipes[number % PROCESSES]
            answer = pipe.recv()
            if isinstance(answer, Exception):
                raise answer
            if answer[0] != batch:
                raise Wrong(f"batch {number} of epoch {epoch} is another one")
            self.seconds += answer[1]
            seen += len(answer[0])
            if number + PROCESSES < len(batches):
                pipe.send(batches[number + PROCESSES])
            at = time.perf_counter()
            time.sleep(STEP)
            computed.append(time.perf_counter() - at)
            if number == 0:
                first = time.perf_counter() - began
        total = time.perf_counter() - began - first
        if seen != len(batches) * BATCH:
            raise Wrong(f"{seen} samples were read, not {len(batches) * BATCH}")
        return 100 * sum(computed[1:]) / total, BATCH * (len(batches) - 1) / total

    def end(self):
        for pipe in self.pipes:
            pipe.send(None)
        for process in self.processes:
            process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("label")
    parser.add_argument("--url", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--bucket", default="data")
    parser.add_argument("--pid", help="of the gateway, whose CPU is counted")
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="objects that a process reads at a time")
    parser.add_argument("--reader", choices=("minio", "batch"), default="minio")
    parser.add_argument("--unlisted", action="store_true", help="do not list the objects first")
    parser.add_argument("--goal", action="store_true")
    args = parser.parse_args()
    if args.samples < 2 * BATCH:
        sys.exit(f"fewer than {2 * BATCH} samples have no steps to measure")
    epochs = Epochs(args)
    try:
        if not args.unlisted:
            listed = sorted(found.object_name for found in minio(args).list_objects(args.bucket, prefix=f"{PREFIX}/", recursive=True))
            if listed != list(map(key_of, range(args.samples))):
                raise Wrong(f"{len(listed)} objects are listed, not {args.samples}, or others")
        spent, own = cpu_seconds(args.pid) if args.pid else 0, cpu_seconds(os.getpid())
        figures = [epochs.run(epoch) for epoch in range(args.epochs)]
        spent, own = (cpu_seconds(args.pid) if args.pid else 0) - spent, cpu_seconds(os.getpid()) - own
    except Wrong as wrong:
        sys.exit(f"WRONG: {wrong}")
    epochs.end()
    utilization, rates = zip(*figures)
    thousands = args.epochs * (args.samples // BATCH * BATCH) / 1000
    seconds = sorted(1000 * one for one in epochs.seconds)
    costs = [f"{own / thousands:.2f} core-seconds of the client for 1,000 objects"]
    if args.pid:
        costs.insert(0, f"{spent / thousands:.3f} core-seconds of the gateway and")
    what = "batch" if args.reader == "batch" else "object"
    mean = statistics.mean(utilization)
    print(f"| {args.label} | AU {mean:.1f} % ({', '.join(f'{one:.1f}' for one in utilization)}); {statistics.mean(rates):,.0f} samples a second, "
          f"{statistics.mean(rates) * SIZE / 2**20:.0f} MiB/s; {what} in {statistics.median(seconds):.1f} ms, p99 "
          f"{seconds[int(0.99 * len(seconds))]:.1f} ms; {' '.join(costs)} | "
          f"{'AU ≥ ' + str(GOAL) + ' %' if args.goal else ''}{': missed' if args.goal and mean < GOAL else ''} |", flush=True)


if __name__ == "__main__":
    main()
