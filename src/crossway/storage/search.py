"""Search by identifier: each field is looked up by an index of its own, never by a scan."""

import json
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from sqlalchemy import (
    ARRAY,
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

from crossway.domain.clients import OwnerFilter
from crossway.domain.ramps import ProviderName
from crossway.domain.standing import is_standing, standing_deposit_id
from crossway.ports.records import IntentFilter
from crossway.ports.search_repository import OWNED_CANDIDATES, SearchHit
from crossway.sql.in_values import in_values
from crossway.storage.filter_planner import FilterPlanner
from crossway.storage.link_tables import payment_links
from crossway.storage.owner_sql import is_owned
from crossway.storage.ramp_tables import order_transitions, orders
from crossway.storage.search_tables import metadata_values
from crossway.storage.service_tables import request_log
from crossway.storage.standing_tables import HAS_REFERENCE, standing_addresses, standing_deposits
from crossway.storage.tables import (
    clients,
    deposits,
    intents,
    outbound_txs,
    transitions,
    tx_attempts,
)
from crossway.storage.webhook_tables import deliveries, outbox, webhooks

_i, _o = intents.c, orders.c
_a, _d = standing_addresses.c, standing_deposits.c
_KNOWN = text("orders.provider_reference <> ''")
_HAS_LINK = text("intents.payment_link_id IS NOT NULL")
_HAS_ACCOUNT = text("intents.deposit_token_account IS NOT NULL")
_HAS_PAYOUT = text("intents.tx_hash IS NOT NULL")
# Where these are equal, the other field is what matches.
OTHER_ADDRESS = text("intents.destination_address <> intents.address")
_HAS_OWN_REFERENCE = text(f"standing_addresses.{HAS_REFERENCE}")
_HAS_REFUND_ADDRESS = text("intents.refund_address <> intents.sender")
_TX_WITH_ATTEMPTS = tx_attempts.join(
    outbound_txs, outbound_txs.c.id == tx_attempts.c.outbound_tx_id
)
# Kind, id column, searched column, name of the field, whether it is unique; then the FROM clause
# and a literal condition for the planner to use a partial index, where needed.
_FIELDS: tuple[tuple[Any, ...], ...] = (
    ("payment", _i.id, _i.address, "address", True),
    ("payment", _i.id, _i.destination_address, "destination_address", True, None, OTHER_ADDRESS),
    ("payment", _i.id, _i.deposit_token_account, "token_account", True, None, _HAS_ACCOUNT),
    ("payment", _i.id, _i.intent_hash, "key", True),
    ("payment", _i.id, _i.nonce, "nonce", True),
    ("payment", _i.id, _i.tx_hash, "payout", True, None, _HAS_PAYOUT),
    ("payment", deposits.c.intent_id, deposits.c.tx_hash, "deposit", True),
    ("payment", outbound_txs.c.intent_id, outbound_txs.c.tx_id, "transfer", True),
    ("payment", outbound_txs.c.intent_id, tx_attempts.c.tx_id, "attempt", True, _TX_WITH_ATTEMPTS),
    ("payment", transitions.c.intent_id, transitions.c.event_id, "event", True),
    ("payment", _i.id, _i.recipient, "recipient", False),
    ("payment", _i.id, _i.sender, "sender", False),
    ("payment", deposits.c.intent_id, deposits.c.sender, "depositor", False),
    ("payment", _i.id, _i.refund_address, "refund_address", False, None, _HAS_REFUND_ADDRESS),
    ("payment", metadata_values.c.intent_id, metadata_values.c.value, "metadata", False),
    ("payment", _i.id, _i.payment_link_id, "link", False, None, _HAS_LINK),
    ("order", _o.id, _o.reference, "reference", True),
    ("order", _o.id, _o.provider_tx, "provider_tx", True),
    ("order", order_transitions.c.order_id, order_transitions.c.event_id, "event", True),
    ("order", _o.id, _o.intent_address, "intent_address", False),
    ("order", _o.id, _o.sender, "sender", False),
    ("order", _o.id, _o.recipient, "recipient", False),
    ("standing", _a.name, _a.name, "id", True),
    ("standing", _a.name, _a.address, "standing_address", True),
    ("standing", _a.name, _a.reference, "reference", False, None, _HAS_OWN_REFERENCE),
    ("standing_deposit", _d.id, _d.tx_hash, "deposit", True),
    ("request", request_log.c.id, request_log.c.request_id, "request_id", True),
    ("link", payment_links.c.id, payment_links.c.id, "id", True),
    ("client", clients.c.id, clients.c.id, "id", True),
    ("client", clients.c.id, clients.c.name, "name", True),
)  # fmt: skip
_NUMBERS: tuple[tuple[str, ColumnElement[int]], ...] = (
    ("payment", _i.id),
    ("order", _o.id),
    ("delivery", deliveries.c.id),
    ("webhook", webhooks.c.id),
    ("request", request_log.c.id),
)
_OWNED: dict[str, ColumnElement[Any]] = {
    "payment": _i.id,
    "order": _o.id,
    "link": payment_links.c.id,
    "standing": _a.name,
    "standing_deposit": _d.id,
}
_KIND_OF_RESOURCE = {
    "intent": "payment",
    "ramp_order": "order",
    "standing_deposit": "standing_deposit",
}


def _select_ids(index: int) -> Select[Any]:
    _, id_, _, _, _, *columns = _FIELDS[index]
    joined, condition = (*columns, None, None)[:2]
    query: Select[Any] = select(id_)
    query = query if joined is None else query.select_from(joined)
    return query if condition is None else query.where(condition)


def _value_matches(column: ColumnElement[str], name: str, sqlite: bool) -> ColumnElement[bool]:
    if sqlite:
        rows = func.json_each(bindparam(name, type_=Text)).table_valued("value")
        return column.in_(select(rows.c.value))
    return column == any_(bindparam(name, type_=ARRAY(Text)))


@cache
def _build_search(sqlite: bool) -> CompoundSelect[Any]:
    """One statement that searches every field, with at most `limit` results of each."""
    parts = []
    for index, (_, id_, column, field, *_) in enumerate(_FIELDS):
        matches = _value_matches(column, "small" if field == "metadata" else "values", sqlite)
        query = _select_ids(index).where(matches).limit(bindparam("limit", type_=Integer))
        limited = query.with_only_columns(cast(id_, Text).label("id")).subquery()
        parts.append(select(literal_column(str(index)), limited.c.id))
    return union_all(*parts)


def _id_type(kind: str) -> Callable[[int | str], int | str]:
    return str if kind in ("client", "link", "standing") else int


def _new_hit(kind: str, id: int | str, field: str, unique: bool) -> SearchHit:
    """A hit; transactions belong to payments, or by other numbers to standing deposits."""
    if kind == "payment" and isinstance(id, int) and is_standing(id):
        return SearchHit("standing_deposit", standing_deposit_id(id), field, unique)
    return SearchHit(kind, id, field, unique)


class SqlSearch(FilterPlanner):
    """`ports.search_repository.SearchRepository` on one connection."""

    def find(self, values: Collection[str], number: int | None, limit: int) -> list[SearchHit]:
        hits: dict[tuple[str, int | str], SearchHit] = {}
        for hit in [*self._find_by_id(number), *self._find_by_value(values, limit)]:
            existing = hits.get((hit.kind, hit.id))
            if existing is None or (hit.unique and not existing.unique):
                hits[hit.kind, hit.id] = hit
        return list(hits.values())

    def find_owned(
        self, owners: OwnerFilter, values: Collection[str], limit: int
    ) -> list[SearchHit]:
        hits, owned = self.find(values, None, OWNED_CANDIDATES), list[SearchHit]()
        for kind, column in _OWNED.items():
            of_kind = [hit for hit in hits if hit.kind == kind]
            query = select(column).where(
                in_values(column, [hit.id for hit in of_kind]), *is_owned(column.table, owners)
            )
            ids = set(self._db.execute(query).scalars()) if of_kind else set()
            of_owner = [hit for hit in of_kind if hit.id in ids]
            for field in dict.fromkeys(hit.matched_field for hit in of_owner):
                found = [hit for hit in of_owner if hit.matched_field == field]
                owned += sorted(found, key=lambda hit: hit.id, reverse=True)[:limit]
        return owned

    def _find_by_id(self, number: int | None) -> list[SearchHit]:
        if number is None:
            return []
        hits = []
        for kind, column in _NUMBERS:
            if self._db.execute(select(column).where(column == number)).first() is not None:
                hits.append(SearchHit(kind, number, "number", kind == "payment"))
        return hits

    def _find_by_value(self, values: Collection[str], limit: int) -> list[SearchHit]:
        if not values:
            return []
        folded = [value.casefold() for value in values]
        parameters: dict[str, Any] = {"limit": limit}
        for name, texts in (("values", list(values)), ("small", folded)):
            parameters[name] = json.dumps(texts) if self._db.dialect.name == "sqlite" else texts
        ids_by_field: dict[int, list[int | str]] = {}
        statement = _build_search(self._db.dialect.name == "sqlite")
        for index, id_ in self._db.execute(statement, parameters):
            ids_by_field.setdefault(index, []).append(id_)
        hits = []
        for index, ids in ids_by_field.items():
            kind, _, _, field, unique, *_ = _FIELDS[index]
            if len(ids) >= limit:
                ids_by_field[index] = self._find_newest(
                    index, folded if field == "metadata" else values, limit
                )
            hits += [
                _new_hit(kind, hit, field, unique)
                for hit in dict.fromkeys(map(_id_type(kind), ids_by_field[index]))
            ]
        return [
            *hits,
            *self._find_by_provider_reference(values, limit),
            *self._find_by_event_id(values),
        ]

    def _find_newest(self, index: int, values: Collection[str], limit: int) -> list[int | str]:
        """The newest results of a field with too many, in the order of its index."""
        _, id_, column, *_ = _FIELDS[index]
        newest: set[int | str] = set()
        for value in values:
            newest_of_value = (
                _select_ids(index).where(column == value).order_by(id_.desc()).limit(limit)
            )
            newest.update(self._db.execute(newest_of_value).scalars())
        return sorted(newest, reverse=True)[:limit]

    def _find_by_provider_reference(self, values: Collection[str], limit: int) -> list[SearchHit]:
        """Orders by the provider's own reference; its index starts with the provider."""
        columns = in_values(_o.provider_reference, values)
        existing = select(_o.id).where(_o.provider.in_(list(ProviderName)), _KNOWN, columns)
        order_ids = self._db.execute(existing.limit(limit)).scalars()
        return [SearchHit("order", hit, "provider_reference", True) for hit in order_ids]

    def _find_by_event_id(self, values: Collection[str]) -> list[SearchHit]:
        query = select(outbox.c.kind, outbox.c.resource_id).where(
            in_values(outbox.c.event_id, values)
        )
        rows = self._db.execute(query).all()
        return [
            SearchHit(_KIND_OF_RESOURCE[k], int(n), "event", True)
            for k, n in rows
            if k in _KIND_OF_RESOURCE
        ]


def apply_filter(query: Select[Any], filter: IntentFilter) -> Select[Any]:
    """The query with the conditions of a filter."""
    c = intents.c
    query = query.where(*is_owned(intents, filter))
    if filter.states:
        query = query.where(c.state.in_([s.value for s in filter.states]))
    if filter.source_chain is not None:
        query = query.where(c.source_chain == filter.source_chain)
    if filter.destination_chain is not None:
        query = query.where(c.destination_chain == filter.destination_chain)
    if filter.sender is not None:
        query = query.where(c.sender == filter.sender)
    if filter.before_id is not None:
        query = query.where(c.id < filter.before_id)
    return query.where(c.id.in_(_matching(filter.text))) if filter.text else query


def _matching(text: str) -> Any:
    """Intents with an identifying column, or a transaction id, that equals the text."""
    c = intents.c
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 18 else -1
    columns = (c.address, c.recipient, c.sender, c.tx_hash)
    return union_all(
        *(select(c.id).where(column == text) for column in columns),
        select(c.id).where(OTHER_ADDRESS, c.destination_address == text),
        select(c.id).where(c.id == number),
        select(outbound_txs.c.intent_id).where(outbound_txs.c.tx_id == text),
    )
