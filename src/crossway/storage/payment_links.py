"""Payment links, their uses, and clients' branding."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    func,
    insert,
    join,
    or_,
    select,
    update,
)

from crossway.domain.branding import Branding
from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent, State
from crossway.domain.payment_links import LinkUse, PayerUses, PaymentLink, count_use
from crossway.ports.payment_link_repository import EVER, Period
from crossway.storage.billing_tables import invoices
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.intent_rows import INTENTS
from crossway.storage.link_tables import branding, payment_link_uses, payment_links
from crossway.storage.owner_sql import is_owned
from crossway.storage.row_mapper import RowMapper, from_micros_or_none, to_micros
from crossway.storage.tables import intents

_FIXED = ("id", "client_id", "mode", "uses", "reserved", "created_at")
_ADD_USE = per_dialect(
    lambda insert_into: (
        insert_into(payment_link_uses)
        .on_conflict_do_nothing(index_elements=["link_id", "nonce"])
        .returning(payment_link_uses.c.id)
    )
)


def _build_save_branding(insert_into: Any) -> Any:
    statement = insert_into(branding)
    changed = {c.name: statement.excluded[c.name] for c in branding.c if not c.primary_key}
    return statement.on_conflict_do_update(index_elements=["client_id"], set_=changed)


_SAVE_BRANDING = per_dialect(_build_save_branding)

LINKS: Final = RowMapper(PaymentLink, payment_links)
USES: Final = RowMapper(LinkUse, payment_link_uses)
BRANDING: Final = RowMapper(Branding, branding)


_USE_AND_INTENT: Final = join(
    payment_link_uses, intents, payment_link_uses.c.intent_id == intents.c.id
)


# What pays an invoice is shown with that.
_STANDS_ALONE: Final = ~(
    select(invoices.c.id).where(invoices.c.payment_link_id == payment_links.c.id).exists()
)


def _of_payer(payer: str, since: datetime) -> tuple[ColumnElement[bool], ...]:
    return payment_link_uses.c.payer == payer, payment_link_uses.c.at >= to_micros(since)


class SqlPaymentLinks:
    """`ports.payment_link_repository.PaymentLinkRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, link: PaymentLink) -> None:
        self._db.execute(insert(payment_links), LINKS.encode(link))

    def get(self, link_id: str) -> PaymentLink | None:
        row = self._db.execute(select(payment_links).where(payment_links.c.id == link_id)).first()
        return None if row is None else LINKS.decode(row)

    def lock(self, link_id: str) -> PaymentLink | None:
        query = select(payment_links).where(payment_links.c.id == link_id).with_for_update()
        row = self._db.execute(query).first()
        return None if row is None else LINKS.decode(row)

    def update(self, link: PaymentLink) -> None:
        row = LINKS.encode(link)
        for name in _FIXED:
            del row[name]
        self._db.execute(update(payment_links).where(payment_links.c.id == link.id).values(**row))

    def list_page(
        self,
        owners: OwnerFilter,
        limit: int,
        before: PaymentLink | None = None,
        period: Period = EVER,
    ) -> list[PaymentLink]:
        table = payment_links.c
        query = select(payment_links).where(*is_owned(payment_links, owners), _STANDS_ALONE)
        query = query.order_by(table.created_at.desc(), table.id.desc())
        start, end = period
        if start is not None:
            query = query.where(table.created_at >= to_micros(start))
        if end is not None:
            query = query.where(table.created_at < to_micros(end))
        if before is not None:
            at = to_micros(before.created_at)
            query = query.where(
                table.created_at <= at,
                or_(table.created_at < at, and_(table.created_at == at, table.id < before.id)),
            )
        return [LINKS.decode(row) for row in self._db.execute(query.limit(limit))]

    def count(self, owners: OwnerFilter) -> int:
        query = select(func.count()).where(*is_owned(payment_links, owners), _STANDS_ALONE)
        return int(self._db.execute(query).scalar_one())

    def record_use(self, use: LinkUse) -> bool:
        row = USES.encode_new(use)
        return self._db.execute(_ADD_USE[self._db.dialect.name], row).first() is not None

    def find_use(self, link_id: str, nonce: str) -> LinkUse | None:
        conditions = payment_link_uses.c.link_id == link_id, payment_link_uses.c.nonce == nonce
        row = self._db.execute(select(payment_link_uses).where(*conditions)).first()
        return None if row is None else USES.decode(row)

    def list_uses(self, link_id: str, limit: int, before_id: int | None = None) -> list[LinkUse]:
        table = payment_link_uses.c
        query = select(payment_link_uses).where(table.link_id == link_id)
        if before_id is not None:
            query = query.where(table.id < before_id)
        rows = self._db.execute(query.order_by(table.id.desc()).limit(limit))
        return [USES.decode(row) for row in rows]

    def next_expiry(self, link_id: str, since: datetime) -> datetime | None:
        query = (
            select(func.min(intents.c.expires_at))
            .select_from(_USE_AND_INTENT)
            .where(
                payment_link_uses.c.link_id == link_id,
                payment_link_uses.c.at >= to_micros(since),
                intents.c.state == State.PENDING.value,
            )
        )
        return from_micros_or_none(self._db.execute(query).scalar())

    def list_open_of_payer(self, payer: str, since: datetime) -> list[Intent]:
        query = (
            select(intents)
            .select_from(_USE_AND_INTENT)
            .where(*_of_payer(payer, since), intents.c.state == State.PENDING.value)
            .order_by(intents.c.id)
        )
        return [INTENTS.decode(row) for row in self._db.execute(query)] if payer else []

    def count_uses_of_payer(self, link_id: str, payer: str, since: datetime) -> PayerUses:
        query = (
            select(intents.c.state, func.count())
            .select_from(_USE_AND_INTENT)
            .where(*_of_payer(payer, since), payment_link_uses.c.link_id == link_id)
            .group_by(intents.c.state)
        )
        paid = unpaid = total = 0
        for state, number in self._db.execute(query):
            counts = count_use(State(state))
            paid, unpaid = paid + counts[0] * number, unpaid + counts[1] * number
            total += number
        return PayerUses(paid, unpaid, total - paid - unpaid)

    def get_branding(self, client_id: str) -> Branding | None:
        row = self._db.execute(select(branding).where(branding.c.client_id == client_id)).first()
        return None if row is None else BRANDING.decode(row)

    def save_branding(self, value: Branding) -> None:
        row = BRANDING.encode(value) | {"digest": value.digest}
        self._db.execute(_SAVE_BRANDING[self._db.dialect.name], row)

    def find_branding_by_digest(self, digest: str) -> Branding | None:
        row = self._db.execute(select(branding).where(branding.c.digest == digest).limit(1)).first()
        return None if row is None else BRANDING.decode(row)
