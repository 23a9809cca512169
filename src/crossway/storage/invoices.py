"""Invoices, and the payments made by their links."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, func, insert, select, text, update

from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import State
from crossway.domain.invoices import Invoice
from crossway.sql.in_values import in_values
from crossway.storage.billing_tables import invoices
from crossway.storage.link_tables import payment_link_uses
from crossway.storage.owner_sql import is_owned
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.sealing import opener, sealer
from crossway.storage.tables import intents

INVOICES: Final = RowMapper(Invoice, invoices)
_FIXED: Final = ("id", "name", "client_id", "mode", "sequence", "payment_link_id")
# Literals, so that the planner uses the partial indexes.
_IS_OPEN: Final = text("invoices.state = 'open'")
_IS_TO_REMIND: Final = text("invoices.remind_at IS NOT NULL")
_c = invoices.c


class SqlInvoices:
    """`ports.billing_repository.InvoiceRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text, self._seal = opener(db), sealer(db)

    def next_sequence(self, client_id: str, mode: str) -> int:
        own = _c.client_id == client_id, _c.mode == mode
        return (self._db.scalar(select(func.max(_c.sequence)).where(*own)) or 0) + 1

    def add(self, invoice: Invoice) -> Invoice:
        row = INVOICES.encode_new(invoice, self._seal)
        added = self._db.execute(insert(invoices).returning(invoices), row).one()
        return INVOICES.decode(added, self._open_text)

    def get(self, name: str) -> Invoice | None:
        found = self._decode(select(invoices).where(_c.name == name))
        return found[0] if found else None

    def get_many(self, ids: Collection[int]) -> dict[int, Invoice]:
        found = self._decode(select(invoices).where(in_values(_c.id, ids))) if ids else ()
        return {invoice.id: invoice for invoice in found}

    def find_by_links(self, link_ids: Collection[str]) -> dict[str, Invoice]:
        query = select(invoices).where(in_values(_c.payment_link_id, link_ids))
        found = self._decode(query) if link_ids else ()
        return {invoice.payment_link_id: invoice for invoice in found}

    def lock(self, invoice_id: int) -> Invoice:
        return self._decode(select(invoices).where(_c.id == invoice_id).with_for_update())[0]

    def update(self, invoice: Invoice) -> None:
        row = INVOICES.encode(invoice, self._seal)
        for name in _FIXED:
            del row[name]
        self._db.execute(update(invoices).where(_c.id == invoice.id).values(**row))

    def list_page(
        self,
        owners: OwnerFilter,
        limit: int,
        before_id: int | None = None,
        subscription_id: int | None = None,
    ) -> list[Invoice]:
        query = select(invoices).where(*is_owned(invoices, owners))
        if before_id is not None:
            query = query.where(_c.id < before_id)
        if subscription_id is not None:
            query = query.where(_c.subscription_id == subscription_id)
        return self._decode(query.order_by(_c.id.desc()).limit(limit))

    def list_payments(self, link_ids: Collection[str]) -> Mapping[str, Sequence[tuple[State, int]]]:
        uses = payment_link_uses.c
        query = (
            select(uses.link_id, intents.c.state, intents.c.payout_amount)
            .join_from(payment_link_uses, intents, uses.intent_id == intents.c.id)
            .where(in_values(uses.link_id, link_ids))
        )
        found: dict[str, list[tuple[State, int]]] = defaultdict(list)
        for link_id, state, amount in self._db.execute(query) if link_ids else ():
            found[link_id].append((State(state), int(amount)))
        return found

    def list_settled(self, limit: int) -> list[Invoice]:
        uses = payment_link_uses.c
        paid = (
            select(uses.id)
            .join_from(payment_link_uses, intents, uses.intent_id == intents.c.id)
            .where(
                uses.link_id == _c.payment_link_id,
                intents.c.state == State.COMPLETED.value,
                intents.c.updated_at >= _c.updated_at,
            )
        )
        return self._decode(select(invoices).where(_IS_OPEN, paid.exists()).limit(limit))

    def list_to_remind(self, now: datetime, limit: int) -> list[Invoice]:
        query = select(invoices).where(_IS_TO_REMIND, _c.remind_at <= to_micros(now))
        return self._decode(query.order_by(_c.remind_at).limit(limit))

    def count_unpaid(self, subscription_id: int) -> int:
        own = select(func.count()).where(_IS_OPEN, _c.subscription_id == subscription_id)
        return int(self._db.execute(own.select_from(invoices)).scalar_one())

    def _decode(self, query: Select[Any]) -> list[Invoice]:
        return [INVOICES.decode(row, self._open_text) for row in self._db.execute(query)]
