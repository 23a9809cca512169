"""A front of any node that changes nothing and counts what is asked."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx


class Counting:
    """Stands before a node; `requests` over HTTP, and the methods or paths in them."""

    def __init__(self, url: str) -> None:
        self.requests = 0
        self.methods: Counter[str] = Counter()
        self._client = httpx.Client(timeout=60, trust_env=False)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(url.rstrip("/")))
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._client.close()

    def forget(self) -> None:
        """Count from nothing again."""
        self.requests = 0
        self.methods.clear()

    def _note(self, path: str, body: bytes) -> None:
        self.requests += 1
        asked = json.loads(body) if body else {}
        several = asked if isinstance(asked, list) else [asked]
        self.methods.update(one.get("method", path) for one in several)

    def _handler(self, base: str) -> type[BaseHTTPRequestHandler]:
        front = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                front._note(self.path, body)
                path = "" if self.path == "/" else self.path
                told = front._client.post(
                    base + path, content=body, headers={"Content-Type": "application/json"}
                )
                self.send_response(told.status_code)
                self.send_header("Content-Length", str(len(told.content)))
                self.end_headers()
                self.wfile.write(told.content)

            def log_message(self, *_: Any) -> None:
                return

        return Handler


@contextmanager
def counted(url: str) -> Iterator[Counting]:
    made = Counting(url)
    try:
        yield made
    finally:
        made.close()
