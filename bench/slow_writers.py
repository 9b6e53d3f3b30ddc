#!/usr/bin/env python3
"""What slow uploads cost a server: memory, and the GETs of another client.

Opens WRITERS connections that each PUT an object announced with 5 GiB and send RATE bytes a second, for SECONDS. Prints the
server's memory before, during and after (resident; used heap and direct memory behind a garbage collection, from jcmd), and
the rate and 99th percentile of a warm GET of 16 KiB by wrk before and during. The server is PID, a JVM with
-XX:NativeMemoryTracking=summary; BUCKET is written to, WARM is read from. Traffic goes to loopback only.

FORM is how bodies are sent: `unsigned`, or `chunks`: signed chunks of 128 KiB, which a server has to keep until their signature
can be verified.

    slow_writers.py --url http://127.0.0.1:9080 --pid 123 --key ACCESS:SECRET --bucket slow --warm warm --form unsigned
"""
import argparse
import pathlib
import re
import selectors
import socket
import statistics
import subprocess
import tempfile
import time

from s3lite import S3

ANNOUNCED = 5 << 30
CHUNK = 128 << 10
OBJECTS = 500
SIZE = 16 << 10


def memory_mib(pid):
    """(resident, heap, direct), the latter two behind a collection."""
    for _ in range(2):
        jcmd(pid, "GC.run")
    time.sleep(1)
    resident = int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024
    heap = int(re.search(r"used (\d+)K", jcmd(pid, "GC.heap_info"))[1]) / 1024
    direct = int(re.search(r"Other \(reserved=\d+KB, committed=(\d+)KB\)", jcmd(pid, "VM.native_memory", "summary"))[1]) / 1024
    return resident, heap, direct


def jcmd(pid, *command):
    return subprocess.run(["jcmd", str(pid), *command], capture_output=True, text=True, check=True).stdout


def warm_script(s3, bucket, folder):
    lines = ["local requests = {"]
    for i in range(OBJECTS):
        path = f"/{bucket}/{i:04}"
        headers = "".join(f"{k}: {v}\\r\\n" for k, v in s3.headers("GET", path).items())
        lines.append(f'"GET {path} HTTP/1.1\\r\\n{headers}\\r\\n",')
    lines += ["}", "request = function() return requests[math.random(#requests)] end"]
    script = pathlib.Path(folder, "warm.lua")
    script.write_text("\n".join(lines))
    return script


def warm_gets(s3, script, seconds):
    """(GETs a second, 99th percentile in ms, errors) of one run."""
    out = subprocess.run(["wrk", "-t1", "-c4", f"-d{seconds}s", "--latency", "-s", str(script), f"http://{s3.host}:{s3.port}/"],
                         capture_output=True, text=True, check=True).stdout
    amount, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), float(amount) * {"us": 0.001, "ms": 1, "s": 1000}[unit],
            re.findall(r"Non-2xx.*|Socket errors.*", out))


def median_gets(s3, script, seconds, rounds=5):
    rates, percentiles, errors = zip(*(warm_gets(s3, script, seconds) for _ in range(rounds)))
    return statistics.median(rates), statistics.median(percentiles), sum(errors, [])


