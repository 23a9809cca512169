"""DNS resolution of webhook hosts with a time limit, isolated from one another."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as LookUpTimeout

from crossway.adapters.webhooks.ssrf_guard import Resolve
from crossway.domain.errors import Unreachable

UNKNOWN = "its host does not resolve"
BUSY = "too many hosts are being looked up"


class LookupsBusy(Unreachable):
    """Nothing was looked up, because too many look-ups are under way."""


class DnsResolver:
    """Calls the system's resolver, which cannot be interrupted, in threads of its own: one thread
    per host, however many callers wait for it, and at most `max_threads` in all; no more than
    `max_callers` wait at once."""

    def __init__(self, resolve: Resolve, max_threads: int, max_callers: int) -> None:
        self._resolve, self._max_threads, self._max_callers = resolve, max_threads, max_callers
        self._callers = 0
        self._threads = ThreadPoolExecutor(max_threads, thread_name_prefix="webhook-names")
        self._lock = threading.Lock()
        self._running: dict[tuple[str, int], Future[Sequence[str]]] = {}

    def resolve(self, host: str, port: int, seconds: float) -> list[str]:
        """The addresses of a host; raises `Unreachable` if it does not resolve within `seconds`,
        and `LookupsBusy` if it was not looked up."""
        future = self._submit(host, port)
        try:
            return list(future.result(seconds))
        except (OSError, UnicodeError, LookUpTimeout) as error:
            raise Unreachable(UNKNOWN) from error
        finally:
            with self._lock:
                self._callers -= 1

    def close(self) -> None:
        """Stop the threads without waiting for running look-ups."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _submit(self, host: str, port: int) -> Future[Sequence[str]]:
        with self._lock:
            future = self._running.get((host, port))
            if self._callers >= self._max_callers:
                raise LookupsBusy(BUSY)
            if future is None:
                if len(self._running) >= self._max_threads:
                    raise LookupsBusy(BUSY)
                future = self._threads.submit(self._look_up, host, port)
                self._running[host, port] = future
            self._callers += 1
            return future

    def _look_up(self, host: str, port: int) -> Sequence[str]:
        try:
            return self._resolve(host, port)
        finally:
            with self._lock:
                self._running.pop((host, port), None)
