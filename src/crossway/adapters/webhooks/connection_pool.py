"""Connection pools of webhooks, one per origin; connections go to checked addresses only."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpcore

from crossway.adapters.http_clients.request_deadlines import DeadlineStream, remaining_seconds
from crossway.adapters.webhooks.ssrf_guard import Target

MAX_CONNECTIONS, IDLE_SECONDS = 16, 20.0
_MAX_POOLS = 128
Origin = tuple[bool, str, int]


class ConnectionPools:
    """One small connection pool per origin; the least recently used ones are closed. A single large
    pool would scan all of its connections for every request."""

    def __init__(self, create_pool: Callable[[], httpcore.ConnectionPool]) -> None:
        self._create_pool = create_pool
        self._lock = threading.Lock()
        self._pools: OrderedDict[Origin, httpcore.ConnectionPool] = OrderedDict()
        self._use_counts: dict[Origin, int] = {}

    @contextmanager
    def use(self, target: Target) -> Iterator[httpcore.ConnectionPool]:
        """The pool of an origin; it is not closed while in use."""
        origin = (target.secure, target.host, target.port)
        with self._lock:
            pool = self._pools.get(origin)
            if pool is None:
                pool = self._pools[origin] = self._create_pool()
            self._pools.move_to_end(origin)
            self._use_counts[origin] = self._use_counts.get(origin, 0) + 1
        try:
            yield pool
        finally:
            with self._lock:
                self._use_counts[origin] -= 1
                closing = self._pop_idle()
            for unused in closing:
                unused.close()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            closing = list(self._pools.values())
            self._pools.clear()
        for pool in closing:
            pool.close()

    def _pop_idle(self) -> list[httpcore.ConnectionPool]:
        excess = len(self._pools) - _MAX_POOLS
        idle = [origin for origin in self._pools if not self._use_counts[origin]][: max(0, excess)]
        for origin in idle:
            del self._use_counts[origin]
        return [self._pools.pop(origin) for origin in idle]


class _CurrentRequest(threading.local):
    """The target of this thread's request."""

    target: Target


current_request = _CurrentRequest()


class PinnedBackend(httpcore.NetworkBackend):
    """Connects to the addresses that were checked, regardless of later DNS answers."""

    def __init__(self, addresses: Callable[[Target, float], Sequence[str]]) -> None:
        """`addresses` returns the addresses that may be connected to, within so many seconds, or
        raises."""
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
        addresses = self._addresses(current_request.target, remaining_seconds())
        for index, address in enumerate(addresses):
            timeout_share = remaining_seconds() / (len(addresses) - index)
            try:
                return DeadlineStream(self._sockets.connect_tcp(address, port, timeout_share))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if index == len(addresses) - 1:
                    raise
        raise AssertionError("unreachable")
