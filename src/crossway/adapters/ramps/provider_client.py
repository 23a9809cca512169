"""What the clients of all real providers share: credentials, signed calls, lookups and webhooks."""

import hmac
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any, Final, Generic, TypeVar

import httpx

from crossway.adapters.ramps.credentials import ProviderCredentials
from crossway.adapters.ramps.http_client import ProviderHttpClient, ResourceNotFound, parse_json
from crossway.adapters.ramps.wire_models import (
    WireModel,
    format_decimal,
    load_names,
    parse_response,
    parse_webhook_body,
    round_down,
    round_up,
)
from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import (
    Capabilities,
    OrderRequest,
    ProviderOrderStatus,
    ProviderQuoteRequest,
    ProviderRejected,
)

# The user must not be told to pay for an order in one of these statuses.
CLOSED_STATUSES: Final = frozenset(
    {
        ProviderOrderStatus.CANCELLED,
        ProviderOrderStatus.EXPIRED,
        ProviderOrderStatus.FAILED,
        ProviderOrderStatus.REFUNDED,
    }
)
# An order in one of these was never paid and may be cancelled.
UNPAID_STATUSES: Final = frozenset(
    {
        ProviderOrderStatus.WAITING,
        ProviderOrderStatus.CANCELLED,
        ProviderOrderStatus.EXPIRED,
    }
)

C = TypeVar("C", bound=ProviderCredentials)
W = TypeVar("W", bound=WireModel)


class ProviderClient(ABC, Generic[C]):
    """Base of a real provider's client. A subclass sets `name` and `title`, signs its requests and
    maps the provider's API to the port `ports.ramps.RampProvider`."""

    name: ProviderName
    title: str
    runs_in_process: bool = False

    def __init__(
        self,
        credentials: C,
        capabilities: Capabilities,
        digits: Mapping[str, int],
        client: httpx.Client,
        now: Callable[[], float] = time.time,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`digits` are the decimal places of each currency; `now` returns epoch seconds."""
        self.capabilities = capabilities
        self._credentials = credentials
        self._digits = digits
        self._now = now
        self._names = load_names(self.name.lower())
        self._http = ProviderHttpClient(
            self.title,
            str(credentials.base_url),
            client,
            self._sign,
            pause,
            credentials.secrets,
        )

    def refund_address(self, chain: str) -> str:
        """The refund address that the operator configured for a chain."""
        return self._credentials.refund_address(chain)

    def confirm_payment(self, reference: str, tx_hash: str = "") -> None:
        """Do nothing: the provider detects payments itself."""

    @abstractmethod
    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        """The authentication headers of a request; `target` is the path with its query."""

    def _get(self, model: type[W], path: str, query: Mapping[str, str] | None = None) -> W:
        return parse_response(self.title, model, self._http.get(path, query))

    def _find(self, model: type[W], path: str, query: Mapping[str, str] | None = None) -> W | None:
        """The same; None when the provider answers that there is no such resource."""
        try:
            return self._get(model, path, query)
        except ResourceNotFound:
            return None

    def _post(
        self,
        model: type[W],
        path: str,
        body: Mapping[str, Any],
        redact: Collection[str] = (),
        idempotent: bool = False,
    ) -> W:
        response = self._http.post(path, body, redact=redact, idempotent=idempotent)
        return parse_response(self.title, model, response)

    def _parse_webhook(self, model: type[W], body: bytes) -> W:
        """The JSON body of a webhook whose signature was verified. Raises `InvalidInput`."""
        try:
            return parse_webhook_body(self.title, model, parse_json(body))
        except ValueError:
            raise InvalidInput("The body is not JSON") from None

    def _malformed(self) -> Unreachable:
        return Unreachable(f"{self.title}'s answer has another form than documented")


def require_signature(expected: str, received: str) -> None:
    """Raise `Unauthorized` unless a webhook carries the expected signature."""
    if not hmac.compare_digest(expected.encode(), received.strip().encode()):
        raise Unauthorized("The signature of the report is wrong")


def check_crypto_amount(
    title: str, request: ProviderQuoteRequest | OrderRequest, amount: str | Fraction
) -> None:
    """Raise `ProviderRejected` when the provider would deliver less crypto than requested (on-ramp)
    or take another amount than requested (off-ramp)."""
    decimals, is_on_ramp = request.token.decimals, request.direction is Direction.ON
    actual = round_down(amount, decimals) if is_on_ramp else round_up(amount, decimals)
    if actual < request.amount if is_on_ramp else actual != request.amount:
        verb = "deliver" if is_on_ramp else "take"
        shown = f"{format_decimal(actual, decimals)} {request.token.symbol}"
        expected = format_decimal(request.amount, decimals)
        raise ProviderRejected(f"{title} would {verb} {shown}, not {expected}")
