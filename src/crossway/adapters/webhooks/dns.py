"""DNS resolution of webhook hosts with a time limit, isolated from one another."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as LookUpTimeout

from crossway.adapters.webhooks.ssrf_guard import Resolve
from crossway.domain.errors import Unreachable

UNKNOWN = "its host does not resolve"


class DnsResolver:
    """Calls the system's resolver, which cannot be interrupted, in threads of its own: one thread
    per host, however many callers wait for it, and at most `max_threads` in all."""

    def __init__(self, resolve: Resolve, max_threads: int) -> None:
        self._resolve, self._max_threads = resolve, max_threads
        self._threads = ThreadPoolExecutor(max_threads, thread_name_prefix="webhook-names")
        self._lock = threading.Lock()
        self._running: dict[tuple[str, int], Future[Sequence[str]]] = {}

    def resolve(self, host: str, port: int, seconds: float) -> list[str]:
        """The addresses of a host; raises `Unreachable` if it does not resolve within `seconds`."""
        try:
            return list(self._submit(host, port).result(seconds))
        except (OSError, UnicodeError, LookUpTimeout) as error:
            raise Unreachable(UNKNOWN) from error

    def close(self) -> None:
        """Stop the threads without waiting for running look-ups."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _submit(self, host: str, port: int) -> Future[Sequence[str]]:
        with self._lock:
            running = self._running.get((host, port))
            if running is not None:
                return running
            if len(self._running) >= self._max_threads:
                raise Unreachable(UNKNOWN)
            future = self._threads.submit(self._look_up, host, port)
            self._running[host, port] = future
            return future

    def _look_up(self, host: str, port: int) -> Sequence[str]:
        try:
            return self._resolve(host, port)
        finally:
            with self._lock:
                self._running.pop((host, port), None)
