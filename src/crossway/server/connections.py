"""How many connections are open, and how long each may take: for its headers, its body, and the
client that does not read."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from crossway.api.client_ip import rate_limit_address
from crossway.domain.clients import is_allowed, networks_of
from crossway.server.joined_writes import JoinedWrites

MAX_HEADER_BYTES: Final = 64 * 1024
MAX_CONNECTIONS: Final = 4096
MAX_PER_ADDRESS: Final = 512
# Requests that wait for the one before; each takes kilobytes, and clients that send ahead are rare.
MAX_PIPELINED: Final = 8
SWEEP_SECONDS: Final = 1.0
# Handshakes of WebSockets from one address, which cost more than the requests that precede them: an
# office that reconnects after a restart, and as many a second after that.
HANDSHAKE_BURST: Final = 200
HANDSHAKES_PER_SECOND: Final = 20.0
_HANDSHAKE: Final = b"sec-websocket-"
_TOO_MANY_HANDSHAKES: Final = (
    b"HTTP/1.1 429 Too Many Requests\r\n"
    b"connection: close\r\ncontent-length: 0\r\nretry-after: 1\r\n\r\n"
)


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a client may take, in seconds: for a request's headers, for its body, and without
    reading what waits for it."""

    headers: float = 10.0
    body: float = 60.0
    unread: float = 60.0


class OpenConnections:
    """The connections of one server that have not become WebSockets.

    When `maximum` are open, in all or half of it from one address, the oldest that waits for a
    request makes room for a new one; when none waits, the new one is refused. Trusted proxies
    (networks) carry many clients and have no maximum of their own.
    """

    def __init__(
        self,
        maximum: int,
        trusted_proxies: tuple[str, ...] = (),
        deadlines: Deadlines = Deadlines(),
    ) -> None:
        self.deadlines = deadlines
        self._maximum, self._trusted = maximum, networks_of(trusted_proxies)
        self._maximum_per_address = min(MAX_PER_ADDRESS, maximum // 2)
        # In the order in which they were opened.
        self._open: dict[GuardedProtocol, str] = {}
        self._by_address: Counter[str] = Counter()
        # By address, the handshakes that are not yet forgotten, and as of when.
        self._handshakes: dict[str, tuple[float, float]] = {}
        self._sweeping = False

    def protocol(self, **arguments: Any) -> "GuardedProtocol":
        """The protocol of a new connection, as uvicorn asks for it."""
        return GuardedProtocol(self, **arguments)

    def admit(self, connection: "GuardedProtocol", address: str) -> bool:
        """Count a new connection; False if there is no room for it."""
        counted = "" if is_allowed(address, self._trusted) else rate_limit_address(address)
        if counted and self._by_address[counted] >= self._maximum_per_address:
            if not self._make_room(counted):
                return False
        elif len(self._open) >= self._maximum and not self._make_room():
            return False
        self._open[connection] = counted
        self._by_address[counted] += 1
        if not self._sweeping:
            self._sweeping = True
            connection.loop.call_later(SWEEP_SECONDS, partial(self._sweep, connection.loop))
        return True

    def admit_handshake(self, connection: "GuardedProtocol", now: float) -> bool:
        """Count a connection that becomes a WebSocket; False if its address opens too many."""
        address = self.forget(connection)
        if not address:
            return True
        count = self._recent_handshakes(address, now)
        if count >= HANDSHAKE_BURST:
            return False
        self._handshakes[address] = (count + 1, now)
        return True

    def _recent_handshakes(self, address: str, now: float) -> float:
        count, at = self._handshakes.get(address, (0.0, now))
        return max(0.0, count - (now - at) * HANDSHAKES_PER_SECOND)

    def forget(self, connection: "GuardedProtocol") -> str | None:
        """Count a connection no longer that ended or became a WebSocket; returns the address that
        it counted for, empty for a trusted proxy."""
        address = self._open.pop(connection, None)
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
        return address

    def _make_room(self, address: str = "") -> bool:
        """Close the oldest connection (of an address) that waits for a request, if there is one."""
        for connection, counted in self._open.items():
            if connection.is_waiting and address in ("", counted):
                self.forget(connection)
                connection.abort()
                return True
        return False

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """End the connections whose time is up, once a second while any is open."""
        now = loop.time()
        for connection in [one for one in self._open if one.is_overdue(now)]:
            connection.abort()
        for address in [a for a in self._handshakes if not self._recent_handshakes(a, now)]:
            del self._handshakes[address]
        self._sweeping = bool(self._open)
        if self._sweeping:
            loop.call_later(SWEEP_SECONDS, partial(self._sweep, loop))


class GuardedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with deadlines; uvicorn itself only limits idle time between requests."""

    def __init__(self, connections: OpenConnections, config: Config, **arguments: Any) -> None:
        super().__init__(config, **arguments)
        self._registry, self._deadlines = connections, connections.deadlines
        self._awaits_headers = True
        self._header_bytes = 0
        self._read_by: float | None = None
        self._written_by: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(JoinedWrites(transport, self.loop))  # type: ignore[arg-type]
        self._read_by = self.loop.time() + self._deadlines.headers
        if not self._registry.admit(self, self.client[0] if self.client else ""):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._registry.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._awaits_headers:
            self._header_bytes += len(data)
            if self._read_by is None:
                # The first bytes of another request on this connection.
                self._read_by = self.loop.time() + self._deadlines.headers
        super().data_received(data)
        if self._awaits_headers and self._header_bytes > MAX_HEADER_BYTES:
            self.abort()

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED:
            # The parser stops, and the connection ends with 400.
            raise ValueError("too many requests wait on this connection")
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._awaits_headers, self._header_bytes = False, 0
        self._read_by = self.loop.time() + self._deadlines.body
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._awaits_headers, self._read_by = True, None
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        if not all(value.isascii() for name, value in self.headers if name.startswith(_HANDSHAKE)):
            # The library's own refusal cannot encode them and fails.
            self.send_400_response("Invalid WebSocket handshake.")
        elif self._registry.admit_handshake(self, self.loop.time()):
            super().handle_websocket_upgrade()
        else:
            self.transport.write(_TOO_MANY_HANDSHAKES)
            self.transport.close()

    def pause_writing(self) -> None:
        self._written_by = self.loop.time() + self._deadlines.unread
        super().pause_writing()

    def resume_writing(self) -> None:
        self._written_by = None
        super().resume_writing()

    @property
    def is_waiting(self) -> bool:
        """Whether no request is complete, and none is answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return self._awaits_headers and (cycle is None or cycle.response_complete)

    def is_overdue(self, now: float) -> bool:
        """Whether the client has had its time for what it sends or reads."""
        return any(due is not None and now > due for due in (self._read_by, self._written_by))

    def abort(self) -> None:
        """Close the connection at once."""
        if self.transport is not None:
            self.transport.abort()
