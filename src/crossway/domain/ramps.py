"""Fiat ramp orders: their states, the one table of moves between them, and their fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from crossway.domain.errors import IllegalMove, WrongState


class Direction(StrEnum):
    """Local money into crypto, or crypto into local money."""

    ON = "on-ramp"
    OFF = "off-ramp"


class ProviderName(StrEnum):
    """The four providers (wire.md §4)."""

    FONBNK = "FONBNK"
    ONRAMP_MONEY = "ONRAMP_MONEY"
    PAYCREST = "PAYCREST"
    YELLOW_CARD = "YELLOW_CARD"


class OrderState(StrEnum):
    """Where an order stands (wire.md §4)."""

    PENDING = "PENDING"
    INITIATED = "INITIATED"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    CANCELLED = "CANCELLED"
    EXPIRED = "EXPIRED"
    FAILED = "FAILED"
    REFUNDED = "REFUNDED"


class OrderEvent(StrEnum):
    """What can happen to an order: the user's doing, the provider's word, its intent's, or time.

    CONFIRM: the user says it is paid. PAID: the provider, or the intent's chain, says so.
    DELIVERED: the recipient has the crypto, or the provider paid the local money out. LAPSED:
    nobody paid in time. NOTED: something was learnt that changes no state.
    """

    ACCEPTED = "ACCEPTED"
    REFUSED = "REFUSED"
    CONFIRM = "CONFIRM"
    PAID = "PAID"
    DELIVERED = "DELIVERED"
    UNDELIVERED = "UNDELIVERED"
    REFUNDED = "REFUNDED"
    CANCEL = "CANCEL"
    LAPSED = "LAPSED"
    NOTED = "NOTED"


S, E = OrderState, OrderEvent
ORDER_TRANSITIONS: Final = MappingProxyType(
    {
        (S.PENDING, E.ACCEPTED): S.INITIATED,
        (S.PENDING, E.REFUSED): S.FAILED,
        (S.PENDING, E.CANCEL): S.CANCELLED,
        (S.INITIATED, E.CONFIRM): S.PROCESSING,
        (S.INITIATED, E.PAID): S.PROCESSING,
        (S.INITIATED, E.CANCEL): S.CANCELLED,
        (S.INITIATED, E.LAPSED): S.EXPIRED,
        # After CONFIRM, which was the user's word alone.
        (S.PROCESSING, E.PAID): S.PROCESSING,
        (S.PROCESSING, E.DELIVERED): S.COMPLETED,
        (S.PROCESSING, E.UNDELIVERED): S.FAILED,
        (S.FAILED, E.REFUNDED): S.REFUNDED,
        **{(state, E.NOTED): state for state in OrderState},
    }
)
ORDER_ENDED: Final = frozenset({S.COMPLETED, S.CANCELLED, S.EXPIRED, S.FAILED, S.REFUNDED})


def advance_order(state: OrderState, event: OrderEvent) -> OrderState:
    """The only way to an order's new state; a pair that the table lacks raises `IllegalMove`."""
    to = ORDER_TRANSITIONS.get((state, event))
    if to is None:
        raise IllegalMove(f"{event} cannot happen to an order that is {state}")
    return to


def asked_of(state: OrderState, event: OrderEvent) -> OrderState:
    """The same for what a person asks: a refusal in words where the table lacks it."""
    to = ORDER_TRANSITIONS.get((state, event))
    if to is None:
        raise WrongState(f"Order has invalid status: {state}")
    return to


class Errand(StrEnum):
    """What Crossway still has to tell a provider about an order."""

    OPEN = "open"
    CONFIRM = "confirm"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class RampOrder:
    """One order as stored.

    `fiat_minor` is what the user pays (on-ramp) or gets (off-ramp), fees included, in minor units
    of the currency; `fee_minor` is the provider's fee, inside it (on-ramp) or beside it (off-ramp);
    `fees_minor` and `fees_micro_usd` are what all of it costs against the reference rate.
    `crypto_units` of `symbol` is what the user asked for, in units of `decimals` places;
    `ramp_units` of `ramp_token` on `ramp_chain` is what the provider delivers or takes;
    `gross_units` what the user of an off-ramp deposits on the source chain, in the same places as
    `crypto_units`. `person_id` is who it is for, `sealed` their fields, encrypted; both are gone
    after an erasure. `errand` is what the provider is still to be told, `next_at` when the engine
    looks again (None: never).
    """

    id: int
    client_id: str
    mode: str
    reference: str
    direction: Direction
    provider: ProviderName
    state: OrderState
    currency: str
    digits: int
    fiat_minor: int
    fee_minor: int
    fees_minor: int
    fees_micro_usd: int
    worth_micro_usd: int
    rate_micro: int
    symbol: str
    decimals: int
    crypto_units: int
    source_chain: str
    destination_chain: str
    ramp_chain: str
    ramp_token: str
    ramp_units: int
    gross_units: int
    sender: str
    recipient: str
    country: str
    channel: str
    person_id: str | None
    sealed: bytes | None
    widget_url: str
    instructions: Mapping[str, Any]
    pay_to: str
    intent_id: int | None
    intent_address: str
    provider_reference: str
    provider_tx: str
    failure_reason: str
    metadata: Mapping[str, Any]
    errand: Errand | None
    tries: int
    next_at: datetime | None
    paid_at: datetime | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    completed_at: datetime | None


def provider_name(provider: str) -> str:
    """A provider's name for people."""
    return provider.replace("_", " ").title()
