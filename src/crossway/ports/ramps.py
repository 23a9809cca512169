"""The port of a fiat ramp provider, and what is said through it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Protocol

from crossway.domain.channels import Channel
from crossway.domain.errors import Refusal
from crossway.domain.fiat import Currency
from crossway.domain.kyc import Standing, Tier
from crossway.domain.money import Token
from crossway.domain.ramps import Direction, ProviderName


class ProviderRefused(Refusal):
    """The provider said no for good; its reason as a sentence. Silence is `Unreachable` instead."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider does, as data: its channels, the chains it pays and is paid on with its
    token there, where it checks identities, and its tiers by country (`""`: everywhere else).

    `spreads_bps` is how far a sandbox's rate lies from the reference, against the user, by
    currency (`""`: every other); a real provider tells its rate itself.
    """

    name: ProviderName
    title: str
    website: str
    channels: tuple[Channel, ...]
    tokens: tuple[Token, ...]
    verifies: Literal["here", "widget"]
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
class Ask:
    """What a price is asked for: `units` of the provider's `token`, delivered or taken."""

    direction: Direction
    currency: Currency
    country: str
    token: Token
    units: int


@dataclass(frozen=True, slots=True)
class Priced:
    """A provider's price: what the user pays or gets in minor units by `channels[0]`, the
    provider's own rate in millionths of the currency per USD, and its fee in minor units,
    which is inside `fiat_minor`."""

    fiat_minor: int
    fee_minor: int
    rate_micro: int
    channels: tuple[Channel, ...]
    quote_id: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Opening:
    """An order as the provider is asked for it; `reference` is ours and makes it happen once.

    `to_address` is where an on-ramp delivers. `fiat_minor` is what was quoted. `refund_address`
    is where crypto of an off-ramp goes back to. `identity` is what the person handed in for the
    provider's check, as a provider that leaves checking to others wants it with every order.
    Personal data: never to be logged or kept.
    """

    reference: str
    direction: Direction
    currency: Currency
    country: str
    channel: Channel
    token: Token
    units: int
    fiat_minor: int
    fee_minor: int
    to_address: str
    refund_address: str
    email: str
    fields: Mapping[str, str]
    identity: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opened:
    """The provider's answer: its own reference, what it says it takes or pays in minor units, how
    the user pays (`instructions`, label to value, or a page), and where an off-ramp's crypto goes
    (`pay_to` on the token's chain)."""

    reference: str
    fiat_minor: int
    instructions: Mapping[str, Any]
    widget_url: str = ""
    pay_to: str = ""
    pay_by: datetime | None = None


class Outcome(StrEnum):
    """What a provider reports of an order."""

    WAITING = "waiting"
    PAID = "paid"
    DELIVERED = "delivered"
    FAILED = "failed"
    REFUNDED = "refunded"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Report:
    """One thing a provider said of an order; `id` is the same when it says it again.

    `units` of its token and `fiat_minor` are what it claims was moved, None where it does not say.
    """

    id: str
    reference: str
    outcome: Outcome
    at: datetime
    units: int | None = None
    fiat_minor: int | None = None
    tx_hash: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file about a person, for a provider's check."""

    key: str
    media_type: str
    content: bytes


class RampProvider(Protocol):
    """One provider. Every call may raise `Unreachable`, after which nothing is known; those that
    change something are safe to make again with the same reference."""

    name: ProviderName
    at_once: bool
    capabilities: Capabilities

    def refund_address(self, chain: str) -> str:
        """Where crypto goes back to that this provider paid and that cannot be delivered."""
        ...

    def price(self, ask: Ask, channels: Sequence[Channel], now: datetime) -> Priced:
        """What the user pays or gets. Raises `ProviderRefused` when it does not serve this."""
        ...

    def open(self, order: Opening) -> Opened:
        """Open an order, or find the one that this reference opened before. Raises
        `ProviderRefused`."""
        ...

    def confirm(self, reference: str, tx_hash: str = "") -> None:
        """Tell that the user says it is paid; `reference` is the provider's. For an off-ramp
        `tx_hash` is the transaction that paid the provider's address. Raises `ProviderRefused`,
        which changes nothing: the provider learns of a payment by itself as well."""
        ...

    def cancel(self, reference: str) -> None:
        """Close an order that nobody paid. Raises `ProviderRefused` when it is too late."""
        ...

    def cancel_unknown(self, order: Opening) -> None:
        """The same where our reference is all that is known: nothing may have been opened."""
        ...

    def reports(self, references: Sequence[str]) -> Mapping[str, Sequence[Report]]:
        """What is known of orders by the provider's reference, oldest first."""
        ...

    def read_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[Report]:
        """Reports in an incoming call, its signature checked. Raises `Unauthorized` for a forged
        one and `InvalidInput` for one that makes no sense. Header names are in lower case."""
        ...

    def standing(self, email: str, country: str) -> Standing:
        """Where a person stands with the provider."""
        ...

    def submit(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> Standing:
        """Hand over what a tier requires. Raises `ProviderRefused`."""
        ...
