"""Fiat ramp orders: their states, state transitions and fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from crossway.domain.errors import InvalidStatus, InvalidTransition


class Direction(StrEnum):
    """Fiat to crypto (on-ramp) or crypto to fiat (off-ramp)."""

    ON = "on-ramp"
    OFF = "off-ramp"


class ProviderName(StrEnum):
    """The supported providers."""

    FONBNK = "FONBNK"
    ONRAMP_MONEY = "ONRAMP_MONEY"
    PAYCREST = "PAYCREST"
    YELLOW_CARD = "YELLOW_CARD"


class OrderState(StrEnum):
    """The state of an order."""

    PENDING = "PENDING"
    INITIATED = "INITIATED"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    CANCELLED = "CANCELLED"
    EXPIRED = "EXPIRED"
    FAILED = "FAILED"
    REFUNDED = "REFUNDED"


class OrderEvent(StrEnum):
    """What can happen to an order, caused by the user, the provider, its intent or time.

    CONFIRM: the user reports the payment. PAID: the provider or the intent's chain confirms it.
    DELIVERED: the recipient has the crypto, or the provider paid out the fiat. LAPSED: nobody paid
    in time. DELAYED: what has been paid is late, and the note says why. NOTED: new information
    without a state change.
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
    DELAYED = "DELAYED"
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
        # After CONFIRM, which only the user reported.
        (S.PROCESSING, E.PAID): S.PROCESSING,
        (S.PROCESSING, E.DELAYED): S.PROCESSING,
        (S.PROCESSING, E.DELIVERED): S.COMPLETED,
        (S.PROCESSING, E.UNDELIVERED): S.FAILED,
        (S.FAILED, E.REFUNDED): S.REFUNDED,
        **{(state, E.NOTED): state for state in OrderState},
    }
)
FINAL_ORDER_STATES: Final = frozenset({S.COMPLETED, S.CANCELLED, S.EXPIRED, S.FAILED, S.REFUNDED})


def advance_order(state: OrderState, event: OrderEvent) -> OrderState:
    """The new state after an event; raises `InvalidTransition` when the table has none."""
    new_state = ORDER_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidTransition(f"{event} cannot happen to an order that is {state}")
    return new_state


def next_order_state(state: OrderState, event: OrderEvent) -> OrderState:
    """The new state after a user's request; raises `InvalidStatus` when not allowed."""
    new_state = ORDER_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidStatus(f"Order has invalid status: {state}")
    return new_state


class ProviderCommand(StrEnum):
    """A call to the provider that is still to be made for an order."""

    OPEN = "open"
    CONFIRM = "confirm"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class RampOrder:
    """One order as stored.

    `fiat_minor` is what the user pays (on-ramp) or gets (off-ramp), fees included, in minor units;
    `fee_minor` is the provider's fee, included (on-ramp) or in addition (off-ramp). `fees_minor`
    and `fees_micro_usd` are the total fees against the reference rate.
    `crypto_units` of `symbol` with `decimals` places is what the user asked for, `ramp_units` of
    `ramp_token` on `ramp_chain` what the provider delivers or takes, `gross_units` what an off-ramp
    user deposits on the source chain (in `decimals` places). `customer_id` is the KYC customer,
    `encrypted_fields` the submitted fields; both are empty after an erasure. `delay_reason` says
    why a paid order is late, empty where it is not. `provider_closed_at`: when the provider of an
    off-ramp closed it as unpaid while its crypto was on the way. `command` is the next
    call to the provider, `next_at` when the engine checks the order again (None: never).
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
    value_micro_usd: int
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
    customer_id: str | None
    encrypted_fields: bytes | None
    widget_url: str
    instructions: Mapping[str, Any]
    pay_to: str
    intent_id: int | None
    intent_address: str
    provider_reference: str
    provider_tx: str
    failure_reason: str
    delay_reason: str
    metadata: Mapping[str, Any]
    command: ProviderCommand | None
    attempt_count: int
    next_at: datetime | None
    paid_at: datetime | None
    provider_closed_at: datetime | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    completed_at: datetime | None


def provider_name(provider: str) -> str:
    """A provider's display name."""
    return provider.replace("_", " ").title()
