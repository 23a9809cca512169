"""Payments that expired unpaid, each packed into one row without indexes on its fields."""

import json
import zlib
from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    Text,
    cast,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    union_all,
)

from crossway.domain.intent import State
from crossway.sql.in_values import in_values, within
from crossway.storage.analytics_tables import payment_figures
from crossway.storage.archive_tables import UNPAID, archived_payments
from crossway.storage.intent_totals import add_state_counts
from crossway.storage.leases import SqlLeases
from crossway.storage.link_tables import payment_link_uses
from crossway.storage.row_mapper import to_micros
from crossway.storage.search_tables import metadata_values, notes
from crossway.storage.signature_tables import x402_offers
from crossway.storage.standing_tables import standing_deposits
from crossway.storage.tables import (
    deposits,
    intents,
    outbound_txs,
    postings,
    transitions,
)
from crossway.storage.webhook_tables import outbox

# The rows of a payment that nobody paid, by the column that names it.
_TABLES: Final = (
    (intents, "id"),
    (transitions, "intent_id"),
    (metadata_values, "intent_id"),
    (payment_link_uses, "intent_id"),
    (x402_offers, "intent_id"),
)


def _refers(table: Table, column: Any) -> ColumnElement[bool]:
    return select(table.c[column]).where(table.c[column] == intents.c.id).exists()


# Ids of SQLite follow the highest one: the newest payment, transition and use of a link stay, so
# that none is given away again.
_KEPT = or_(
    *(_refers(table, "intent_id") for table in (deposits, postings, outbound_txs)),
    # What came to a standing address asks for its payment until it has left, and after a reorg.
    _refers(standing_deposits, "intent_id"),
    ~_refers(payment_figures, "intent_id"),
    select(notes.c.id)
    .where(notes.c.subject == literal("intent:") + cast(intents.c.id, Text))
    .exists(),
    select(outbox.c.id)
    .where(outbox.c.kind == "intent", outbox.c.resource_id == intents.c.id)
    .exists(),
    intents.c.id == select(func.max(intents.c.id)).scalar_subquery(),
    *(
        intents.c.id.in_(select(table.c.intent_id).order_by(table.c.id.desc()).limit(1))
        for table in (transitions, payment_link_uses)
    ),
)
_KNOWN: Final = union_all(
    *(
        select(column).where(within(column, "addresses"))
        for column in (archived_payments.c.address, archived_payments.c.destination_address)
    )
)
_LOCK: Final = "payment archive"
# A literal, so that the planner uses the partial index.
_UNPAID = text(UNPAID)


class SqlPaymentArchive:
    """`ports.payment_archive.PaymentArchive` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def has_due(self, expired_before: datetime) -> bool:
        return self._db.execute(self._due(expired_before, 1)).first() is not None

    def archive(self, expired_before: datetime, limit: int) -> int:
        SqlLeases(self._db).lock(_LOCK)
        ids = list(self._db.execute(self._due(expired_before, limit)).scalars())
        packed: dict[int, dict[str, list[dict[str, Any]]]] = {intent_id: {} for intent_id in ids}
        for table, column in _TABLES:
            query = select(table).where(in_values(table.c[column], ids))
            for row in self._db.execute(query).mappings():
                packed[row[column]].setdefault(table.name, []).append(dict(row))
        if not packed:
            return 0
        self._db.execute(insert(archived_payments), [_pack(rows) for rows in packed.values()])
        self._count(packed.values(), -1)
        for table, column in reversed(_TABLES):
            self._db.execute(delete(table).where(in_values(table.c[column], ids)))
        return len(ids)

    def pause(self) -> None:
        SqlLeases(self._db).lock_shared(_LOCK)

    def find_known(self, addresses: Collection[str]) -> set[str]:
        found = self._db.execute(_KNOWN, {"addresses": addresses}).scalars() if addresses else ()
        return set(found)

    def find_address(self, intent_id: int) -> str | None:
        query = select(archived_payments.c.address).where(archived_payments.c.id == intent_id)
        return self._db.execute(query).scalar()

    def restore(self, addresses: Collection[str], changed_at: datetime | None = None) -> list[int]:
        c = archived_payments.c
        of_addresses = in_values(c.address, addresses)
        query = select(c.id, c.packed).where(of_addresses).with_for_update()
        found = {row.id: _unpack(row.packed) for row in self._db.execute(query)}
        for rows in found.values():
            if payment_link_uses.name in rows:
                [use] = rows[payment_link_uses.name]
                rows[payment_link_uses.name] = [self._as_storable(use)]
            if changed_at is not None:
                rows[intents.name][0]["updated_at"] = to_micros(changed_at)
            for table, _ in _TABLES:
                if table.name in rows:
                    self._db.execute(insert(table), rows[table.name])
        if found:
            self._count(found.values(), 1)
            self._db.execute(delete(archived_payments).where(of_addresses))
        return sorted(found)

    def _as_storable(self, use: dict[str, Any]) -> dict[str, Any]:
        """A use of a link as it can be stored: its payer may have sent the same form again when
        the first use was away. The money for that one must not be lost over it."""
        c = payment_link_uses.c
        same_form = c.link_id == use["link_id"], c.nonce == use["nonce"]
        if self._db.execute(select(c.id).where(*same_form)).first() is None:
            return use
        return {**use, "nonce": f"{use['nonce']}:{use['intent_id']}"}

    def _due(self, expired_before: datetime, limit: int) -> Select[Any]:
        before, c = to_micros(expired_before), intents.c
        query = select(c.id).where(_UNPAID, c.expires_at < before, c.updated_at < before, ~_KEPT)
        return query.order_by(intents.c.expires_at).limit(limit)

    def _count(self, payments: Collection[dict[str, list[dict[str, Any]]]], sign: int) -> None:
        owners = ((row["client_id"], row["mode"]) for [row] in (p[intents.name] for p in payments))
        expired = {
            (client, mode, State.EXPIRED.value): sign * n
            for (client, mode), n in Counter(owners).items()
        }
        add_state_counts(self._db, expired)


def _pack(rows: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    [intent] = rows[intents.name]
    return {
        "id": intent["id"],
        "address": intent["address"],
        "destination_address": intent["destination_address"],
        "packed": zlib.compress(json.dumps(rows, separators=(",", ":")).encode()),
    }


def _unpack(packed: bytes) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = json.loads(zlib.decompress(packed))
    return rows