class Writers:
    def __init__(self, s3, bucket, count, form):
        self.selector, self.closed, self.sent = selectors.DefaultSelector(), 0, 0
        for i in range(count):
            writer = socket.create_connection((s3.host, s3.port))
            writer.sendall(self.head(s3, f"/{bucket}/slow-{form}-{i}", form))
            writer.setblocking(False)
            self.selector.register(writer, selectors.EVENT_READ)

    @staticmethod
    def head(s3, path, form):
        if form == "unsigned":
            headers, length, first = s3.headers("PUT", path, payload_sha256="UNSIGNED-PAYLOAD"), ANNOUNCED, ""
        else:
            extra = {"content-encoding": "aws-chunked", "x-amz-decoded-content-length": str(ANNOUNCED)}
            headers = s3.headers("PUT", path, payload_sha256="STREAMING-AWS4-HMAC-SHA256-PAYLOAD", extra=extra)
            first = f"{CHUNK:x};chunk-signature={'0' * 64}\r\n"
            chunks = ANNOUNCED // CHUNK
            length = ANNOUNCED + chunks * (len(first) + 2) + len(f"0;chunk-signature={'0' * 64}\r\n\r\n")
        lines = [f"PUT {path} HTTP/1.1"] + [f"{k}: {v}" for k, v in headers.items()] + [f"Content-Length: {length}"]
        return ("\r\n".join(lines) + "\r\n\r\n" + first).encode()

    def send(self, count):
        """Lets every writer send so many bytes; those that were answered or closed go."""
        for key, _ in self.selector.select(0):
            self.closed += 1
            self.selector.unregister(key.fileobj)
            key.fileobj.close()
        for key in list(self.selector.get_map().values()):
            self.sent += key.fileobj.send(b"s" * count)

    def close(self):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()


def write_slowly(writers, rate, until):
    while time.monotonic() < until:
        tick = time.monotonic()
        writers.send(rate)
        time.sleep(max(0.0, 1 - (time.monotonic() - tick)))


def child(args, s3):
    """The writers are a process of their own, so that measuring does not hold them up."""
    writers = Writers(s3, args.bucket, args.writers, args.form)
    print("begun", flush=True)
    write_slowly(writers, args.rate, time.monotonic() + args.seconds)
    print(f"{writers.closed} {writers.sent}", flush=True)
    writers.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--pid", required=True, type=int)
    parser.add_argument("--key", required=True)
    parser.add_argument("--bucket", required=True)
    parser.add_argument("--warm", required=True)
    parser.add_argument("--form", choices=("unsigned", "chunks"), default="unsigned")
    parser.add_argument("--writers", type=int, default=500)
    parser.add_argument("--rate", type=int, default=2048)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--warmup", type=int, default=20)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    s3 = S3(args.url, *args.key.split(":", 1))
    if args.child:
        child(args, s3)
        return
    for i in range(OBJECTS):
        assert s3.call("PUT", f"/{args.warm}/{i:04}", bytes([i % 251]) * SIZE)[0] == 200
    with tempfile.TemporaryDirectory() as folder:
        script = warm_script(s3, args.warm, folder)
        warm_gets(s3, script, args.warmup)
        part = max(1, (args.seconds - 20) // 5)
        before = memory_mib(args.pid), median_gets(s3, script, part)
        command = ["python3", __file__, "--child", *(f"--{name}={getattr(args, name)}" for name in
                   ("url", "pid", "key", "bucket", "warm", "form", "writers", "rate", "seconds"))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writing:
            assert writing.stdout.readline() == "begun\n"
            begun = time.monotonic()
            time.sleep(3)
            gets = median_gets(s3, script, part)
            time.sleep(max(0.0, args.seconds - 8 - (time.monotonic() - begun)))
            during = memory_mib(args.pid), gets
            closed, sent = map(int, writing.stdout.readline().split())
        time.sleep(3)
        after = memory_mib(args.pid)
    print(f"{args.form}: {args.writers} uploads of 5 GiB at {args.rate} B/s for {args.seconds} s; closed by the server: {closed}; "
          f"sent {sent >> 20} MiB")
    for number, what in enumerate(("resident", "heap", "direct")):
        print(f"  {what} MiB: before {before[0][number]:.0f}, during {during[0][number]:.0f}, after {after[number]:.0f}, "
              f"growth {during[0][number] - before[0][number]:.0f}")
    print(f"  warm GETs a second: before {before[1][0]:.0f}, during {gets[0]:.0f}, ratio {gets[0] / before[1][0]:.2f}")
    print(f"  99th percentile ms: before {before[1][1]:.2f}, during {gets[1]:.2f}; errors {before[1][2] + gets[2]}")


if __name__ == "__main__":
    main()
