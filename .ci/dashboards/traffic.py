"""Readers, writers, jobs and faults for some minutes: a third of the run in peace, then the backend is killed and started again, twice.

    traffic.py PORT SECONDS MILLRACE ORIGIN FOLDER ORIGIN_PORT
"""

import http.client
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import boto3
import botocore.config

SMALL, LARGE = 400, 24
DOWN_SECONDS = 25


def client(port):
    config = botocore.config.Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}, max_pool_connections=8)
    return boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1", config=config)


class Run:
    def __init__(self, port, seconds):
        self.port, self.s3, self.end = port, client(port), time.time() + seconds
        self.problems = []

    def goes_on(self):
        return time.time() < self.end

    def fill(self):
        """Stores small objects that are read often, and large ones that do not all fit into the cache."""
        self.s3.create_bucket(Bucket="data")
        for number in range(SMALL):
            self.s3.put_object(Bucket="data", Key=f"hot/{number}", Body=os.urandom(4096))
        for number in range(LARGE):
            self.s3.put_object(Bucket="data", Key=f"large/{number}", Body=os.urandom(16 << 20))
        self.s3.put_object(Bucket="local", Key="file", Body=os.urandom(3_000_000))

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=60) as response:
                response.read()
        except urllib.error.HTTPError as refused:
            refused.read()
        except (OSError, http.client.HTTPException):
            pass  # What the faults are for.

    def read_small(self):
        while self.goes_on():
            self.get(f"data/hot/{random.randrange(SMALL)}")
            time.sleep(0.01)

    def read_signed(self):
        """Reads few objects again and again, which are answered from memory then."""
        while self.goes_on():
            try:
                self.s3.get_object(Bucket="data", Key=f"hot/{random.randrange(10)}")["Body"].read()
            except Exception:  # noqa: BLE001
                pass  # What the faults are for.
            time.sleep(0.02)

    def read_large(self):
        while self.goes_on():
            self.get(f"data/large/{random.randrange(LARGE)}")
            time.sleep(0.5)

    def read_others(self):
        while self.goes_on():
            for path in ("local/file", "data/not-there", "missing/object", "data?list-type=2"):
                self.get(path)
            time.sleep(0.5)

    def write(self):
        number = 0
        while self.goes_on():
            number += 1
            try:
                self.s3.put_object(Bucket="data", Key=f"written/{number % 50}", Body=os.urandom(100_000))
            except Exception:  # noqa: BLE001
                pass  # What the faults are for.
            time.sleep(0.5)

    def leave(self):
        """Clients that hang up in the middle of a large object, and ones that open too many connections."""
        while self.goes_on():
            with socket.create_connection(("127.0.0.1", self.port)) as left:
                left.sendall(f"GET /data/large/{random.randrange(LARGE)} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
                left.recv(1000)
            many = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(60)]
            time.sleep(1)
            for one in many:
                one.close()
            time.sleep(5)


def commands(run, millrace):
    def command(*arguments):
        subprocess.run([millrace, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    command("prefetch", "s3://data/no-such-prefix/", "--wait")
    while run.goes_on():
        command("prefetch", "s3://data/large/", "--bandwidth", "4MiB")
        command("copy", "s3://data/hot/", "s3://local/copy/", "--wait", "--overwrite", "always")
        command("evict", "s3://data/large/", "--wait")
        command("verify", "s3://local/", "--wait")
        time.sleep(10)


def faults(run, origin, folder, port, seconds):
    """Kills the backend and starts it again, twice."""
    pid_file = pathlib.Path(folder, "pid")
    for _ in range(2):
        time.sleep(seconds / 3)
        os.kill(int(pid_file.read_text()), signal.SIGKILL)
        time.sleep(DOWN_SECONDS)
        started = subprocess.run([origin, "start", folder, str(port)], capture_output=True, text=True, check=False)
        if started.returncode:
            run.problems.append(started.stderr)


def main(port, seconds, millrace, origin, folder, origin_port):
    run = Run(int(port), int(seconds))
    run.fill()
    # Filling is not of the run.
    run.end = time.time() + int(seconds)
    works = [run.read_small, run.read_small, run.read_signed, run.read_large, run.read_large, run.read_others, run.write, run.leave]
    threads = [threading.Thread(target=work) for work in works]
    threads.append(threading.Thread(target=commands, args=(run, millrace)))
    threads.append(threading.Thread(target=faults, args=(run, origin, folder, int(origin_port), int(seconds) - 2 * DOWN_SECONDS)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if run.problems:
        sys.exit("\n".join(run.problems))


main(*sys.argv[1:])
