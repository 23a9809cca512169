"""The rows of exported payments."""

from typing import Any, Final

from crossway.domain.intent import Intent
from crossway.domain.money import format_units
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.usecases.instants import timestamp, timestamp_seconds

FIELDS: Final = (
    "id", "state", "mode", "client", "reference", "address", "source_chain", "destination_chain",
    "bridge", "asset", "total", "received", "held", "recipient", "refund_address", "sender",
    "amount_usd", "fees_usd", "total_usd", "payment_link", "order", "created_at", "expires_at",
    "updated_at", "tx_hash",
)  # fmt: skip


def payment_row(ids: PublicIds, intent: Intent) -> dict[str, Any]:
    """One payment by the names of `FIELDS`; amounts are decimal numbers."""
    terms, costs = intent.terms, intent.costs
    fees = costs.total_micro_usd - costs.amount_micro_usd
    values = (
        ids.encode(RecordKind.INTENT, intent.id), intent.state.value, intent.mode,
        intent.client_id, metadata_reference(intent), intent.address,
        terms.source_chain, terms.destination_chain, terms.bridge,
        intent.asset_symbol, format_units(terms.deposit_amount, intent.asset_decimals),
        format_units(intent.received_amount, intent.asset_decimals),
        format_units(intent.balance_at_address, intent.asset_decimals), terms.recipient,
        terms.refund_address, intent.sender, format_units(costs.amount_micro_usd, 6),
        format_units(fees, 6), format_units(costs.total_micro_usd, 6),
        intent.payment_link_id,
        None if intent.order_id is None else ids.encode(RecordKind.ORDER, intent.order_id),
        timestamp(intent.created_at), timestamp_seconds(terms.expires_at),
        timestamp(intent.updated_at), intent.tx_hash,
    )  # fmt: skip
    return dict(zip(FIELDS, values, strict=True))


def metadata_reference(intent: Intent) -> str:
    """The merchant's reference from the metadata; empty without one."""
    for name in ("reference", "orderId", "order_id", "order", "invoice"):
        if value := intent.metadata.get(name):
            return str(value)
    return ""
