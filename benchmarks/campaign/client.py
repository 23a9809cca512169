"""An API client that repeats what was cut off, with the same Idempotency-Key, until it is answered.

A request is a generator of pauses in seconds: its thread serves others while it waits.
"""

import threading
from collections.abc import Generator
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import httpx

from benchmarks.campaign.tally import Tally

T = TypeVar("T")
Paused = Generator[float, None, T]
# Shorter than a freeze: what a frozen process took is asked again, and must not happen twice.
TIMEOUT_SECONDS = 8
PAUSE_SECONDS = 1.0
# In flight with a process that was killed, too many requests, a chain or the database is busy.
UNDECIDED = (409, 429, 502, 503)
# Each key is used for one request: what was cut off must not count as another one.
NEVER = 422


@dataclass(frozen=True, slots=True)
class Answer:
    """A response that decides."""

    status: int
    json: Any

    @property
    def ok(self) -> bool:
        """Whether the request did what it asked for."""
        return self.status < 300


class Client:
    """A key's requests to the API; safe to share between threads."""

    def __init__(self, base: str, api_key: str, tally: Tally, seed: int) -> None:
        self._base, self._headers = f"{base}/api/v1", {"Authorization": f"Bearer {api_key}"}
        self._tally, self._seed, self._numbers = tally, seed, count(1)
        self._own, self._opened = threading.local(), list[httpx.Client]()

    def ask(self, method: str, path: str, body: Any = None, key: str = "", **params: Any) -> Any:
        """A request of the work, counted once it is answered."""
        answer: Answer = yield from self.insist(method, path, body, key, **params)
        self._tally.operation(f"{method} {_template(path)}")
        return answer

    def insist(
        self, method: str, path: str, body: Any = None, key: str = "", **params: Any
    ) -> Paused[Answer]:
        """Repeat a request until it is answered."""
        key = key or self.new_key()
        while (answer := self.once(method, path, body, key, **params)) is None:
            yield PAUSE_SECONDS
        return answer

    def new_key(self) -> str:
        """A key that no other request has."""
        return f"campaign-{self._seed}-{next(self._numbers)}"

    def once(
        self, method: str, path: str, body: Any = None, key: str = "", **params: Any
    ) -> Answer | None:
        """One try; None if it was cut off or decides nothing."""
        headers = {"Idempotency-Key": key} if key and method == "POST" else {}
        try:
            response = self._http().request(
                method, path, json=body, params=params or None, headers=headers
            )
        except httpx.TransportError:
            return None
        if response.status_code in UNDECIDED:
            return None
        failed = response.status_code >= 500
        if failed or response.status_code == NEVER:
            self._tally.problem(
                f"{method} {_template(path)} answered {response.status_code}: {response.text[:300]}"
            )
        return None if failed else Answer(response.status_code, response.json())

    def _http(self) -> httpx.Client:
        http: httpx.Client | None = getattr(self._own, "http", None)
        if http is None:
            http = httpx.Client(
                base_url=self._base,
                headers=self._headers,
                timeout=TIMEOUT_SECONDS,
                trust_env=False,
            )
            self._own.http = http
            self._opened.append(http)
        return http

    def close(self) -> None:
        """Close the connections of all threads, which have ended."""
        for http in self._opened:
            http.close()


def _template(path: str) -> str:
    """The path without the values in it."""
    parts = path.strip("/").split("/")
    words = [part for part in parts if part.replace("-", "").isalpha() and part.islower()]
    return "/" + "/".join(words)
