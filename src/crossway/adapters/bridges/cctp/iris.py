"""The client of Iris, Circle's attestation service.

Sources: developers.circle.com/api-reference/cctp (paths, fields, limits) and the npm package
@circle-fin/provider-cctp-v2 1.14.0 (types of what is returned).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import httpx

from crossway.adapters.bridges.cctp.iris_schemas import (
    AttestedMessage,
    parse_allowance,
    parse_fees,
    parse_json,
    parse_messages,
)
from crossway.adapters.bridges.request_budget import RequestBudget
from crossway.adapters.bridges.service_limits import ServiceLimits, new_http_client
from crossway.adapters.http_clients import request_deadlines
from crossway.domain.errors import Unreachable

T = TypeVar("T")
TITLE: Final = "Circle's attestation service"
# Whoever sends a payment can emit other messages in its transaction, and Circle returns them all.
# One of 8 kB costs 67,000 gas for its log alone and comes as 33 kB, once whole and once its body:
# the gas of a transaction, 32 million on the chains that allow most, makes less than 16 MB.
MAX_RESPONSE_BYTES: Final = 16 * 2**20
# For its turn within the budget.
MAX_WAIT_SECONDS: Final = 2.0
_NOT_FOUND, _TOO_MANY = 404, 429


class _NotFound(Exception):
    """The service knows nothing of what it is asked about."""


class Iris:
    """One attestation service: that of main or that of test networks. Every method raises
    `Unreachable` with a sentence, whatever the service returns, within its limits. Repeats nothing.
    `timer` returns monotonic seconds, and `pause` waits."""

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
        self._max_seconds = limits.timeout_seconds

    def get_messages(self, domain: int, tx_id: str) -> Sequence[AttestedMessage]:
        """The messages of a transaction, in the order of their logs; none where the service has not
        observed it yet."""
        try:
            body = self._call("GET", f"/v2/messages/{domain}", {"transactionHash": tx_id})
        except _NotFound:
            return []
        return self._parsed(parse_messages, body)

    def get_fees(self, source_domain: int, destination_domain: int) -> Mapping[int, int]:
        """The least fees from one domain to another, in hundredths of a basis point, by finality
        threshold."""
        try:
            body = self._call("GET", f"/v2/burn/USDC/fees/{source_domain}/{destination_domain}")
        except _NotFound:
            raise Unreachable(f"{TITLE} knows no fees between these chains") from None
        return self._parsed(parse_fees, body)

    def get_fast_allowance(self) -> int:
        """How much may be burnt now towards fast messages, in units of USDC."""
        try:
            body = self._call("GET", "/v2/fastBurn/USDC/allowance")
        except _NotFound:
            raise Unreachable(f"{TITLE} states no allowance for fast messages") from None
        return self._parsed(parse_allowance, body)

    def request_attestation(self, nonce: str) -> None:
        """Have an expired message attested to again: it returns with the same nonce and without an
        expiry."""
        try:
            self._call("POST", f"/v2/reattest/{nonce}")
        except _NotFound:
            raise Unreachable(f"{TITLE} does not know the message to attest to again") from None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _call(self, method: str, path: str, query: Mapping[str, str] | None = None) -> Any:
        """The body of an answer. Raises `Unreachable` and `_NotFound`."""
        self._budget.spend(MAX_WAIT_SECONDS)
        try:
            status, content = request_deadlines.fetch(
                self._client,
                method,
                self._base + path,
                self._max_seconds,
                MAX_RESPONSE_BYTES,
                query,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"{TITLE} did not respond: {type(error).__name__}") from None
        if status == _TOO_MANY:
            self._budget.refuse()
        if status == _NOT_FOUND:
            raise _NotFound
        if status != httpx.codes.OK:
            raise Unreachable(f"{TITLE} responded with status {status}")
        if content is None:
            raise Unreachable(f"{TITLE}'s response is too long")
        return self._parsed(parse_json, content)

    @staticmethod
    def _parsed(parse: Callable[[Any], T], body: Any) -> T:
        try:
            return parse(body)
        except ValueError as error:
            raise Unreachable(f"{TITLE}'s response cannot be used: {error}") from None
