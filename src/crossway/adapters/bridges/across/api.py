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
from crossway.adapters.bridges.request_budget import RequestBudget
from crossway.adapters.bridges.service_limits import ServiceLimits, new_http_client
from crossway.adapters.http_clients import request_deadlines
from crossway.domain.errors import Unreachable

T = TypeVar("T")
TITLE: Final = "Across"
MAX_RESPONSE_BYTES: Final = 2**17
MAX_WAIT_SECONDS: Final = 0.3
"""For its turn within the limits."""
FAILURES: Final = 3
"""After so many in a row, the API is left alone for `PAUSE_SECONDS`: nobody waits for it."""
PAUSE_SECONDS: Final = 5.0
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


class AcrossApi:
    """One API: that of main or of test networks. Methods raise `Unreachable` with a sentence,
    whatever it returns, within its limits. Repeats nothing. `timer` returns monotonic seconds, and
    `pause` waits."""

    def __init__(
        self,
        base_url: str,
        limits: ServiceLimits,
        key: str = "",
        timer: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._client = new_http_client(limits)
        self._budget = RequestBudget(TITLE, limits, timer, pause)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timer, self._max_seconds = timer, limits.timeout_seconds
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
        self._budget.spend(MAX_WAIT_SECONDS)
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
            self._budget.refuse()
            raise Unreachable(f"{TITLE} refused requests as too many")
        if content is None:
            raise self._fail(f"{TITLE}'s response is too long")
        if status in (_BAD_REQUEST, _NOT_FOUND) and (why := parse_error(content)) is not None:
            self._succeed()
            raise Refused(why)
        if status != httpx.codes.OK:
            raise self._fail(f"{TITLE} responded with status {status}")
        self._succeed()
        return self._parsed(parse_json, content)

    def _fail(self, sentence: str) -> Unreachable:
        with self._lock:
            self._failures, self._failure = self._failures + 1, sentence
            if self._failures >= FAILURES:
                self._paused_until = self._timer() + PAUSE_SECONDS
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


@dataclass(frozen=True, slots=True)
class AcrossApis:
    """The clients of the APIs of main and of test networks."""

    main: AcrossApi
    test: AcrossApi

    def of(self, testnet: bool) -> AcrossApi:
        """That of main or of test networks."""
        return self.test if testnet else self.main

    def close(self) -> None:
        """Close the connections."""
        self.main.close()
        self.test.close()
