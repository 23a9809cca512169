"""The client of Across' API: what relayers ask for a deposit, and what it knows of one.

Sources: docs.across.to/api-reference/suggested-fees/get and .../deposit/status (paths, fields), and
github.com/across-protocol/frontend, api/_errors.ts (errors). Decision 70 says why these.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, TypeVar

import httpx

from crossway.adapters.bridges.across.api_schemas import (
    ApiError,
    SuggestedFees,
    parse_error,
    parse_json,
    parse_status,
    parse_suggested_fees,
)
from crossway.adapters.http_clients import request_deadlines
from crossway.domain.errors import Unreachable

T = TypeVar("T")
TITLE: Final = "Across"
TIMEOUTS: Final = httpx.Timeout(1.5, connect=1.0)
MAX_RESPONSE_BYTES: Final = 2**17
MAX_SECONDS: Final = 3.0
"""For a request as a whole."""
FAILURES: Final = 3
"""After so many in a row, the API is left alone for `PAUSE_SECONDS`: nobody waits for it."""
PAUSE_SECONDS: Final = 5.0
TOO_MANY_SECONDS: Final = 30.0
_BAD_REQUEST, _NOT_FOUND, _TOO_MANY = 400, 404, 429


@dataclass(frozen=True, slots=True)
class FeeQuestion:
    """A deposit that is to be priced: `amount` in units of the token that is paid in; chains by
    their ids. `message` is what the recipient, a contract, is called with."""

    input_token: str
    output_token: str
    source: str
    destination: str
    amount: int
    recipient: str
    message: str


class Refused(Exception):
    """The API understood the question and does not price it."""

    def __init__(self, error: ApiError) -> None:
        super().__init__(error.message)
        self.error = error


def new_http_client() -> httpx.Client:
    """An HTTP client with short timeouts, without redirects and environment proxies."""
    return request_deadlines.new_http_client(TIMEOUTS)


class AcrossApi:
    """One API: that of main or of test networks. Methods raise `Unreachable` with a sentence,
    whatever it returns, within `max_seconds`. Repeats nothing. `timer` returns monotonic
    seconds."""

    def __init__(
        self,
        base_url: str,
        client: httpx.Client,
        key: str = "",
        timer: Callable[[], float] = time.monotonic,
        max_seconds: float = MAX_SECONDS,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._client = client
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timer, self._max_seconds = timer, max_seconds
        self._lock = Lock()
        self._failures, self._failure = 0, ""
        self._paused_until = float("-inf")

    def suggest_fees(self, question: FeeQuestion) -> SuggestedFees:
        """What relayers ask for a deposit. Raises `Refused`, too."""
        query = {
            "inputToken": question.input_token,
            "outputToken": question.output_token,
            "originChainId": question.source,
            "destinationChainId": question.destination,
            "amount": str(question.amount),
            "recipient": question.recipient,
            "message": question.message,
            # Below the least amount it returns that amount instead of an error without a number.
            "skipAmountLimit": "true",
        }
        return self._parsed(parse_suggested_fees, self._get("/suggested-fees", query))

    def find_deposit_status(self, tx_id: str) -> str:
        """What the API says of the deposit in a transaction; empty where it knows none."""
        try:
            body = self._get("/deposit/status", {"depositTxnRef": tx_id})
        except Refused:
            return ""
        return self._parsed(parse_status, body)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _get(self, path: str, query: dict[str, str]) -> Any:
        """The body of a response. Raises `Unreachable` and `Refused`."""
        with self._lock:
            if self._timer() < self._paused_until:
                raise Unreachable(self._failure)
        try:
            status, content = request_deadlines.fetch(
                self._client,
                "GET",
                self._base + path,
                self._max_seconds,
                MAX_RESPONSE_BYTES,
                query,
                self._headers,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._fail(f"{TITLE} did not respond: {type(error).__name__}") from None
        if status == _TOO_MANY:
            raise self._fail(f"{TITLE} refused requests as too many", TOO_MANY_SECONDS)
        if content is None:
            raise self._fail(f"{TITLE}'s response is too long")
        if status in (_BAD_REQUEST, _NOT_FOUND) and (why := parse_error(content)) is not None:
            self._succeed()
            raise Refused(why)
        if status != httpx.codes.OK:
            raise self._fail(f"{TITLE} responded with status {status}")
        self._succeed()
        return self._parsed(parse_json, content)

    def _fail(self, sentence: str, pause_seconds: float = 0.0) -> Unreachable:
        with self._lock:
            self._failures, self._failure = self._failures + 1, sentence
            if self._failures >= FAILURES:
                pause_seconds = max(pause_seconds, PAUSE_SECONDS)
            if pause_seconds:
                self._paused_until = max(self._paused_until, self._timer() + pause_seconds)
        return Unreachable(sentence)

    def _succeed(self) -> None:
        with self._lock:
            self._failures = 0

    @staticmethod
    def _parsed(parse: Callable[[Any], T], body: Any) -> T:
        try:
            return parse(body)
        except ValueError as error:
            raise Unreachable(f"{TITLE}'s response cannot be used: {error}") from None
