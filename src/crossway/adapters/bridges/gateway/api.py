"""The client of Circle Gateway's API: balances, estimates, and attestations to burn intents.

Sources: developers.circle.com/api-reference/gateway (paths, fields). It needs no key. The real
service was never tried.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, TypeVar

import httpx

from crossway.adapters.bridges.gateway.api_schemas import (
    CreatedTransfer,
    parse_balances,
    parse_error,
    parse_estimate,
    parse_json,
    parse_transfer,
)
from crossway.adapters.bridges.gateway.burn_intents import SignedIntent, TransferSpec
from crossway.adapters.bridges.request_budget import RequestBudget
from crossway.adapters.bridges.service_limits import ServiceLimits, new_http_client
from crossway.adapters.http_clients import request_deadlines
from crossway.domain.errors import Unreachable

T = TypeVar("T")
TITLE: Final = "Circle Gateway"
MAX_RESPONSE_BYTES: Final = 2**18
# For its turn within the limits.
MAX_WAIT_SECONDS: Final = 2.0
FAILURES: Final = 3
"""After so many in a row, the API is left alone for `PAUSE_SECONDS`: nobody waits for it."""
PAUSE_SECONDS: Final = 5.0
_OK: Final = (200, 201)
_TOO_MANY: Final = 429
_REFUSED: Final = (400, 403, 404, 409, 422)
# What an estimate is asked for without: Circle fills both in.
_OPEN_END: Final = {"maxBlockHeight": str(2**256 - 1), "maxFee": "0"}


class Refused(Exception):
    """The API understood the question and refuses it, in its own words."""


class GatewayApi:
    """One API: that of main or of test networks. Methods raise `Refused` in its words, and
    `Unreachable` with a sentence, whatever it returns, within its limits. Repeats nothing. `timer`
    returns monotonic seconds, and `pause` waits."""

    def __init__(
        self,
        base_url: str,
        limits: ServiceLimits,
        timer: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._client = new_http_client(limits)
        self._budget = RequestBudget(TITLE, limits, timer, pause)
        self._timer, self._max_seconds = timer, limits.timeout_seconds
        self._lock = Lock()
        self._failures, self._failure = 0, ""
        self._paused_until = float("-inf")

    def balances(self, depositors: Mapping[int, str]) -> Mapping[int, int]:
        """What may be minted of each depositor's deposits, by their domain, in units of USDC."""
        sources = [{"domain": d, "depositor": account} for d, account in depositors.items()]
        body = self._post("/v1/balances", {"token": "USDC", "sources": sources})
        found = self._parsed(parse_balances, body)
        return {domain: found.get((domain, who.lower()), 0) for domain, who in depositors.items()}

    def estimate_fee(self, spec: TransferSpec) -> int:
        """What Circle would take on top of a transfer, in units of USDC."""
        body = self._post("/v1/estimate", [{**_OPEN_END, "spec": spec.described()}])
        return self._parsed(parse_estimate, body)

    def create_transfer(self, signed: Sequence[SignedIntent]) -> CreatedTransfer:
        """Circle's attestation to burn intents that are minted together; from now on they can
        be."""
        body = self._post("/v1/transfer", [one.described() for one in signed])
        return self._parsed(parse_transfer, body)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _post(self, path: str, json: Mapping[str, Any] | Sequence[Any]) -> Any:
        """The body of a response. Raises `Unreachable` and `Refused`."""
        with self._lock:
            if self._timer() < self._paused_until:
                raise Unreachable(self._failure)
        self._budget.spend(MAX_WAIT_SECONDS)
        try:
            status, content = request_deadlines.fetch(
                self._client,
                "POST",
                self._base + path,
                self._max_seconds,
                MAX_RESPONSE_BYTES,
                json=json,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._fail(f"{TITLE} did not respond: {type(error).__name__}") from None
        if status == _TOO_MANY:
            self._budget.refuse()
            raise Unreachable(f"{TITLE} refused requests as too many")
        if content is None:
            raise self._fail(f"{TITLE}'s response is too long")
        if status in _REFUSED and (why := parse_error(content)) is not None:
            self._succeed()
            raise Refused(why)
        if status not in _OK:
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
