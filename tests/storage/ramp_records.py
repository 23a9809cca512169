"""Factories of ramp orders and KYC customers; arguments set the fields that a test is about."""

from dataclasses import replace
from itertools import count
from typing import Any

from crossway.domain.clients import Mode
from crossway.domain.ramps import (
    Direction,
    OrderEvent,
    OrderState,
    ProviderName,
    RampOrder,
    advance_order,
)
from crossway.ports.ramp_repository import KycCustomer, KycSubmission, OrderChange
from crossway.storage.store import SqlStore
from tests.storage.records import ARBITRUM, BASE, NOW, later

_numbers = count(1)


def an_order(**more: Any) -> RampOrder:
    """An order of 100 USDC for naira with unique references."""
    number = next(_numbers)
    facts: dict[str, Any] = {
        "id": 0,
        "client_id": "c-1",
        "mode": "test",
        "reference": f"ramp-{number}",
        "direction": Direction.ON,
        "provider": ProviderName.YELLOW_CARD,
        "state": OrderState.PENDING,
        "currency": "NGN",
        "digits": 2,
        "fiat_minor": 16_500_000,
        "fee_minor": 120_000,
        "fees_minor": 150_000,
        "fees_micro_usd": 909_090,
        "value_micro_usd": 100_000_000,
        "rate_micro": 1_650_000_000,
        "symbol": "USDC",
        "decimals": 6,
        "crypto_units": 10**30,
        "source_chain": "",
        "destination_chain": ARBITRUM,
        "ramp_chain": BASE,
        "ramp_token": "USDC",
        "ramp_units": 10**31,
        "gross_units": 0,
        "sender": "",
        "recipient": f"wallet-{number}",
        "country": "NG",
        "channel": "bank",
        "customer_id": None,
        "encrypted_fields": None,
        "widget_url": "",
        "instructions": {},
        "pay_to": "",
        "intent_id": None,
        "intent_address": f"intent-{number}",
        "provider_reference": "",
        "provider_tx": "",
        "failure_reason": "",
        "delay_reason": "",
        "metadata": {"note": "Zürich ✓"},
        "command": None,
        "attempt_count": 0,
        "next_at": None,
        "paid_at": None,
        "provider_closed_at": None,
        "created_at": NOW,
        "updated_at": NOW,
        "expires_at": later(1800),
        "completed_at": None,
    }
    return RampOrder(**(facts | more))


def store_order(store: SqlStore, **more: Any) -> RampOrder:
    """A stored order."""
    order = an_order(**more)
    return store.write(lambda unit: unit.orders.add(order))


def order_change(before: RampOrder, event: OrderEvent, **facts: Any) -> OrderChange:
    """The change that an event makes by the transition table."""
    to = advance_order(before.state, event)
    return OrderChange(before, replace(before, state=to, updated_at=later(1), **facts), event)


def advance_order_by(
    store: SqlStore, order: RampOrder, *events: OrderEvent, **facts: Any
) -> RampOrder:
    """Store these events one by one and return the order."""
    for event in events:
        step = order_change(order, event, **facts)
        store.write(lambda unit, step=step: unit.orders.apply([step]))  # type: ignore[misc]
        order = step.after
    return order


def store_customer(store: SqlStore, index: str = "digest", **more: Any) -> KycCustomer:
    """A stored customer."""
    facts: dict[str, Any] = {"id": f"p-{next(_numbers)}", "encrypted_email": b"sealed"}
    facts |= {"client_id": "c-1", "mode": Mode.TEST, "email_index": index}
    facts |= {"created_at": NOW, "erased_at": None}
    created = KycCustomer(**(facts | more))
    return store.write(lambda unit: unit.kyc_customers.add(created))


def a_submission(customer: KycCustomer, key: str = "name", **more: Any) -> KycSubmission:
    facts: dict[str, Any] = {"provider": ProviderName.YELLOW_CARD, "country": "NG", "field": key}
    facts |= {"media_type": "", "encrypted_value": b"sealed", "at": NOW}
    return KycSubmission(customer.id, **(facts | more))
