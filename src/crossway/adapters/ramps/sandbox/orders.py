"""The orders of the sandbox providers and what was said of each, as rows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import Connection, Row, select, update
from sqlalchemy.dialects import postgresql, sqlite

from crossway.adapters.chains.simulated.sets import among, put
from crossway.adapters.ramps.sandbox.tables import orders, reports
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Outcome, Report

REFERENCE_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Order:
    """An order as it was opened; instants in epoch seconds.

    An unpaid one ends at `closes_at`, when no payment can be on its way any more. `refused` is why
    it was never opened.
    """

    reference: str
    provider: ProviderName
    direction: Direction
    fiat_minor: int
    chain: str
    token: str
    units: int
    to_address: str
    refund_address: str
    pay_to: str
    widget_url: str
    instructions: Mapping[str, Any]
    pay_by: float
    closes_at: float
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """One thing said of an order; `moved` is how many units truly were."""

    outcome: Outcome
    at: float
    units: int | None = None
    fiat_minor: int | None = None
    moved: int = 0
    tx_hash: str = ""
    reason: str = ""

    def report(self, reference: str) -> Report:
        """What goes out of it."""
        return Report(
            id=f"{reference}:{self.outcome}",
            reference=reference,
            outcome=self.outcome,
            at=datetime.fromtimestamp(self.at, UTC),
            units=self.units,
            fiat_minor=self.fiat_minor,
            tx_hash=self.tx_hash,
            reason=self.reason,
        )


# By outcome, in the order in which it was said; each is said once.
Story = Mapping[Outcome, Said]


def reference_of(provider: ProviderName, ours: str) -> str:
    """The provider's own reference of an order, which ours determines."""
    digits = sha256(f"{provider} {ours}".encode()).hexdigest()[:REFERENCE_DIGITS].upper()
    return f"{provider[:3]}-{digits}"


def add(db: Connection, order: Order) -> bool:
    """Store an order unless it is there; whether this was the first."""
    make = sqlite.insert if db.dialect.name == "sqlite" else postgresql.insert
    values: dict[str, Any] = {one.name: getattr(order, one.name) for one in fields(order)}
    values |= {
        "provider": order.provider.value,
        "direction": order.direction.value,
        "fiat_minor": str(order.fiat_minor),
        "units": str(order.units),
        "instructions": orjson.dumps(dict(order.instructions)).decode(),
    }
    stored = make(orders).values(values).on_conflict_do_nothing().returning(orders.c.reference)
    return db.execute(stored).one_or_none() is not None


def refuse(db: Connection, reference: str, reason: str) -> None:
    """Let an order that was just stored be one that is not taken."""
    db.execute(update(orders).where(orders.c.reference == reference).values(refused=reason))


def find(db: Connection, provider: str, references: Collection[str]) -> dict[str, Order]:
    """Those of the orders that this provider has."""
    query = select(orders).where(
        among(db, orders.c.reference, references), orders.c.provider == provider
    )
    return {row.reference: _order(row) for row in db.execute(query)}


def lock(db: Connection, reference: str) -> None:
    """Let nobody else say anything of this order until the transaction ends."""
    db.execute(
        select(orders.c.reference).where(orders.c.reference == reference).with_for_update()
    ).one()


def stories(db: Connection, references: Collection[str]) -> dict[str, dict[Outcome, Said]]:
    """What was said of each order so far."""
    query = select(reports).where(among(db, reports.c.reference, references))
    found: dict[str, dict[Outcome, Said]] = {reference: {} for reference in references}
    for row in db.execute(query.order_by(reports.c.id)):
        said = _said(row)
        found[row.reference][said.outcome] = said
    return found


def say(db: Connection, reference: str, said: Said) -> None:
    """Remember what is said; the database refuses to have it said twice."""
    units, fiat = (None if n is None else str(n) for n in (said.units, said.fiat_minor))
    moved = str(said.moved)
    row = (reference, said.outcome.value, said.at, units, fiat, moved, said.tx_hash, said.reason)
    put(db, reports, [row])


def _order(row: Row[Any]) -> Order:
    values = dict(row._mapping)
    return Order(
        **values
        | {
            "provider": ProviderName(row.provider),
            "direction": Direction(row.direction),
            "fiat_minor": int(row.fiat_minor),
            "units": int(row.units),
            "instructions": orjson.loads(row.instructions),
        }
    )


def _said(row: Row[Any]) -> Said:
    return Said(
        Outcome(row.outcome),
        row.at,
        None if row.units is None else int(row.units),
        None if row.fiat_minor is None else int(row.fiat_minor),
        int(row.moved),
        row.tx_hash,
        row.reason,
    )
