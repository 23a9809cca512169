"""Receivers of webhooks on loopback: they verify what arrives and answer as they are told."""

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


@dataclass(frozen=True)
class ReceivedRequest:
    """One request as it came."""

    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def event(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    def verified(self, secret: str) -> dict[str, Any]:
        """The event, once the signature is found right."""
        found: dict[str, Any] = Webhook(secret).verify(self.body, self.headers)
        return found


@dataclass
class Receiver:
    """A server that keeps what it got. `answer` is asked for the status of each request; its
    headers and its body are given by `headers` and `text`."""

    answer: Callable[[ReceivedRequest], int] = lambda arrived: 200
    text: bytes = b"thank you"
    headers: dict[str, str] = field(default_factory=dict)
    port: int = 0
    tls: ssl.SSLContext | None = None
    arrived: list[ReceivedRequest] = field(default_factory=list)
    wait_for_count: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def events(self) -> list[dict[str, Any]]:
        return [one.event for one in self.arrived]

    def wait_for(self, count: int, within: float = 30) -> None:
        """Until so many requests have come."""
        with self.wait_for_count:
            assert self.wait_for_count.wait_for(lambda: len(self.arrived) >= count, within), (
                f"{len(self.arrived)} of {count} came"
            )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever hangs up on us is part of the test."""


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            if len(body := self.rfile.read(length)) < length:
                return  # Whoever sent it died over it.
            headers = {name.lower(): value for name, value in self.headers.items()}
            one = ReceivedRequest(headers, body, time.monotonic())
            with receiver.wait_for_count:
                receiver.arrived.append(one)
                receiver.wait_for_count.notify_all()
            self.send_response(receiver.answer(one))
            self.send_header("content-length", str(len(receiver.text)))
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(receiver.text)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def running_receiver(receiver: Receiver | None = None) -> Iterator[Receiver]:
    """A receiver that listens during the block, at the port that it names, if it names one."""
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
