"""Deposits: transfers to deposit addresses."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Table,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    text,
    true,
    update,
)

from crossway.domain.deposits import Deposit, DepositPurpose, DepositState, IncomingTransfer
from crossway.domain.ledger import AddressKey
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.sql.in_values import in_values, within
from crossway.storage.bulk_sql import (
    chain_values,
    list_oldest_first,
    per_dialect,
    per_dialect_for_chains,
)
from crossway.storage.deposits_of_intents import DepositsOfIntents
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.shard_sql import ByShards, OfShards, shard_parameters
from crossway.storage.tables import deposits, intents

DEPOSITS: Final = RowMapper(
    Deposit, deposits, {"incoming.index": "tx_index", "incoming.to": "to_address"}
)
_CREDIT = (
    update(deposits)
    .where(deposits.c.id == bindparam("b_id"), deposits.c.state == DepositState.SEEN.value)
    .values(
        state=DepositState.CREDITED.value,
        purpose=bindparam("b_purpose"),
        note=bindparam("b_note"),
        awaiting_return=bindparam("b_open"),
        credited_at=bindparam("b_at"),
    )
)


def _build_add(insert_into: Callable[[Table], Any]) -> Any:
    """The insert of a deposit; an orphaned one that is included again moves to its new block."""
    excluded = insert_into(deposits).excluded
    return insert_into(deposits).on_conflict_do_update(
        index_elements=["chain", "tx_hash", "tx_index"],
        set_={
            "block_height": excluded.block_height,
            "block_hash": excluded.block_hash,
            "ready_height": excluded.ready_height,
            "at": excluded.at,
            "state": excluded.state,
            "purpose": None,
            "note": excluded.note,
            "awaiting_return": False,
            "credited_at": None,
        },
        where=deposits.c.state == DepositState.ORPHANED.value,
    )


_ADD = per_dialect(_build_add)
# Deposits of one payment beyond these wait in a queue of their own.
NORMAL_PRIORITY_DEPOSITS = 200
_NEAR = deposits.alias()


def _next_in_queue(head: Any, is_of_shards: OfShards) -> Select[Any]:
    """The deposits of one chain that are ready, from the index of the queue."""
    return (
        select(_NEAR.c.id)
        .where(
            # A literal, so that the planner uses the partial index.
            _NEAR.c.state == literal_column("'SEEN'"),
            _NEAR.c.chain == head.c.key,
            _NEAR.c.low_priority == bindparam("low_priority"),
            _NEAR.c.ready_height <= cast(head.c.value, BigInteger),
            is_of_shards(_NEAR.c.intent_id),
        )
        .order_by(_NEAR.c.ready_height, _NEAR.c.id)
        .limit(bindparam("limit"))
        .correlate(head)
    )


def _ready_sqlite(is_of_shards: OfShards, head: Any) -> Select[Any]:
    return select(deposits).join(head, deposits.c.id.in_(_next_in_queue(head, is_of_shards)))


def _ready_postgresql(is_of_shards: OfShards, head: Any) -> Select[Any]:
    near = _next_in_queue(head, is_of_shards).lateral()
    return (
        select(deposits)
        .select_from(head)
        .join(near, true())
        .join(deposits, deposits.c.id == near.c.id)
    )


def _build_ready(build: Callable[..., Select[Any]], is_of_shards: OfShards) -> Any:
    return per_dialect_for_chains(partial(build, is_of_shards))


_READY = {
    name: ByShards(partial(_build_ready, build))
    for name, build in (("sqlite", _ready_sqlite), ("postgresql", _ready_postgresql))
}
_FIRST_DEPOSITS = (
    select(_NEAR.c.id)
    .where(_NEAR.c.intent_id == intents.c.id)
    .limit(NORMAL_PRIORITY_DEPOSITS)
    .correlate(intents)
    .subquery()
)
_COUNT_DEPOSITS = select(
    intents.c.id, select(func.count()).select_from(_FIRST_DEPOSITS).scalar_subquery()
).where(within(intents.c.id, "ids"))
_LOCK_SEEN = (
    select(deposits.c.id, deposits.c.block_hash)
    .where(within(deposits.c.id, "ids"), deposits.c.state == DepositState.SEEN.value)
    .order_by(deposits.c.id)
    .with_for_update()
)
_PLACE_NEWEST_FIRST = (
    deposits.c.intent_id,
    deposits.c.chain,
    deposits.c.token,
    deposits.c.id.desc(),
)
RETURNABLE = frozenset({DepositPurpose.WRONG_TOKEN, DepositPurpose.WRONG_CHAIN})


class SqlDeposits(DepositsOfIntents):
    """`ports.store.DepositRepository` on one connection."""

    def add(self, incoming: Sequence[tuple[int, IncomingTransfer, int]]) -> None:
        if not incoming:
            return
        counts = self._count_up_to_normal({intent_id for intent_id, _, _ in incoming})
        rows = []
        for intent_id, transfer, depth in incoming:
            low_priority = counts[intent_id] >= NORMAL_PRIORITY_DEPOSITS
            counts[intent_id] += 1
            rows.append(_row(intent_id, transfer, depth, low_priority))
        execute_each(self._db, _ADD[self._db.dialect.name], rows)

    def _count_up_to_normal(self, intent_ids: Collection[int]) -> Counter[int]:
        """How many deposits each payment has, counted no further than it matters."""
        return Counter(dict(fetch(self._db, _COUNT_DEPOSITS, {"ids": intent_ids})))

    def list_ready(
        self,
        heads: Mapping[str, int],
        limit: int,
        low_priority: bool = False,
        shards: Shards = ALL_SHARDS,
    ) -> list[Deposit]:
        if not heads:
            return []
        parameters = {
            "chains": chain_values(heads),
            "limit": limit,
            "low_priority": low_priority,
            **shard_parameters(shards),
        }
        dialect = self._db.dialect.name
        rows = fetch(self._db, _READY[dialect][shards][dialect], parameters)
        return sorted((DEPOSITS.decode(row) for row in rows), key=lambda deposit: deposit.id)

    def list_ready_for_intent(self, intent_id: int, height: int, limit: int) -> list[Deposit]:
        query = (
            select(deposits)
            .join(intents, intents.c.id == deposits.c.intent_id)
            .where(
                deposits.c.intent_id == intent_id,
                deposits.c.chain == intents.c.source_chain,
                deposits.c.state == DepositState.SEEN.value,
                deposits.c.ready_height <= height,
            )
        )
        rows = self._db.execute(query.order_by(deposits.c.id).limit(limit)).all()
        return [DEPOSITS.decode(row) for row in rows]

    def list_by_intents(
        self, intent_ids: Collection[int], newest: int | None = None
    ) -> list[Deposit]:
        if not intent_ids:
            return []
        query = select(deposits).where(in_values(deposits.c.intent_id, intent_ids))
        rows = list_oldest_first(self._db, query, deposits.c.id, newest)
        return [DEPOSITS.decode(row) for row in rows]

    def count_by_intent(self, intent_id: int) -> int:
        query = select(func.count()).select_from(deposits)
        return int(self._db.scalar(query.where(deposits.c.intent_id == intent_id)) or 0)

    def get(self, deposit_id: int) -> Deposit | None:
        row = self._db.execute(select(deposits).where(deposits.c.id == deposit_id)).first()
        return None if row is None else DEPOSITS.decode(row)

    def lock_from_height(self, chain: str, height: int) -> list[Deposit]:
        query = select(deposits).where(
            deposits.c.chain == chain,
            deposits.c.block_height >= height,
            deposits.c.state != DepositState.ORPHANED.value,
        )
        rows = self._db.execute(query.order_by(deposits.c.id).with_for_update())
        return [DEPOSITS.decode(row) for row in rows.all()]

    def lock_seen(self, deposits: Collection[Deposit]) -> set[int]:
        block_hashes = {d.id: d.incoming.block_hash for d in deposits}
        rows = fetch(self._db, _LOCK_SEEN, {"ids": block_hashes})
        return {id for id, block_hash in rows if block_hash == block_hashes[id]}

    def credit(self, credits: Sequence[tuple[int, DepositPurpose, str]], at: datetime) -> None:
        rows = [
            {
                "b_id": deposit_id,
                "b_purpose": purpose.value,
                "b_note": note,
                "b_open": purpose in RETURNABLE and not note,
                "b_at": to_micros(at),
            }
            for deposit_id, purpose, note in credits
        ]
        execute_each(self._db, _CREDIT, rows)

    def mark_orphaned(self, ids: Collection[int], note: str) -> None:
        self._set(ids, state=DepositState.ORPHANED.value, note=note, awaiting_return=False)

    def list_older_seen(self, before: datetime, limit: int) -> list[Deposit]:
        conditions = (text("state = 'SEEN'"), deposits.c.at <= to_micros(before))
        # By id alone, SQLite would look at every deposit that there ever was.
        in_turn = select(deposits).where(*conditions).order_by(deposits.c.at, deposits.c.id)
        return [DEPOSITS.decode(row) for row in self._db.execute(in_turn.limit(limit)).all()]

    def find_newest_unreturned(self, key: AddressKey) -> int | None:
        query = select(deposits.c.id).where(*_unreturned_at(key)).order_by(*_PLACE_NEWEST_FIRST)
        return self._db.execute(query.limit(1)).scalar()

    def is_unreturned(self, deposit_id: int) -> bool:
        query = select(deposits.c.id).where(deposits.c.id == deposit_id, deposits.c.awaiting_return)
        return self._db.execute(query).first() is not None

    def mark_returned(self, keys: Collection[AddressKey], note: str = "") -> None:
        for key in keys:
            self._db.execute(
                update(deposits)
                .where(*_unreturned_at(key))
                .values(awaiting_return=False, note=note)
            )

    def set_note_of_payments(self, intent_id: int, note: str) -> None:
        is_payment = deposits.c.purpose == DepositPurpose.PAYMENT.value
        own = deposits.c.intent_id == intent_id
        self._db.execute(update(deposits).where(own, is_payment).values(note=note))

    def _set(self, ids: Collection[int], **values: object) -> None:
        if ids:
            self._db.execute(update(deposits).where(in_values(deposits.c.id, ids)).values(**values))


def _unreturned_at(key: AddressKey) -> tuple[ColumnElement[bool], ...]:
    intent_id, chain, token = key
    return (
        deposits.c.awaiting_return,
        deposits.c.intent_id == intent_id,
        deposits.c.chain == chain,
        deposits.c.token == token,
    )


def _row(
    intent_id: int, incoming: IncomingTransfer, depth: int, low_priority: bool
) -> dict[str, object]:
    deposit = Deposit(0, intent_id, incoming, DepositState.SEEN, None, "", None)
    return DEPOSITS.encode_new(deposit) | {
        "ready_height": incoming.block_height + depth,
        "awaiting_return": False,
        "low_priority": low_priority,
    }
