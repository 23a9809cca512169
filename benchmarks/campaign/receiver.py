"""A merchant's webhook receiver that is sometimes broken and remembers what it accepted."""

import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BROKEN_SHARE = 0.05


class Receiver:
    """Listens on loopback. `accepted` are the events answered with 200, in the order in which each
    was accepted first: (event id, type, kind and id of its resource)."""

    def __init__(self, seed: int) -> None:
        self.accepted: dict[str, tuple[str, str, int]] = {}
        self.requests = 0
        self.down = False
        self._random, self._lock = random.Random(f"{seed} receiver"), threading.Lock()
        self._share = BROKEN_SHARE
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def calm(self) -> None:
        """Accept everything from now on."""
        self.down, self._share = False, 0.0

    def close(self) -> None:
        """End."""
        self._server.shutdown()
        self._server.server_close()

    def receive(self, body: bytes) -> int:
        """The status of the response to an event; 0 for none."""
        event = json.loads(body)
        kind = "order" if event["type"].startswith("ramp_order") else "intent"
        with self._lock:
            self.requests += 1
            if self.down:
                return 0
            if self._random.random() < self._share:
                return 500
            described = (event["type"], kind, int(event["data"]["id"]))
            self.accepted.setdefault(event["id"], described)
        return 200


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore senders that were killed."""


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            if len(body := self.rfile.read(length)) < length:
                return
            status = receiver.receive(body)
            if not status:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    return Handler
