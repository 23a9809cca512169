"""Looking up hosts that others chose: each in its time, and none at the cost of another."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as LookUpTimeout

from crossway.adapters.webhooks.addresses import Resolve
from crossway.domain.errors import Unreachable

UNKNOWN = "its host has no address that is known now"


class Names:
    """Asks the system's resolver, which cannot be interrupted, in threads of its own: one for each
    host, however many wait for it, and never more than `most`."""

    def __init__(self, resolve: Resolve, most: int) -> None:
        self._resolve, self._most = resolve, most
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="webhook-names")
        self._lock = threading.Lock()
        self._under_way: dict[tuple[str, int], Future[Sequence[str]]] = {}

    def addresses(self, host: str, port: int, seconds: float) -> list[str]:
        """The addresses of a host; raises `Unreachable` where none is known within the time."""
        try:
            return list(self._asked(host, port).result(seconds))
        except (OSError, UnicodeError, LookUpTimeout) as error:
            raise Unreachable(UNKNOWN) from error

    def close(self) -> None:
        """Wait for nobody."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _asked(self, host: str, port: int) -> Future[Sequence[str]]:
        with self._lock:
            known = self._under_way.get((host, port))
            if known is not None:
                return known
            if len(self._under_way) >= self._most:
                raise Unreachable(UNKNOWN)
            asked = self._threads.submit(self._answered, host, port)
            self._under_way[host, port] = asked
            return asked

    def _answered(self, host: str, port: int) -> Sequence[str]:
        try:
            return self._resolve(host, port)
        finally:
            with self._lock:
                self._under_way.pop((host, port), None)
