"""Clients that hold connections open without asking for anything, or without reading the answer."""

import asyncio
import resource
import socket
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, closing, contextmanager

import httpx
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from crossway.server.connections import HANDSHAKE_BURST, Deadlines, OpenConnections
from crossway.server.run import raise_file_limit
from tests.ports import free_port
from tests.processes import wait_until
from tests.security.conftest import Target

SHORT = Deadlines(headers=0.3, body=0.3, unread=0.3)
PATIENT = Deadlines(headers=600, body=600, unread=600)


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the length of the body; /endless never stops answering."""
    request = Request(scope, receive)
    if scope["path"] == "/endless":
        await StreamingResponse(_endless())(scope, receive, send)
    else:
        await Response(str(len(await request.body())))(scope, receive, send)


async def _endless() -> AsyncIterator[bytes]:
    while True:
        await asyncio.sleep(0)
        yield b"x" * 65_536


@contextmanager
def serving(maximum: int, deadlines: Deadlines = SHORT) -> Iterator[int]:
    """The port of a server with these limits."""
    port, connections = free_port(), OpenConnections(maximum, deadlines=deadlines)
    config = uvicorn.Config(
        _app, port=port, http=connections.protocol, ws="websockets-sansio", lifespan="off",  # type: ignore[arg-type]
        log_level="critical",
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until("it listens", lambda: server.started)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(30)


def sent(port: int, data: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(data)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Whether the server ends this connection, within a minute."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionResetError:
        pass
    return True


def read_until(connection: socket.socket, text: bytes, times: int) -> bool:
    """Whether the server sends a text so often."""
    received = b""
    while received.count(text) < times:
        part = connection.recv(65_536)
        if not part:
            return False
        received += part
    return True


def takes_more(connection: socket.socket) -> bool:
    """Whether the other end has not reset the connection."""
    try:
        return connection.send(b" ") > 0
    except OSError:
        return False


@pytest.mark.parametrize(
    "half",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", b"POST / HTTP/1.1\r\nHost: x\r\n"
     b"Content-Length: 9\r\n\r\nhalf", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHo"],
)  # fmt: skip
def test_a_request_that_does_not_end_is_cut_off(half: bytes) -> None:
    with serving(64) as port, closing(sent(port, half)) as connection:
        assert is_closed(connection)


def test_a_client_that_does_not_read_is_cut_off() -> None:
    request = b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"
    with serving(64) as port, closing(sent(port, request)) as connection:
        # Nothing is read, and the server gives up.
        wait_until("it is closed", lambda: not takes_more(connection))


def test_headers_without_an_end_are_cut_off_by_their_size() -> None:
    with serving(64, PATIENT) as port, closing(sent(port, b"GET / HTTP/1.1\r\n")) as connection:
        for _ in range(100_000):
            try:
                connection.sendall(b"X-Long: " + b"x" * 1_000 + b"\r\n")
            except OSError:
                return
        pytest.fail("the server reads on")


def test_requests_sent_ahead_end_the_connection() -> None:
    """Thousands of them fit into one packet, and each takes kilobytes."""
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with serving(64, PATIENT) as port:
        with closing(sent(port, request * 5)) as connection:
            assert read_until(connection, b"HTTP/1.1 200", 5)
        with closing(sent(port, request * 500)) as connection:
            assert is_closed(connection)


def test_one_address_opens_no_more_websockets_than_it_has_pages() -> None:
    upgrade = (
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    statuses = Counter[bytes]()
    with serving(64) as port:
        for _ in range(HANDSHAKE_BURST * 3):
            with closing(sent(port, upgrade)) as connection:
                statuses[connection.recv(12)] += 1
    assert statuses[b"HTTP/1.1 429"] > 0
    assert statuses.total() - statuses[b"HTTP/1.1 429"] >= HANDSHAKE_BURST


@pytest.mark.parametrize(
    "header", [b"Sec-WebSocket-Protocol: a, \xff", b"Sec-WebSocket-Extensions: \xff\xfe"]
)
def test_a_handshake_that_no_browser_sends_writes_no_trace(target: Target, header: bytes) -> None:
    """It filled the log with fifty lines each time, and got no answer."""
    upgrade = (
        b"GET /_stcore/stream HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" + header + b"\r\n\r\n"
    )
    with closing(sent(target.port, upgrade)) as connection:
        assert connection.recv(12) == b"HTTP/1.1 400"
    assert "Traceback" not in target.installation.read_log("site")


def test_a_flood_of_silent_connections_makes_room_for_those_that_ask() -> None:
    with ExitStack() as stack:
        port = stack.enter_context(serving(64, PATIENT))
        for _ in range(200):
            stack.enter_context(closing(sent(port)))
        for _ in range(20):
            assert httpx.post(f"http://127.0.0.1:{port}/", content=b"four", timeout=60).text == "4"


def test_a_thousand_half_open_connections_do_not_stop_the_service(target: Target) -> None:
    """They took every file descriptor that a process usually has."""
    raise_file_limit()
    with ExitStack() as stack, target.client() as http:
        for _ in range(1_100):
            stack.enter_context(closing(sent(target.port, b"GET / HTTP/1.1\r\n")))
        assert http.get("/healthz").status_code == 200
        headers = {"Authorization": f"Bearer {target.key}"}
        assert http.get("/api/v1/chains", headers=headers).status_code == 200


def test_the_limit_of_open_files_is_raised_to_what_the_system_allows() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert raise_file_limit() == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (min(65_536, hard), hard)
