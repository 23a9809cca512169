"""Payment links, their uses and clients' looks as stored."""

import json
from typing import Any

from sqlalchemy import Connection, and_, func, insert, or_, select, update

from crossway.domain.links import LinkUse, PaymentLink
from crossway.domain.looks import Look
from crossway.storage.link_tables import looks, payment_link_uses, payment_links
from crossway.storage.rows import instant, maybe_instant, maybe_micros, micros
from crossway.storage.sets import for_each_database

_FIXED = ("id", "client_id", "mode", "uses", "created_at")
_USE = for_each_database(
    lambda put: (
        put(payment_link_uses)
        .on_conflict_do_nothing(index_elements=["link_id", "nonce"])
        .returning(payment_link_uses.c.id)
    )
)


def _put_look(put: Any) -> Any:
    given = put(looks)
    changed = {c.name: given.excluded[c.name] for c in looks.c if not c.primary_key}
    return given.on_conflict_do_update(index_elements=["client_id"], set_=changed)


_PUT_LOOK = for_each_database(_put_look)


class Links:
    """`ports.link_records.LinkRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, link: PaymentLink) -> None:
        self._db.execute(insert(payment_links), link_row(link))

    def get(self, link_id: str) -> PaymentLink | None:
        row = self._db.execute(select(payment_links).where(payment_links.c.id == link_id)).first()
        return None if row is None else link_of(row)

    def lock(self, link_id: str) -> PaymentLink | None:
        query = select(payment_links).where(payment_links.c.id == link_id).with_for_update()
        row = self._db.execute(query).first()
        return None if row is None else link_of(row)

    def change(self, link: PaymentLink) -> None:
        row = link_row(link)
        for name in _FIXED:
            del row[name]
        self._db.execute(update(payment_links).where(payment_links.c.id == link.id).values(**row))

    def page(
        self, client_id: str | None, limit: int, before: PaymentLink | None = None
    ) -> list[PaymentLink]:
        table = payment_links.c
        query = select(payment_links).order_by(table.created_at.desc(), table.id.desc())
        if client_id is not None:
            query = query.where(table.client_id == client_id)
        if before is not None:
            at = micros(before.created_at)
            query = query.where(
                table.created_at <= at,
                or_(table.created_at < at, and_(table.created_at == at, table.id < before.id)),
            )
        return [link_of(row) for row in self._db.execute(query.limit(limit))]

    def count_of(self, client_id: str) -> int:
        query = select(func.count()).where(payment_links.c.client_id == client_id)
        return int(self._db.execute(query).scalar_one())

    def use(self, use: LinkUse) -> bool:
        row = {
            "link_id": use.link_id,
            "nonce": use.nonce,
            "intent_id": use.intent_id,
            "at": micros(use.at),
        }
        if self._db.execute(_USE[self._db.dialect.name], row).first() is None:
            return False
        self._db.execute(
            update(payment_links)
            .where(payment_links.c.id == use.link_id)
            .values(uses=payment_links.c.uses + 1)
        )
        return True

    def use_of(self, link_id: str, nonce: str) -> LinkUse | None:
        of = payment_link_uses.c.link_id == link_id, payment_link_uses.c.nonce == nonce
        row = self._db.execute(select(payment_link_uses).where(*of)).first()
        return None if row is None else use_of(row)

    def uses(self, link_id: str, limit: int, before_id: int | None = None) -> list[LinkUse]:
        table = payment_link_uses.c
        query = select(payment_link_uses).where(table.link_id == link_id)
        if before_id is not None:
            query = query.where(table.id < before_id)
        found = self._db.execute(query.order_by(table.id.desc()).limit(limit))
        return [use_of(row) for row in found]

    def look(self, client_id: str) -> Look | None:
        row = self._db.execute(select(looks).where(looks.c.client_id == client_id)).first()
        return None if row is None else look_of(row)

    def put_look(self, look: Look) -> None:
        row = {
            "client_id": look.client_id,
            "picture": look.picture,
            "picture_type": look.picture_type,
            "digest": look.digest,
            "frames": " ".join(look.frames),
        }
        self._db.execute(_PUT_LOOK[self._db.dialect.name], row)

    def look_of(self, digest: str) -> Look | None:
        row = self._db.execute(select(looks).where(looks.c.digest == digest).limit(1)).first()
        return None if row is None else look_of(row)


def link_row(link: PaymentLink) -> dict[str, Any]:
    """A link as its row."""
    return {
        "id": link.id,
        "client_id": link.client_id,
        "mode": link.mode,
        "title": link.title,
        "description": link.description,
        "amount_units": _text(link.amount_units),
        "least_units": _text(link.least_units),
        "most_units": _text(link.most_units),
        "destination_chain": link.destination_chain,
        "token_out": link.token_out,
        "recipient": link.recipient,
        "source_chains": " ".join(link.source_chains),
        "source_tokens": " ".join(link.source_tokens),
        "reference": link.reference,
        "metadata": json.dumps(dict(link.metadata), separators=(",", ":")),
        "most_uses": link.most_uses,
        "uses": link.uses,
        "expires_at": maybe_micros(link.expires_at),
        "active": link.active,
        "created_at": micros(link.created_at),
        "updated_at": micros(link.updated_at),
    }


def link_of(row: Any) -> PaymentLink:
    """The link of a whole row."""
    return PaymentLink(
        id=row.id,
        client_id=row.client_id,
        mode=row.mode,
        title=row.title,
        description=row.description,
        amount_units=_units(row.amount_units),
        least_units=_units(row.least_units),
        most_units=_units(row.most_units),
        destination_chain=row.destination_chain,
        token_out=row.token_out,
        recipient=row.recipient,
        source_chains=tuple(row.source_chains.split()),
        source_tokens=tuple(row.source_tokens.split()),
        reference=row.reference,
        metadata=json.loads(row.metadata),
        most_uses=row.most_uses,
        uses=row.uses,
        expires_at=maybe_instant(row.expires_at),
        active=bool(row.active),
        created_at=instant(row.created_at),
        updated_at=instant(row.updated_at),
    )


def use_of(row: Any) -> LinkUse:
    """The use of a whole row."""
    return LinkUse(row.id, row.link_id, row.nonce, row.intent_id, instant(row.at))


def look_of(row: Any) -> Look:
    """The look of a whole row."""
    return Look(row.client_id, bytes(row.picture), row.picture_type, tuple(row.frames.split()))


def _text(units: int | None) -> str | None:
    return None if units is None else str(units)


def _units(text: str | None) -> int | None:
    return None if text is None else int(text)
