"""JSON-RPC over HTTP to one node: batching, response matching, and errors."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
from pydantic import SecretStr

from crossway.adapters.chains.rpc.call_budget import CallBudget
from crossway.domain.errors import Unreachable

_BUSY_STATUSES = (408, 425, 429)
_TOO_LARGE_STATUS = 413
RATE_LIMIT_CODES = (429, -32029)
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


class AnswerTooSlow(NodeUnavailable):
    """The node had not answered a request when its time was over."""


class BatchRefused(NodeUnavailable):
    """The node rejects a batch of calls as a whole; `error` is what it said."""

    def __init__(self, message: str, error: RpcError | None = None) -> None:
        super().__init__(message)
        self.error = error


class BudgetSpent(NodeUnavailable):
    """The node may not be sent more calls now."""


class RpcNode:
    """A node at a URL that may contain an API key; errors and logs show only its host."""

    def __init__(
        self, url: SecretStr, client: httpx.Client, batch: int, budget: CallBudget | None = None
    ) -> None:
        """`batch` is the number of calls sent in one HTTP request; less where the node refuses."""
        self._url, self._client, self.batch_size = url, client, batch
        self.budget = budget or CallBudget(None, None)
        parts = urlsplit(url.get_secret_value())
        self.name = f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
        self.request_count, self.call_count = 0, 0

    def __repr__(self) -> str:
        return f"RpcNode({self.name})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def send(self, requests: Sequence[RpcRequest]) -> list[Any]:
        """The result or the `RpcError` of each request. Where the node refuses a batch, it is
        halved, and so are later ones. Raises `NodeUnavailable`."""
        results: list[Any] = []
        size, refusal = self.batch_size, None
        while len(results) < len(requests):
            part = requests[len(results) : len(results) + size]
            try:
                received = self._post(part)
            except (BatchRefused, PayloadTooLarge) as error:
                if len(part) == 1:
                    raise
                size, refusal = len(part) // 2, error
                continue
            if isinstance(refusal, BatchRefused) and received == [refusal.error]:
                # It is said of a single call, too: the size of the batch was not the reason.
                return [*results, *received * (len(requests) - len(results))]
            if isinstance(refusal, BatchRefused):
                self.batch_size = min(self.batch_size, size)
            results += received
        return results

    def fetch(self, request: RpcRequest) -> bytes:
        """The response to a request as it came, for one that may be very long; `parse` reads it.
        Raises `NodeUnavailable`."""
        return self._exchange([request])

    def parse(self, content: bytes, count: int = 1) -> list[Any]:
        """The result or the `RpcError` of each of `count` requests. Raises `NodeUnavailable`."""
        try:
            return _match_results(orjson.loads(content), count)
        except BatchRefused as error:
            raise BatchRefused(f"{self.name} {error}", error.error) from None
        except (ValueError, TypeError, KeyError, json.JSONDecodeError):
            raise NodeUnavailable(f"{self.name} did not return JSON-RPC") from None

    def _post(self, requests: Sequence[RpcRequest]) -> list[Any]:
        return self.parse(self._exchange(requests), len(requests))

    def _exchange(self, requests: Sequence[RpcRequest]) -> bytes:
        self._spend(len(requests))
        calls = [
            {"jsonrpc": "2.0", "id": n, "method": request.method, "params": list(request.params)}
            for n, request in enumerate(requests)
        ]
        body = orjson.dumps(calls if len(calls) > 1 else calls[0])
        return self._send_http(self._url, body, len(calls)).content

    def _spend(self, calls: int) -> None:
        """Count calls against the budget. Raises `BudgetSpent`."""
        wait = self.budget.spend(calls)
        if wait:
            message = f"the budget of calls to {self.name} is spent for {wait:.0f} s"
            raise BudgetSpent(message, wait)
        self.call_count += calls

    def _send_http(self, url: SecretStr, body: bytes, calls: int = 1) -> httpx.Response:
        self.request_count += 1
        try:
            response = self._client.post(
                url.get_secret_value(), content=body, headers={"Content-Type": "application/json"}
            )
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            # The error's own message may contain the URL.
            message = f"{self.name} gave no answer: {type(error).__name__}"
            if calls > 1 and isinstance(error, httpx.RemoteProtocolError):
                # Some nodes close the connection on a batch that is too large.
                raise BatchRefused(message) from None
            if isinstance(error, httpx.ReadTimeout):
                raise AnswerTooSlow(message) from None
            raise NodeUnavailable(message) from None
        if calls > 1 and response.status_code >= 400 and _names_batch(response.content):
            raise BatchRefused(f"{self.name} refuses {calls} calls at once")
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


def _names_batch(content: bytes) -> bool:
    return b"batch" in content[:2_000].lower()


def _match_results(body: Any, count: int) -> list[Any]:
    """Results in the order of the requests. Raises `BatchRefused` where one error stands for all of
    several requests, or some were left out because there were too many."""
    if isinstance(body, dict):
        if count == 1:
            return [_result(body)]
        error = _parse_error(body["error"])
        if "rate" in error.message.lower() or error.code in RATE_LIMIT_CODES:
            return [error] * count
        raise _refusal(error, count)
    if count > 1 and len(body) == 1 and body[0].get("error") is not None:
        raise _refusal(_parse_error(body[0]["error"]), count)
    by_id = {response["id"]: response for response in body}
    if len(body) != count or set(by_id) != set(range(count)):
        raise ValueError("the responses do not match the requests")
    results = [_result(by_id[n]) for n in range(count)]
    for result in results:
        if count > 1 and isinstance(result, RpcError) and "batch" in result.message.lower():
            raise _refusal(result, count)
    return results


def _refusal(error: RpcError, count: int) -> BatchRefused:
    return BatchRefused(f"refuses {count} calls at once: {error.message}", error)


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
