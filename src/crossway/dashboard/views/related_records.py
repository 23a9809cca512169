"""Records related to a payment: signed transactions, webhook deliveries and API requests."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.dashboard.views import status_labels
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.deliveries import status_badge
from crossway.dashboard.views.formatting import (
    address_cell,
    chain_name,
    format_short_amount,
    time_cell,
    to_millis,
    tx_cell,
)
from crossway.dashboard.views.links import delivery_href, request_href
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Principal
from crossway.domain.ramps import RampOrder
from crossway.domain.webhooks import Delivery, OutboxEvent
from crossway.ports.logs import LoggedRequest
from crossway.ports.services import Services
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.developers.deliveries import list_deliveries
from crossway.usecases.payments import timeline
from crossway.usecases.payments.timeline import MAX_RELATED, IntentTimeline

ATTEMPT_COLUMNS = (
    Column("For"),
    Column("Transaction"),
    Column("Account"),
    Column("Nonce", "right"),
    Column("Max fee", "right"),
    Column("Signed"),
)
DELIVERY_COLUMNS = (
    Column("Delivery"),
    Column("Event"),
    Column("Status"),
    Column("Response"),
    Column("Created"),
)
REQUEST_COLUMNS = (
    Column("Request"),
    Column("Response"),
    Column("Key"),
    Column("Time"),
    Column("Request ID", wide=True),
)


@dataclass(frozen=True, slots=True)
class RelatedRecords:
    """Table rows of a payment's webhook deliveries and API requests."""

    deliveries: tuple[Row, ...]
    requests: tuple[Row, ...]


def build_attempt_rows(catalogue: Catalogue, timeline: IntentTimeline) -> tuple[Row, ...]:
    """Rows of all transactions signed for this payment, newest first; of several attempts with the
    same purpose at most one is included on chain."""
    outbound_txs = {outbound_tx.id: outbound_tx for outbound_tx in timeline.outbound_txs}
    rows = []
    for number, attempt in enumerate(sorted(timeline.attempts, key=lambda a: a.at, reverse=True)):
        chain, outbound_tx = (
            catalogue.chains.get(attempt.chain),
            outbound_txs[attempt.outbound_tx_id],
        )
        fee = "–"
        if chain is not None:
            fee = format_short_amount(
                attempt.signed.fee_units, chain.native_decimals, chain.native_symbol
            )
        replaced = outbound_tx.tx_id not in (None, attempt.signed.tx_id)
        note = "replaced" if replaced else f"on {chain_name(catalogue, attempt.chain)}"
        rows.append(
            Row(
                f"attempt-{number}",
                (
                    Cell(status_labels.OUTBOUND_TX_KINDS[outbound_tx.kind], note),
                    tx_cell(chain, attempt.signed.tx_id),
                    address_cell(chain, attempt.signed.account, "account"),
                    Cell(str(attempt.signed.nonce)),
                    Cell(fee),
                    time_cell(attempt.at),
                ),
            )
        )
    return tuple(rows)


def load_related_records(services: Services, caller: Principal, intent_id: int) -> RelatedRecords:
    """Webhook deliveries and API requests of a payment, newest first."""
    records = timeline.get_related_records(services, caller, intent_id)
    deliveries = tuple(_delivery_row(*one) for one in records.deliveries)
    return RelatedRecords(deliveries, tuple(_request_row(request) for request in records.requests))


def load_order_deliveries(services: Services, caller: Principal, order: RampOrder) -> Sequence[Row]:
    """The newest webhook deliveries that tell of a ramp order."""
    about = DeliveryFilter(about=("ramp_order", order.id))
    found = list_deliveries(services, caller.in_mode_of(order), about, MAX_RELATED)
    return tuple(_delivery_row(*one) for one in found)


def _delivery_row(delivery: Delivery, event: OutboxEvent) -> Row:
    badge = status_badge(delivery)
    return Row(
        str(delivery.id),
        (
            Cell(f"#{delivery.id}", sub=f"webhook {delivery.webhook_id}"),
            Cell(event.type, mono=True, copy=event.event_id, value_name="event ID"),
            Cell(badges=(badge,), sub=delivery.error),
            Cell(str(delivery.status or "–")),
            Cell(at=to_millis(delivery.created_at)),
        ),
        delivery_href(delivery.id),
        f"Delivery {delivery.id}, {event.type}, {badge.text}",
    )


def _request_row(request: LoggedRequest) -> Row:
    is_success = request.status < 400
    badge = Badge(
        str(request.status),
        "green" if is_success else "orange",
        "check" if is_success else "warning",
    )
    cells = (
        Cell(f"{request.method} {request.path}", mono=True),
        Cell(badges=(badge,)),
        Cell(f"{request.key_prefix}…" if request.key_prefix else "–", mono=True),
        Cell(at=to_millis(request.at)),
        Cell(request.request_id, copy=request.request_id, value_name="request ID", mono=True),
    )
    return Row(
        str(request.id), cells, request_href(request.id), f"Request {request.method} {request.path}"
    )


def list_delivery_choices(services: Services, caller: Principal, intent_id: int) -> dict[int, str]:
    """Descriptions of a payment's webhook deliveries, by delivery id."""
    deliveries = timeline.get_related_records(services, caller, intent_id).deliveries
    return {
        delivery.id: f"#{delivery.id} {event.type}, {status_badge(delivery).text.lower()}"
        for delivery, event in deliveries
    }
