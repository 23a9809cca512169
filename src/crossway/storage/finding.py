"""Finding things by whatever names them: each field by an index of its own, never by a scan."""

import json
from collections.abc import Callable, Collection
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    Select,
    Text,
    any_,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from crossway.domain.ramps import ProviderName
from crossway.ports.finding_records import Hit
from crossway.ports.records import IntentFilter
from crossway.storage.finding_tables import metadata_values
from crossway.storage.link_tables import payment_links
from crossway.storage.network_tables import requests
from crossway.storage.ramp_tables import order_moves, orders
from crossway.storage.sets import among
from crossway.storage.sifting import Sifting
from crossway.storage.tables import attempts, clients, deposits, intents, moves, transfers
from crossway.storage.webhook_tables import announcements, deliveries, webhooks

_i, _o = intents.c, orders.c
_KNOWN = text("orders.provider_reference <> ''")
_HAS_LINK = text("intents.payment_link_id IS NOT NULL")
_HAS_ACCOUNT = text("intents.deposit_token_account IS NOT NULL")
_TRIED = attempts.join(transfers, transfers.c.id == attempts.c.transfer_id)
# What is found, by which column, why, whether the column is its alone, where else to look, and what
# is written out so that the planners see a partial index.
_FIELDS: tuple[tuple[Any, ...], ...] = (
    ("payment", _i.id, _i.address, "address", True),
    ("payment", _i.id, _i.destination_address, "destination_address", True),
    ("payment", _i.id, _i.deposit_token_account, "token_account", True, None, _HAS_ACCOUNT),
    ("payment", _i.id, _i.key, "key", True),
    ("payment", _i.id, _i.nonce, "nonce", True),
    ("payment", _i.id, _i.tx_hash, "payout", True),
    ("payment", deposits.c.intent_id, deposits.c.tx_hash, "deposit", True),
    ("payment", transfers.c.intent_id, transfers.c.tx_id, "transfer", True),
    ("payment", transfers.c.intent_id, attempts.c.tx_id, "attempt", True, _TRIED),
    ("payment", moves.c.intent_id, moves.c.event_id, "event", True),
    ("payment", _i.id, _i.recipient, "recipient", False),
    ("payment", _i.id, _i.sender, "sender", False),
    ("payment", deposits.c.intent_id, deposits.c.sender, "depositor", False),
    ("payment", _i.id, _i.refund_address, "refund_address", False),
    ("payment", metadata_values.c.intent_id, metadata_values.c.value, "metadata", False),
    ("payment", _i.id, _i.payment_link_id, "link", False, None, _HAS_LINK),
    ("order", _o.id, _o.reference, "reference", True),
    ("order", _o.id, _o.provider_tx, "provider_tx", True),
    ("order", order_moves.c.order_id, order_moves.c.event_id, "event", True),
    ("order", _o.id, _o.intent_address, "intent_address", False),
    ("order", _o.id, _o.sender, "sender", False),
    ("order", _o.id, _o.recipient, "recipient", False),
    ("request", requests.c.id, requests.c.request_id, "request_id", True),
    ("link", payment_links.c.id, payment_links.c.id, "id", True),
    ("client", clients.c.id, clients.c.id, "id", True),
    ("client", clients.c.id, clients.c.name, "name", True),
)  # fmt: skip
_NUMBERS: tuple[tuple[str, ColumnElement[int]], ...] = (
    ("payment", _i.id),
    ("order", _o.id),
    ("delivery", deliveries.c.id),
    ("webhook", webhooks.c.id),
    ("request", requests.c.id),
)
_ABOUT = {"intent": "payment", "ramp_order": "order"}


def _of_field(place: int) -> Select[Any]:
    _, id_, _, _, _, *rest = _FIELDS[place]
    where, written = (*rest, None, None)[:2]
    query: Select[Any] = select(id_)
    query = query if where is None else query.select_from(where)
    return query if written is None else query.where(written)


def _one_of(column: ColumnElement[str], name: str, sqlite: bool) -> ColumnElement[bool]:
    if sqlite:
        rows = func.json_each(bindparam(name, type_=Text)).table_valued("value")
        return column.in_(select(rows.c.value))
    return column == any_(bindparam(name, type_=ARRAY(Text)))


def _in_one(sqlite: bool) -> CompoundSelect[Any]:
    """Every field in one statement, so many of each at most."""
    parts = []
    for place, (_, id_, column, why, *_) in enumerate(_FIELDS):
        met = _one_of(column, "small" if why == "metadata" else "values", sqlite)
        found = _of_field(place).where(met).limit(bindparam("limit", type_=Integer))
        few = found.with_only_columns(cast(id_, Text).label("id")).subquery()
        parts.append(select(literal_column(str(place)), few.c.id))
    return union_all(*parts)


