"""A service that sends byte by byte is given up, whatever it trickles."""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from threading import Event, Thread

import pytest

from crossway.adapters.bridges.across.api import AcrossApi
from crossway.adapters.bridges.cctp.iris import Iris
from crossway.adapters.bridges.service_limits import load_limits
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName
from tests.processes import PATIENCE_SECONDS

TX = "0x" + "11" * 32
# More than the pause between two bytes, so that no byte is awaited for too long.
SECONDS, PAUSE_SECONDS = 0.5, 0.05
HEAD = b"HTTP/1.1 200 OK\r\n"
BODY = HEAD + b"Content-Length: 1000000\r\n\r\n"


class Trickling:
    """A service that answers with a beginning, and then one byte after the other until whoever
    asked hangs up."""

    def __init__(self, beginning: bytes) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self.hung_up, self._stopped = Event(), Event()
        self._beginning = beginning
        self._thread = Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._server.accept()
        with connection:
            connection.recv(65_536)
            try:
                connection.sendall(self._beginning)
                while not self._stopped.wait(PAUSE_SECONDS):
                    connection.sendall(b"a")
            except OSError:
                self.hung_up.set()

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._server.close()


@contextmanager
def trickling(beginning: bytes) -> Iterator[Trickling]:
    service = Trickling(beginning)
    try:
        yield service
    finally:
        service.close()


def ask_iris(url: str) -> None:
    limits = replace(load_limits(BridgeName.CCTP), timeout_seconds=SECONDS)
    with closing(Iris(url, limits)) as iris:
        iris.get_messages(6, TX)


def ask_across(url: str) -> None:
    limits = replace(load_limits(BridgeName.ACROSS), timeout_seconds=SECONDS)
    with closing(AcrossApi(url, limits)) as api:
        api.find_deposit_status(TX)


@pytest.mark.parametrize("ask", [ask_iris, ask_across])
@pytest.mark.parametrize("beginning", [HEAD + b"X-Slow: ", BODY], ids=["headers", "body"])
def test_a_service_that_answers_byte_by_byte_is_given_up(
    ask: Callable[[str], None], beginning: bytes
) -> None:
    said: list[str] = []

    def run(url: str) -> None:
        try:
            ask(url)
        except Unreachable as error:
            said.append(str(error))

    with trickling(beginning) as service:
        asking = Thread(target=run, args=(service.url,), daemon=True)
        asking.start()
        asking.join(PATIENCE_SECONDS / 10)
        assert not asking.is_alive()
        # Also the connection ends: no thread reads on.
        assert service.hung_up.wait(PATIENCE_SECONDS)
    assert [sentence.partition(" did not respond: ")[2] for sentence in said] == ["ReadTimeout"]
