"""What the clients of real providers share: signed calls, webhooks, instructions, attested KYC."""

import hmac
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlsplit

import httpx

from crossway.adapters.ramps.credentials import OperatorAttestedCredentials, ProviderCredentials
from crossway.adapters.ramps.http_client import ProviderHttpClient, ResourceNotFound, parse_json
from crossway.adapters.ramps.wire_models import (
    WireModel,
    load_names,
    parse_response,
    parse_webhook_body,
    round_down,
    round_up,
)
from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
from crossway.domain.kyc import KycStatus, KycType, VerificationStatus
from crossway.domain.money import format_units
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import (
    Capabilities,
    Document,
    KycUser,
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

ATTESTED: Final = VerificationStatus(KycType.ADVANCED, KycStatus.APPROVED)
MAX_INSTRUCTION_CHARACTERS = 500
C = TypeVar("C", bound=ProviderCredentials)
AttestedT = TypeVar("AttestedT", bound=OperatorAttestedCredentials)
W = TypeVar("W", bound=WireModel)


class ProviderClient(ABC, Generic[C]):
    """Base of a real provider's client. A subclass sets `name` and `title`, signs its requests and
    maps the provider's API to the port `ports.ramps.RampProvider`."""

    name: ProviderName
    title: str
    runs_in_process: bool = False
    verifies_by_email_alone: bool = False

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


class OperatorAttestedClient(ProviderClient[AttestedT]):
    """Base of the clients of providers that oblige the operator to verify users.

    The operator attests in the settings that it does."""

    def get_kyc_status(self, user: KycUser, country: str) -> VerificationStatus:
        """Approved for everybody once the operator attests its own checks; else not started."""
        attested = self._credentials.identities == "checked_by_operator"
        return ATTESTED if attested else VerificationStatus()

    def submit_kyc(
        self, user: KycUser, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> VerificationStatus:
        """The attested status. Raises `ProviderRejected` without an attestation, as the provider
        accepts no submissions."""
        status = self.get_kyc_status(user, country)
        if status.status is not KycStatus.APPROVED:
            raise ProviderRejected(
                f"{self.title} checks no identities: the operator has to, and has to confirm it "
                "in the settings"
            )
        return status


def require_signature(expected: str, received: str) -> None:
    """Raise `Unauthorized` unless a webhook carries the expected signature."""
    if not hmac.compare_digest(expected.encode(), received.strip().encode()):
        raise Unauthorized("The webhook's signature is wrong")


def check_crypto_amount(
    title: str, request: ProviderQuoteRequest | OrderRequest, amount: str | Fraction
) -> None:
    """Raise `ProviderRejected` when the provider would deliver less crypto than requested (on-ramp)
    or take another amount than requested (off-ramp)."""
    decimals, is_on_ramp = request.token.decimals, request.direction is Direction.ON
    actual = round_down(amount, decimals) if is_on_ramp else round_up(amount, decimals)
    if actual < request.amount if is_on_ramp else actual != request.amount:
        verb = "deliver" if is_on_ramp else "take"
        actual_text = f"{format_units(actual, decimals)} {request.token.symbol}"
        expected = format_units(request.amount, decimals)
        raise ProviderRejected(f"{title} would {verb} {actual_text}, not {expected}")


def clean_instructions(instructions: Mapping[str, str | None]) -> dict[str, str]:
    """Labels to values, each as a single printable line; empty ones are removed."""
    cleaned = {_line(label): _line(value or "") for label, value in instructions.items()}
    return {label: value for label, value in cleaned.items() if label and value}


def require_https_url(title: str, link: str | None) -> str:
    """The link to the provider's page, or empty. Raises `Unreachable` for anything but https."""
    if not link:
        return ""
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "https" or not parts.hostname or not link.isprintable() or " " in link:
        raise Unreachable(f"{title} returned a page that is not an https URL")
    return link


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[
        :MAX_INSTRUCTION_CHARACTERS
    ]
