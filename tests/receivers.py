"""Receivers of webhooks on loopback, with configurable responses."""

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks.webhooks import Webhook

from tests.processes import PATIENCE_SECONDS


@dataclass(frozen=True)
class ReceivedRequest:
    """One received request."""

    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def event(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.body)
        return body

    def verify(self, secret: str) -> dict[str, Any]:
        """Verify the signature and return the event."""
        result: dict[str, Any] = Webhook(secret).verify(self.body, self.headers)
        return result


@dataclass
class Receiver:
    """A server that records its requests. `status_for` gives the status of each response;
    `response_headers` and `response_body` are the rest of it."""

    status_for: Callable[[ReceivedRequest], int] = lambda arrived: 200
    response_body: bytes = b"thank you"
    response_headers: dict[str, str] = field(default_factory=dict)
    port: int = 0
    tls: ssl.SSLContext | None = None
    requests: list[ReceivedRequest] = field(default_factory=list)
    wait_for_count: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def events(self) -> list[dict[str, Any]]:
        return [request.event for request in self.requests]

    def wait_for(self, count: int, within: float = PATIENCE_SECONDS) -> None:
        """Wait until this many requests have been received."""
        with self.wait_for_count:
            assert self.wait_for_count.wait_for(lambda: len(self.requests) >= count, within), (
                f"{len(self.requests)} of {count} came"
            )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect; tests make them."""


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            if len(body := self.rfile.read(length)) < length:
                return  # The sender died while sending.
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = ReceivedRequest(headers, body, time.monotonic())
            with receiver.wait_for_count:
                receiver.requests.append(request)
                receiver.wait_for_count.notify_all()
            self.send_response(receiver.status_for(request))
            self.send_header("content-length", str(len(receiver.response_body)))
            for name, value in receiver.response_headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(receiver.response_body)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    return Handler


@contextmanager
def running_receiver(receiver: Receiver | None = None) -> Iterator[Receiver]:
    """A receiver that listens during the block, at its own port or a free one."""
    found = receiver if receiver is not None else Receiver()
    server = _Server(("127.0.0.1", found.port), _handler(found))
    found.port = server.server_address[1]
    if found.tls is not None:
        server.socket = found.tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
