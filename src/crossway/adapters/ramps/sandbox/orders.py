"""Storage of the sandbox providers' orders and their status reports."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import Connection, Row, select, update

from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_into, insert_rows
from crossway.adapters.ramps.sandbox.tables import orders, reports
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import ProviderOrderStatus, ProviderUpdate
from crossway.sql.in_values import in_values

REFERENCE_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Order:
    """An order as it was created; times are in epoch seconds.

    An unpaid order expires at `closes_at`, when no payment can be in transit any more.
    `refusal_reason` is set when the order was never opened.
    """

    reference: str
    provider: ProviderName
    direction: Direction
    fiat_minor: int
    chain: str
    token: str
    amount: int
    to_address: str
    refund_address: str
    pay_to: str
    widget_url: str
    instructions: Mapping[str, Any]
    pay_by: float
    closes_at: float
    refusal_reason: str = ""


@dataclass(frozen=True, slots=True)
class StatusReport:
    """A reported status of an order; `moved_amount` is what was actually transferred on chain."""

    status: ProviderOrderStatus
    at: float
    amount: int | None = None
    fiat_minor: int | None = None
    moved_amount: int = 0
    tx_hash: str = ""
    reason: str = ""

    def to_update(self, reference: str) -> ProviderUpdate:
        """The update that the provider sends for it."""
        return ProviderUpdate(
            id=f"{reference}:{self.status}",
            reference=reference,
            status=self.status,
            at=datetime.fromtimestamp(self.at, UTC),
            amount=self.amount,
            fiat_minor=self.fiat_minor,
            tx_hash=self.tx_hash,
            reason=self.reason,
        )


# Reports by status in the order they were made; each status is reported once.
History = Mapping[ProviderOrderStatus, StatusReport]


def derive_reference(provider: ProviderName, our_reference: str) -> str:
    """The provider's own reference, derived from ours."""
    digits = sha256(f"{provider} {our_reference}".encode()).hexdigest()[:REFERENCE_DIGITS].upper()
    return f"{provider[:3]}-{digits}"


def add_order(db: Connection, order: Order) -> bool:
    """Store an order unless it exists; returns whether it was stored."""
    values: dict[str, Any] = {column.name: getattr(order, column.name) for column in fields(order)}
    values |= {
        "provider": order.provider.value,
        "direction": order.direction.value,
        "fiat_minor": str(order.fiat_minor),
        "amount": str(order.amount),
        "instructions": orjson.dumps(dict(order.instructions)).decode(),
    }
    new = insert_into(db, orders).values(values).on_conflict_do_nothing()
    stored = new.returning(orders.c.reference)
    return db.execute(stored).one_or_none() is not None


def mark_refused(db: Connection, reference: str, reason: str) -> None:
    """Mark a stored order as refused."""
    db.execute(update(orders).where(orders.c.reference == reference).values(refusal_reason=reason))


def find_orders(db: Connection, provider: str, references: Collection[str]) -> dict[str, Order]:
    """This provider's orders by reference; unknown references are missing."""
    query = select(orders).where(
        in_values(orders.c.reference, references), orders.c.provider == provider
    )
    return {row.reference: _to_order(row) for row in db.execute(query)}


def lock_order(db: Connection, reference: str) -> None:
    """Lock an order's row until the transaction ends."""
    db.execute(
        select(orders.c.reference).where(orders.c.reference == reference).with_for_update()
    ).one()


def load_histories(
    db: Connection, references: Collection[str]
) -> dict[str, dict[ProviderOrderStatus, StatusReport]]:
    """The reports of each order by status, oldest first."""
    query = select(reports).where(in_values(reports.c.reference, references))
    histories: dict[str, dict[ProviderOrderStatus, StatusReport]] = {
        reference: {} for reference in references
    }
    for row in db.execute(query.order_by(reports.c.id)):
        report = _to_report(row)
        histories[row.reference][report.status] = report
    return histories


def add_report(db: Connection, reference: str, report: StatusReport) -> None:
    """Store a report; the database rejects a second one with the same status."""
    amount, fiat = (None if n is None else str(n) for n in (report.amount, report.fiat_minor))
    moved_amount = str(report.moved_amount)
    row = (
        reference,
        report.status.value,
        report.at,
        amount,
        fiat,
        moved_amount,
        report.tx_hash,
        report.reason,
    )
    insert_rows(db, reports, [row])


def _to_order(row: Row[Any]) -> Order:
    values = dict(row._mapping)
    return Order(
        **values
        | {
            "provider": ProviderName(row.provider),
            "direction": Direction(row.direction),
            "fiat_minor": int(row.fiat_minor),
            "amount": int(row.amount),
            "instructions": orjson.loads(row.instructions),
        }
    )


def _to_report(row: Row[Any]) -> StatusReport:
    return StatusReport(
        ProviderOrderStatus(row.status),
        row.at,
        None if row.amount is None else int(row.amount),
        None if row.fiat_minor is None else int(row.fiat_minor),
        int(row.moved_amount),
        row.tx_hash,
        row.reason,
    )
