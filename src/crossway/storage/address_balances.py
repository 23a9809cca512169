"""What the books hold and keep as dust at deposit addresses, kept up to date with the postings."""

import json
from collections.abc import Collection, Iterable
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    bindparam,
    cast,
    column,
    func,
    or_,
    select,
    text,
)

from crossway.domain.ledger import NO_INTENT, Account, AddressBalance, AddressKey, Posting
from crossway.domain.outbound import SWEEP_KINDS
from crossway.sql.in_values import within
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.tables import intents, outbound_txs
from crossway.storage.treasury_tables import address_balances

_c: Final = address_balances.c
_KEPT: Final = {Account.HELD: 0, Account.DUST: 1}
_OWN: Final = select(intents.c.id).where(
    intents.c.id == bindparam("intent_id"),
    intents.c.source_chain == bindparam("chain"),
    intents.c.token_in == bindparam("token"),
)
_SAVE: Final = per_dialect(
    lambda put: (
        put(address_balances)
        .values(
            intent_id=bindparam("intent_id"),
            chain=bindparam("chain"),
            token=bindparam("token"),
            held=bindparam("held"),
            dust=bindparam("dust"),
            misdirected=~_OWN.exists(),
        )
        .on_conflict_do_update(
            index_elements=["intent_id", "chain", "token"],
            set_={name: put(address_balances).excluded[name] for name in ("held", "dust")},
        )
    )
)
_SELECT: Final = select(_c.intent_id, _c.chain, _c.token, _c.held, _c.dust, _c.misdirected)
_MISDIRECTED: Final = {
    # Literals, so that the planner uses the partial index.
    name: _SELECT.where(text(f"{flag} AND held <> '0'"))
    .order_by(_c.intent_id)
    .limit(bindparam("limit"))
    for name, flag in (("sqlite", "misdirected = 1"), ("postgresql", "misdirected"))
}
_MISDIRECTED_OF: Final = {
    name: query.where(within(_c.intent_id, "ids")) for name, query in _MISDIRECTED.items()
}
_t: Final = outbound_txs.c
_REFUND_ADDRESS: Final = (
    select(intents.c.refund_address).where(intents.c.id == _t.intent_id).scalar_subquery()
)
_WITH_SWEEP: Final = _SELECT.join_from(
    address_balances,
    outbound_txs,
    and_(_t.intent_id == _c.intent_id, _t.chain == _c.chain, _t.token == _c.token),
).where(_t.kind.in_([kind.value for kind in SWEEP_KINDS]), _t.amount.is_(None))
# Literals, so that the planner uses the partial indexes.
_WITH_WAITING_SWEEP: Final = _WITH_SWEEP.where(
    text("outbound_txs.state = 'DUE'"),
    # One that was signed before and redirected since may be left to its coordinator.
    or_(_t.tx_id.is_(None), _t.to_address != _REFUND_ADDRESS),
)
_WITH_FAILED_SWEEP: Final = _WITH_SWEEP.where(
    text("outbound_txs.state IN ('DUE', 'SIGNED', 'FAILED')"), _t.state == "FAILED"
)
_CLAIMABLE: Final = tuple(
    query.where(_c.chain == bindparam("chain"), _c.intent_id >= bindparam("first"))
    .order_by(_c.intent_id)
    .limit(bindparam("limit"))
    for query in (_SELECT.where(text("dust <> '0'")), _WITH_WAITING_SWEEP, _WITH_FAILED_SWEEP)
)


def _by_key(dialect: str) -> Select[Any]:
    """The balances of the JSON array `keys` of (intent, chain, token), each found by its key."""
    keys = bindparam("keys", type_=Text)
    parts: list[ColumnElement[Any]]
    if dialect == "sqlite":
        rows = func.json_each(keys).table_valued("value")
        parts = [func.json_extract(rows.c.value, f"$[{n}]") for n in range(3)]
    else:
        rows = func.json_array_elements(cast(keys, JSON)).table_valued(column("value", JSON))
        parts = [rows.c.value.op("->>")(n) for n in range(3)]
        parts[0] = cast(parts[0], BigInteger)
    matches = (_c.intent_id == parts[0], _c.chain == parts[1], _c.token == parts[2])
    return _SELECT.join_from(rows, address_balances, and_(*matches))


_BY_KEY: Final = {"sqlite": _by_key("sqlite"), "postgresql": _by_key("postgresql")}


class AddressBalances:
    """The balances of deposit addresses on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_many(self, keys: Collection[AddressKey]) -> dict[AddressKey, AddressBalance]:
        """Those of the keys that have a posting."""
        if not keys:
            return {}
        rows = fetch(self._db, _BY_KEY[self._db.dialect.name], {"keys": json.dumps(list(keys))})
        return {(row[0], row[1], row[2]): _decode(row) for row in rows}

    def list_of_intent(self, intent_id: int, limit: int) -> list[AddressBalance]:
        """The balances of a payment, its own token first."""
        query = _SELECT.where(_c.intent_id == intent_id).order_by(_c.misdirected, _c.chain)
        return [_decode(row) for row in self._db.execute(query.limit(limit))]

    def list_misdirected(
        self, intent_ids: Collection[int] | None, limit: int
    ) -> list[AddressBalance]:
        """What is held in another token or on another chain than the payment's own."""
        parameters: dict[str, Any] = {"limit": limit}
        statement = _MISDIRECTED
        if intent_ids is not None:
            statement, parameters["ids"] = _MISDIRECTED_OF, intent_ids
        rows = fetch(self._db, statement[self._db.dialect.name], parameters)
        # Below zero: money left before its deposit was credited.
        return [balance for row in rows if (balance := _decode(row)).held > 0]

    def list_claimable(self, chain: str, from_intent: int, limit: int) -> list[AddressBalance]:
        """Where dust lies on a chain or a sweep waits unsigned or failed, by payment, from one of
        them."""
        found: dict[AddressKey, AddressBalance] = {}
        place = {"chain": chain, "first": from_intent, "limit": limit}
        for claimable in _CLAIMABLE:
            rows = self._db.execute(claimable, place).all()
            found |= {(row.intent_id, row.chain, row.token): _decode(row) for row in rows}
        return sorted(found.values(), key=lambda balance: balance.intent_id)[:limit]

    def add(self, postings: Iterable[Posting]) -> None:
        """Add postings. The caller holds the locks of their accounts."""
        changes: dict[AddressKey, list[int]] = {}
        for posting in postings:
            if posting.intent_id == NO_INTENT:
                continue
            for account, amount in (
                (posting.debit, posting.amount),
                (posting.credit, -posting.amount),
            ):
                if account in _KEPT:
                    key = (posting.intent_id, posting.chain, posting.token)
                    changes.setdefault(key, [0, 0])[_KEPT[account]] += amount
        stored = self.get_many(changes)
        rows = []
        for key, (held, dust) in changes.items():
            before = stored.get(key)
            rows.append(
                {
                    "intent_id": key[0],
                    "chain": key[1],
                    "token": key[2],
                    "held": str(held + (before.held if before else 0)),
                    "dust": str(dust + (before.dust if before else 0)),
                }
            )
        execute_each(self._db, _SAVE[self._db.dialect.name], rows)


def _decode(row: Any) -> AddressBalance:
    intent_id, chain, token, held, dust, misdirected = row
    return AddressBalance(intent_id, chain, token, int(held), int(dust), bool(misdirected))
