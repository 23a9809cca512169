"""One node asked by JSON-RPC over HTTP: many questions a request, and why there is no answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
from pydantic import SecretStr

from crossway.domain.errors import Unreachable

_BUSY = (408, 425, 429)
_TOO_LARGE = 413
MOST_WAIT_SECONDS = 60.0
_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Question:
    """One call of a node's method."""

    method: str
    params: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Objection:
    """A node's own error: it answered, and the answer is no."""

    code: int
    message: str
    data: str = ""


class Silent(Unreachable):
    """A node that did not answer; `wait_seconds` is how long it asked to be left alone."""

    def __init__(self, message: str, wait_seconds: float = 0.0) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds


class Reverted(Unreachable):
    """A contract did not do what it was asked: the node is well, and the answer is still none."""


class TooLarge(Silent):
    """A node that answers, but not a request of this size."""


class Node:
    """A node behind a URL that may hold a key: only its host is ever told."""

    def __init__(self, url: SecretStr, client: httpx.Client, batch: int) -> None:
        """`batch` is how many questions it takes in one request."""
        self._url, self._client, self._batch = url, client, batch
        parts = urlsplit(url.get_secret_value())
        self.name = f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
        self.requests = 0

    def __repr__(self) -> str:
        return f"Node({self.name})"

    def close(self) -> None:
        """Let its connections go."""
        self._client.close()

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """The result or the `Objection` of each question. Raises `Silent`."""
        found: list[Any] = []
        for start in range(0, len(questions), self._batch):
            found += self._post(questions[start : start + self._batch])
        return found

    def _post(self, questions: Sequence[Question]) -> list[Any]:
        asked = [
            {"jsonrpc": "2.0", "id": n, "method": q.method, "params": list(q.params)}
            for n, q in enumerate(questions)
        ]
        body = orjson.dumps(asked if len(asked) > 1 else asked[0])
        self.requests += 1
        try:
            answer = self._client.post(
                self._url.get_secret_value(),
                content=body,
                headers={"Content-Type": "application/json"},
            )
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            # The error's own words may hold the URL.
            raise Silent(f"{self.name} gave no answer: {type(error).__name__}") from None
        self._refuse(answer)
        try:
            return _matched(orjson.loads(answer.content), len(asked))
        except (ValueError, TypeError, KeyError, json.JSONDecodeError):
            raise Silent(f"{self.name} answered something that is no JSON-RPC") from None

    def _refuse(self, answer: httpx.Response) -> None:
        if answer.status_code == _TOO_LARGE:
            raise TooLarge(f"{self.name} refuses a request of this size")
        if answer.status_code in _BUSY or answer.status_code >= 500:
            wait = _seconds(answer.headers)
            raise Silent(f"{self.name} answered with status {answer.status_code}", wait)
        # Some answer an error of JSON-RPC with status 400.
        if answer.status_code not in (200, 400):
            raise Silent(f"{self.name} answered with status {answer.status_code}")
        if len(answer.content) > _MOST_BYTES:
            raise TooLarge(f"{self.name} answered more than can be read")


def _seconds(headers: Mapping[str, str]) -> float:
    """What Retry-After asks for, as far as it is a number."""
    try:
        return min(max(float(headers.get("retry-after", "0")), 0.0), MOST_WAIT_SECONDS)
    except ValueError:
        return 0.0


def _matched(body: Any, count: int) -> list[Any]:
    """Answers in the order of their questions; an error for all is the error of each."""
    if isinstance(body, dict):
        if count == 1:
            return [_result(body)]
        return [_objection(body["error"])] * count
    by_id = {one["id"]: one for one in body}
    if len(body) != count or set(by_id) != set(range(count)):
        raise ValueError("other answers than questions")
    return [_result(by_id[n]) for n in range(count)]


def _result(one: Mapping[str, Any]) -> Any:
    if one.get("error") is not None:
        return _objection(one["error"])
    return one["result"]


def _objection(error: Any) -> Objection:
    if not isinstance(error, dict):
        return Objection(0, str(error)[:200])
    code = error.get("code", 0)
    data = error.get("data", "")
    if isinstance(data, dict):
        data = data.get("data", data.get("result", ""))
    return Objection(
        code if isinstance(code, int) else 0,
        str(error.get("message", ""))[:300],
        data if isinstance(data, str) else "",
    )
