#!/usr/bin/env python3
"""A service that makes thumbnails, and behaves as the ETL servers of AIStore's package do: a PUT of a picture's bytes is answered with those of
its thumbnail, `GET /health` with 200, and whatever the transformation ends in with 500. It counts its calls, and misbehaves if it is told to:

    thumbnailer.py --port 17276
    GET /-/calls        how many PUTs have come
    GET /-/mode/MODE    from now on: well; hang, until another mode; cut, in the middle of the body; refuse, with 415; fail, with 500;
                        much, 5 MiB; other, 3 MiB of one byte that is another one each time
"""
import argparse
import io
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from PIL import Image

MIB = 1 << 20


def thumbnail(picture):
    """The bytes of a JPEG of at most 224 x 224."""
    small = io.BytesIO()
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.thumbnail((224, 224))
    image.save(small, "JPEG")
    return small.getvalue()


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The body is a segment of its own, which would wait for the acknowledgement of the head, 40 ms.
    disable_nagle_algorithm = True
    mode, calls, counting = "well", 0, threading.Lock()

    def do_GET(self):
        if self.path.startswith("/-/mode/"):
            Service.mode = self.path.rpartition("/")[2]
        self.answer(200, str(Service.calls).encode() if self.path == "/-/calls" else b"Running", "text/plain")

    def do_PUT(self):
        with Service.counting:
            Service.calls += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        match Service.mode:
            case "hang":
                while Service.mode == "hang":
                    time.sleep(0.05)
                self.close_connection = True
            case "cut":
                self.answer(200, b"x" * 1000, "image/jpeg", announced=2000)
                self.close_connection = True
            case "refuse":
                self.answer(415, b"no picture", "text/plain")
            case "fail":
                self.answer(500, b"an exception", "text/plain")
            case "much":
                self.answer(200, b"x" * (5 * MIB), "image/jpeg")
            case "other":
                self.answer(200, os.urandom(1) * (3 * MIB), "image/jpeg")
            case _:
                self.transform(body)

    def transform(self, body):
        try:
            self.answer(200, thumbnail(body), "image/jpeg")
        except OSError as failure:
            self.answer(500, str(failure).encode(), "text/plain")

    def answer(self, status, body, kind, announced=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(announced or len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            # It has read enough.
            self.close_connection = True

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 256


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    Server(("127.0.0.1", parser.parse_args().port), Service).serve_forever()


if __name__ == "__main__":
    main()
