"""A server that sends planned responses and records the requests."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class FailingServer:
    """Planned responses, one per request: a status with headers and a body, bytes or what becomes
    JSON, or None to close the connection without a response."""

    responses: list[tuple[int, dict[str, str], object] | None]
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    url: str = ""


@contextmanager
def failing_server(*planned: tuple[int, dict[str, str], object] | None) -> Iterator[FailingServer]:
    server_state = FailingServer(list(planned))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            server_state.requests.append((self.command, self.path, headers))
            plan = server_state.responses.pop(0)
            if plan is None:
                self.close_connection = True
                return
            status, more, body = plan
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {**more, "content-length": str(len(raw))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_PATCH = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server_state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield server_state
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