def _key(kind: str) -> Callable[[int | str], int | str]:
    return str if kind in ("client", "link") else int


_NAMED = {"sqlite": _in_one(True), "postgresql": _in_one(False)}


class Finding(Sifting):
    """`ports.finding_records.FindingRecords` on one connection."""

    def hits(self, values: Collection[str], number: int | None, limit: int) -> list[Hit]:
        found: dict[tuple[str, int | str], Hit] = {}
        for one in [*self._numbered(number), *self._named(values, limit)]:
            known = found.get((one.kind, one.id))
            if known is None or (one.own and not known.own):
                found[one.kind, one.id] = one
        return list(found.values())

    def _numbered(self, number: int | None) -> list[Hit]:
        if number is None:
            return []
        hits = []
        for kind, column in _NUMBERS:
            if self._db.execute(select(column).where(column == number)).first() is not None:
                hits.append(Hit(kind, number, "number", kind == "payment"))
        return hits

    def _named(self, values: Collection[str], limit: int) -> list[Hit]:
        if not values:
            return []
        small = [value.casefold() for value in values]
        asked: dict[str, Any] = {"limit": limit}
        for name, given in (("values", list(values)), ("small", small)):
            asked[name] = json.dumps(given) if self._db.dialect.name == "sqlite" else given
        found: dict[int, list[int | str]] = {}
        for place, id_ in self._db.execute(_NAMED[self._db.dialect.name], asked):
            found.setdefault(place, []).append(id_)
        hits = []
        for place, ids in found.items():
            kind, _, _, why, own, *_ = _FIELDS[place]
            if len(ids) >= limit:
                found[place] = self._newest(place, small if why == "metadata" else values, limit)
            hits += [
                Hit(kind, one, why, own) for one in dict.fromkeys(map(_key(kind), found[place]))
            ]
        return [*hits, *self._of_providers(values, limit), *self._told(values)]

    def _newest(self, place: int, values: Collection[str], limit: int) -> list[int | str]:
        """Of too many the newest of each value, which its index has in order."""
        _, id_, column, *_ = _FIELDS[place]
        newest: set[int | str] = set()
        for value in values:
            of_one = _of_field(place).where(column == value).order_by(id_.desc()).limit(limit)
            newest.update(self._db.execute(of_one).scalars())
        return sorted(newest, reverse=True)[:limit]

    def _of_providers(self, values: Collection[str], limit: int) -> list[Hit]:
        """Orders by their provider's own reference, which its index has behind the provider."""
        named = among(self._db, _o.provider_reference, values)
        known = select(_o.id).where(_o.provider.in_(list(ProviderName)), _KNOWN, named)
        found = self._db.execute(known.limit(limit)).scalars()
        return [Hit("order", one, "provider_reference", True) for one in found]

    def _told(self, values: Collection[str]) -> list[Hit]:
        query = select(announcements.c.kind, announcements.c.resource_id).where(
            among(self._db, announcements.c.event_id, values)
        )
        rows = self._db.execute(query).all()
        return [Hit(_ABOUT[k], int(n), "event", True) for k, n in rows if k in _ABOUT]


def filtered(query: Select[Any], wanted: IntentFilter) -> Select[Any]:
    """The query with every condition that the filter names."""
    c = intents.c
    if wanted.client_id is not None:
        query = query.where(c.client_id == wanted.client_id)
    if wanted.mode is not None:
        query = query.where(c.mode == wanted.mode)
    if wanted.states:
        query = query.where(c.state.in_([s.value for s in wanted.states]))
    if wanted.source_chain is not None:
        query = query.where(c.source_chain == wanted.source_chain)
    if wanted.destination_chain is not None:
        query = query.where(c.destination_chain == wanted.destination_chain)
    if wanted.sender is not None:
        query = query.where(c.sender == wanted.sender)
    if wanted.before_id is not None:
        query = query.where(c.id < wanted.before_id)
    return query.where(c.id.in_(_matching(wanted.text))) if wanted.text else query


def _matching(text: str) -> Any:
    """The intents of which a column that identifies them, or a transaction, is the text."""
    c = intents.c
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 18 else -1
    named = (c.address, c.destination_address, c.recipient, c.sender, c.tx_hash)
    return union_all(
        *(select(c.id).where(column == text) for column in named),
        select(c.id).where(c.id == number),
        select(transfers.c.intent_id).where(transfers.c.tx_id == text),
    )
