"""Connections of webhooks: opened to an address that was looked at, kept for each origin."""

import ssl
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpcore

from crossway.adapters.webhooks.addresses import Target

EACH, IDLE_SECONDS = 16, 20.0
_MOST_POOLS = 128
Origin = tuple[bool, str, int]


class Pools:
    """A small pool of connections for each origin, the least used forgotten: one large pool looks
    through all that it has for every request."""

    def __init__(self, make: Callable[[], httpcore.ConnectionPool]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._pools: OrderedDict[Origin, httpcore.ConnectionPool] = OrderedDict()
        self._used: dict[Origin, int] = {}

    @contextmanager
    def of(self, target: Target) -> Iterator[httpcore.ConnectionPool]:
        """The pool of an origin, which stays as long as it is used."""
        origin = (target.secure, target.host, target.port)
        with self._lock:
            pool = self._pools.get(origin)
            if pool is None:
                pool = self._pools[origin] = self._make()
            self._pools.move_to_end(origin)
            self._used[origin] = self._used.get(origin, 0) + 1
        try:
            yield pool
        finally:
            with self._lock:
                self._used[origin] -= 1
                left = self._unneeded()
            for one in left:
                one.close()

    def close(self) -> None:
        """Let every connection go."""
        with self._lock:
            left = list(self._pools.values())
            self._pools.clear()
        for pool in left:
            pool.close()

    def _unneeded(self) -> list[httpcore.ConnectionPool]:
        over = len(self._pools) - _MOST_POOLS
        idle = [origin for origin in self._pools if not self._used[origin]][: max(0, over)]
        for origin in idle:
            del self._used[origin]
        return [self._pools.pop(origin) for origin in idle]


class _Now(threading.local):
    """What this thread's request is, and until when (time.monotonic) it may take."""

    target: Target
    deadline: float


now = _Now()


def left() -> float:
    """Seconds that this thread's request may still take."""
    left = now.deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time is over")
    return left


class Pinned(httpcore.NetworkBackend):
    """Connects to the addresses that were looked at, whatever the name leads to a moment later."""

    def __init__(self, addresses: Callable[[Target], Sequence[str]]) -> None:
        """`addresses` answers those that may be connected to, or raises."""
        self._addresses = addresses
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        found = self._addresses(now.target)
        for number, address in enumerate(found):
            share = left() / (len(found) - number)
            try:
                return _Timed(self._sockets.connect_tcp(address, port, share))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(found) - 1:
                    raise
        raise AssertionError("unreachable")


class _Timed(httpcore.NetworkStream):
    """A connection whose every wait ends when the request's time is over."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, left()))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
