#!/usr/bin/env python3
"""A proxy before an HTTP server that answers as a server in trouble does. Traffic goes to loopback only.

    faulty_proxy.py --port 17280 --control 17281 --to 17274

`GET /-/fault?FAULT` at the control port sets the fault of all requests that follow, `GET /-/stats` prints the requests so far,
the bytes of bodies without those in chunks, and the requests of each of the last seconds. FAULT is none, delay:SECONDS,
some-delayed:PERCENT:SECONDS, slow:BYTES_A_SECOND, reset (each connection, after its request), cut:BYTES, refuse (no listener),
status:CODE:PERCENT, length, range, changed (the object is another version in every second response), or replaced:BYTES (a
response without a range is cut, and those with one are of another version).
"""
import argparse
import asyncio
import collections
import random
import re
import socket
import struct
import time


class Fault:
    def __init__(self, text):
        self.kind, *self.values = text.split(":")


class Proxy:
    def __init__(self, port, upstream):
        self.port, self.upstream = port, upstream
        self.fault = Fault("none")
        self.listener = None
        self.requests = self.bytes = 0
        self.seconds = collections.Counter()
        self.random = random.Random(1)

    async def set_fault(self, text):
        self.fault = Fault(text)
        if self.fault.kind == "refuse" and self.listener:
            self.listener.close()
            self.listener = None
        elif self.fault.kind != "refuse" and not self.listener:
            await self.listen()

    async def listen(self):
        self.listener = await asyncio.start_server(self.serve, "127.0.0.1", self.port, limit=1 << 20, backlog=1024)

    async def serve(self, reader, writer):
        upstream = None
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.requests += 1
                self.seconds[int(time.time())] += 1
                fault = self.fault
                if fault.kind in ("reset", "refuse"):
                    abort(writer)
                    return
                if upstream is None:
                    upstream = await asyncio.open_connection("127.0.0.1", self.upstream, limit=1 << 20)
                if not await self.forward(fault, head, reader, upstream, writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            for end in ([upstream[1]] if upstream else []) + [writer]:
                end.close()

    async def forward(self, fault, head, reader, upstream, writer):
        """Answers one request; returns whether the connection stays open."""
        if fault.kind == "status" and self.random.random() * 100 < float(fault.values[1]):
            body = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
            if head.startswith(b"HEAD"):
                body = b""
            writer.write(f"HTTP/1.1 {fault.values[0]} Trouble\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
            return True
        if fault.kind == "delay":
            await asyncio.sleep(float(fault.values[0]))
        if fault.kind == "some-delayed" and self.random.random() * 100 < float(fault.values[0]):
            await asyncio.sleep(float(fault.values[1]))
        upstream[1].write(head + await reader.readexactly(content_length(head)))
        response = await upstream[0].readuntil(b"\r\n\r\n")
        if re.search(rb"(?i)\r\ntransfer-encoding: *chunked", response):
            writer.write(response + await upstream[0].readuntil(b"0\r\n\r\n"))
            await writer.drain()
            return True
        length = 0 if head.startswith(b"HEAD") else content_length(response)
        ranged = b"206" in response[:16]
        writer.write(self.altered(fault, response, length, ranged))
        left, sent = length, 0
        while left:
            piece = await upstream[0].read(min(left, 64 << 10))
            if not piece:
                return False
            left -= len(piece)
            if (fault.kind == "cut" or (fault.kind == "replaced" and not ranged)) and sent + len(piece) > int(fault.values[0]):
                writer.write(piece[: int(fault.values[0]) - sent])
                await writer.drain()
                abort(writer)
                return False
            if fault.kind == "slow":
                for at in range(0, len(piece), 2048):
                    writer.write(piece[at : at + 2048])
                    await writer.drain()
                    await asyncio.sleep(2048 / float(fault.values[0]))
            else:
                writer.write(piece)
                await writer.drain()
            sent += len(piece)
            self.bytes += len(piece)
        return fault.kind != "length"

    def altered(self, fault, response, length, ranged):
        if fault.kind == "length" and length:
            return re.sub(rb"(?i)(\r\ncontent-length: *)\d+", rb"\g<1>%d" % (length + 1000), response)
        if fault.kind == "range":
            return re.sub(rb"(?i)(content-range: bytes )(\d+)-(\d+)", lambda m: m[1] + b"%d-%d" % (int(m[2]) + 1, int(m[3]) + 1), response)
        if (fault.kind == "changed" and self.requests % 2) or (fault.kind == "replaced" and ranged):
            return of_another_version(response)
        return response

    async def control(self, reader, writer):
        request = (await reader.readuntil(b"\r\n\r\n")).decode().split(" ")[1]
        if request.startswith("/-/fault?"):
            await self.set_fault(request.partition("?")[2])
        now = int(time.time())
        seconds = " ".join(str(self.seconds[now - i]) for i in range(15, 0, -1))
        text = f"requests={self.requests}\nbytes={self.bytes}\nlast_seconds={seconds}\n"
        writer.write(f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        await writer.drain()
        writer.close()


def of_another_version(response):
    """With another last character of the ETag, and of Google's generation."""
    return re.sub(
        rb'(?i)(\r\n(?:etag|x-goog-generation): *"?[^"\r]*)([0-9a-z])([^0-9a-z"\r]*"?\r\n)',
        lambda m: m[1] + (b"1" if m[2] == b"0" else b"0") + m[3],
        response,
    )


def content_length(head):
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return int(found[1]) if found else 0


def abort(writer):
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--port", "--control", "--to"):
        parser.add_argument(name, type=int, required=True)
    options = parser.parse_args()
    proxy = Proxy(options.port, options.to)
    await proxy.listen()
    control = await asyncio.start_server(proxy.control, "127.0.0.1", options.control)
    await control.serve_forever()


asyncio.run(main())
