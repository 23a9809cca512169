"""JSON-RPC over HTTP to one node: batching, response matching, and errors."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
from pydantic import SecretStr

from crossway.domain.errors import Unreachable

_BUSY_STATUSES = (408, 425, 429)
_TOO_LARGE_STATUS = 413
MAX_RETRY_AFTER_SECONDS = 60.0
_MAX_RESPONSE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RpcRequest:
    """One method call."""

    method: str
    params: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class RpcError:
    """The error object of a JSON-RPC response."""

    code: int
    message: str
    data: str = ""


class NodeUnavailable(Unreachable):
    """A node that did not respond usefully; `retry_after_seconds` is the pause it asked for."""

    def __init__(self, message: str, retry_after_seconds: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class CallReverted(Unreachable):
    """A contract call reverted: the node is healthy, but there is no result."""


class PayloadTooLarge(NodeUnavailable):
    """The node responds, but not to a request of this size."""


class RpcNode:
    """A node at a URL that may contain an API key; errors and logs show only its host."""

    def __init__(self, url: SecretStr, client: httpx.Client, batch: int) -> None:
        """`batch` is the number of calls sent in one HTTP request."""
        self._url, self._client, self._batch = url, client, batch
        parts = urlsplit(url.get_secret_value())
        self.name = f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
        self.request_count = 0

    def __repr__(self) -> str:
        return f"RpcNode({self.name})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def send(self, requests: Sequence[RpcRequest]) -> list[Any]:
        """The result or the `RpcError` of each request. Raises `NodeUnavailable`."""
        results: list[Any] = []
        for start in range(0, len(requests), self._batch):
            results += self._post(requests[start : start + self._batch])
        return results

    def _post(self, requests: Sequence[RpcRequest]) -> list[Any]:
        calls = [
            {"jsonrpc": "2.0", "id": n, "method": request.method, "params": list(request.params)}
            for n, request in enumerate(requests)
        ]
        body = orjson.dumps(calls if len(calls) > 1 else calls[0])
        response = self._send_http(self._url, body)
        try:
            return _match_results(orjson.loads(response.content), len(calls))
        except (ValueError, TypeError, KeyError, json.JSONDecodeError):
            raise NodeUnavailable(f"{self.name} did not return JSON-RPC") from None

    def _send_http(self, url: SecretStr, body: bytes) -> httpx.Response:
        self.request_count += 1
        try:
            response = self._client.post(
                url.get_secret_value(), content=body, headers={"Content-Type": "application/json"}
            )
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            # The error's own message may contain the URL.
            raise NodeUnavailable(f"{self.name} gave no answer: {type(error).__name__}") from None
        self._check_status(response)
        return response

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == _TOO_LARGE_STATUS:
            raise PayloadTooLarge(f"{self.name} rejects a request of this size")
        if status in _BUSY_STATUSES or status >= 500:
            retry_after = _retry_after_seconds(response.headers)
            raise NodeUnavailable(f"{self.name} answered with status {status}", retry_after)
        # Some nodes return JSON-RPC errors with status 400.
        if status not in (200, 400):
            raise NodeUnavailable(f"{self.name} answered with status {status}")
        if len(response.content) > _MAX_RESPONSE_BYTES:
            raise PayloadTooLarge(f"{self.name} returned more than {_MAX_RESPONSE_BYTES:,} bytes")


def _retry_after_seconds(headers: Mapping[str, str]) -> float:
    """The value of Retry-After, 0 where it is absent or a date."""
    try:
        return min(max(float(headers.get("retry-after", "0")), 0.0), MAX_RETRY_AFTER_SECONDS)
    except ValueError:
        return 0.0


def _match_results(body: Any, count: int) -> list[Any]:
    """Results in the order of the requests; a single error for the batch applies to each."""
    if isinstance(body, dict):
        if count == 1:
            return [_result(body)]
        return [_parse_error(body["error"])] * count
    by_id = {response["id"]: response for response in body}
    if len(body) != count or set(by_id) != set(range(count)):
        raise ValueError("the responses do not match the requests")
    return [_result(by_id[n]) for n in range(count)]


def _result(response: Mapping[str, Any]) -> Any:
    if response.get("error") is not None:
        return _parse_error(response["error"])
    return response["result"]


def _parse_error(error: Any) -> RpcError:
    if not isinstance(error, dict):
        return RpcError(0, str(error)[:200])
    code = error.get("code", 0)
    data = error.get("data", "")
    if isinstance(data, dict):
        data = data.get("data", data.get("result", ""))
    return RpcError(
        code if isinstance(code, int) else 0,
        str(error.get("message", ""))[:300],
        data if isinstance(data, str) else "",
    )
