"""The port of a fiat ramp provider, with its requests and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Protocol

from crossway.domain.clients import Owner
from crossway.domain.errors import DomainError
from crossway.domain.fiat import Currency
from crossway.domain.kyc import Tier, VerificationStatus
from crossway.domain.money import Token
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction, ProviderName


class ProviderRejected(DomainError):
    """The provider rejected a request permanently, with its reason; no answer is `Unreachable`."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """A provider's static capabilities: channels, tokens, KYC mode and KYC tiers.

    `tokens` are the tokens it pays out and accepts, one per chain. `kyc_mode` says whether it
    verifies identities through this service or in its own widget. `tiers` are by country (`""`:
    every other). `spreads_bps` is how far a sandbox's rate lies from the reference rate, against
    the user, by currency (`""`: every other); a real provider quotes its own rate.
    """

    name: ProviderName
    title: str
    website: str
    channels: tuple[Channel, ...]
    tokens: tuple[Token, ...]
    kyc_mode: Literal["here", "widget"]
    tiers: Mapping[str, tuple[Tier, ...]]
    spreads_bps: Mapping[str, int] = field(default_factory=dict)

    def channels_for(
        self, direction: Direction, currency: str, country: str, direct_only: bool = False
    ) -> tuple[Channel, ...]:
        """The channels of one corridor in one direction."""
        return tuple(
            channel
            for channel in self.channels
            if channel.direction is direction
            and channel.currency == currency
            and country in channel.countries
            and (channel.direct or not direct_only)
        )


@dataclass(frozen=True, slots=True)
class ProviderQuoteRequest:
    """A quote request for `amount` smallest units of the provider's token, delivered or taken."""

    direction: Direction
    currency: Currency
    country: str
    token: Token
    amount: int


@dataclass(frozen=True, slots=True)
class ProviderQuote:
    """A provider's quote for paying through `channels[0]`.

    `fiat_minor` is what the user pays or gets in minor units, `fee_minor` the provider's fee
    within it, `rate_micro` the provider's rate in millionths of the currency per USD.
    """

    fiat_minor: int
    fee_minor: int
    rate_micro: int
    channels: tuple[Channel, ...]
    quote_id: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """An order to place with the provider; `reference` is ours and makes it idempotent.

    `to_address` is where an on-ramp delivers, `fiat_minor` the quoted amount, `refund_address`
    where an off-ramp's crypto is returned to. `kyc_fields` are the identity fields of the user for
    providers that require them with every order. Personal data: never log or cache it.
    """

    reference: str
    direction: Direction
    currency: Currency
    country: str
    channel: Channel
    token: Token
    amount: int
    fiat_minor: int
    fee_minor: int
    to_address: str
    refund_address: str
    email: str
    fields: Mapping[str, str]
    kyc_fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProviderOrder:
    """An order as the provider accepted it.

    `reference` is the provider's, `fiat_minor` what it takes or pays in minor units. The user pays
    by `instructions` (label to value) or on the page `widget_url`; an off-ramp's crypto goes to
    `pay_to` on the token's chain.
    """

    reference: str
    fiat_minor: int
    instructions: Mapping[str, Any]
    widget_url: str = ""
    pay_to: str = ""
    pay_by: datetime | None = None


class ProviderOrderStatus(StrEnum):
    """The status of an order as a provider reports it."""

    WAITING = "waiting"
    PAID = "paid"
    DELIVERED = "delivered"
    FAILED = "failed"
    REFUNDED = "refunded"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class ProviderUpdate:
    """One status report about an order; `id` is the same when it is repeated.

    `amount` of its token and `fiat_minor` are what it claims was moved; None when not reported.
    """

    id: str
    reference: str
    status: ProviderOrderStatus
    at: datetime
    amount: int | None = None
    fiat_minor: int | None = None
    tx_hash: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class KycUser:
    """A person as one owner knows them. The same address of another client is another user."""

    email: str
    owner: Owner


@dataclass(frozen=True, slots=True)
class Document:
    """A document for a provider's identity check."""

    key: str
    media_type: str
    content: bytes


class RampProvider(Protocol):
    """One ramp provider. Every call may raise `Unreachable`, after which the result is unknown.

    Calls that change something may be repeated safely with the same reference. `runs_in_process`:
    calls need no network and run in the caller's thread. `verifies_by_email_alone`: it knows users
    by their address only, so that its status of one may come from what another client handed in.
    """

    name: ProviderName
    runs_in_process: bool
    verifies_by_email_alone: bool
    capabilities: Capabilities

    def refund_address(self, chain: str) -> str:
        """The address to which undeliverable crypto from this provider is returned."""
        ...

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        """The price. Raises `ProviderRejected` when the provider does not serve the request."""
        ...

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        """Place an order, or find the one placed before with this reference.

        Raises `ProviderRejected`.
        """
        ...

    def confirm_payment(self, reference: str, tx_hash: str = "") -> None:
        """Tell the provider that the user reports the payment; `reference` is the provider's.

        For an off-ramp, `tx_hash` is the transaction that paid the provider's address. Raises
        `ProviderRejected`, which changes nothing: the provider also detects payments itself.
        """
        ...

    def cancel_order(self, reference: str) -> None:
        """Cancel an unpaid order. Raises `ProviderRejected` when it is too late."""
        ...

    def cancel_by_reference(self, request: OrderRequest) -> None:
        """Cancel an order by our reference alone; it may never have been placed."""
        ...

    def fetch_updates(self, references: Sequence[str]) -> Mapping[str, Sequence[ProviderUpdate]]:
        """The reported updates of orders by the provider's reference, oldest first."""
        ...

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[ProviderUpdate]:
        """The updates in an incoming webhook, after checking its signature.

        Header names are in lower case. Raises `Unauthorized` for a bad signature and
        `InvalidInput` for a malformed body.
        """
        ...

    def get_kyc_status(self, user: KycUser, country: str) -> VerificationStatus:
        """The verification status of a user with the provider."""
        ...

    def submit_kyc(
        self, user: KycUser, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> VerificationStatus:
        """Submit what a tier requires. Raises `ProviderRejected`."""
        ...
