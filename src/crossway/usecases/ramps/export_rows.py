"""The rows of exported ramp orders, without personal data."""

from typing import Any, Final

from crossway.domain.money import format_units
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.domain.ramps import Direction, RampOrder
from crossway.usecases.instants import timestamp

FIELDS: Final = (
    "id", "type", "provider", "state", "fiat_currency", "fiat_amount", "crypto", "crypto_amount",
    "chain", "country", "fees_usd", "intent_address", "provider_reference", "created_at",
    "completed_at", "failure_reason", "delay_reason",
)  # fmt: skip


def order_row(ids: PublicIds, order: RampOrder) -> dict[str, Any]:
    """One order by the names of `FIELDS`; amounts are decimal numbers."""
    values = (
        ids.encode(RecordKind.ORDER, order.id), order.direction, order.provider, order.state,
        order.currency,
        format_units(order.fiat_minor, order.digits, order.digits), order.symbol,
        format_units(order.crypto_units, order.decimals), user_chain(order), order.country,
        format_units(order.fees_micro_usd, 6), order.intent_address, order.provider_reference,
        timestamp(order.created_at),
        timestamp(order.completed_at) if order.completed_at else "", order.failure_reason,
        order.delay_reason,
    )  # fmt: skip
    return dict(zip(FIELDS, values, strict=True))


def user_chain(order: RampOrder) -> str:
    """The chain on which the customer receives or sends crypto."""
    return order.destination_chain if order.direction is Direction.ON else order.source_chain
