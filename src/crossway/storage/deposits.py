"""Deposits: transfers to deposit addresses."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Table, bindparam, cast, select, text, update

from crossway.domain.deposits import Deposit, DepositPurpose, DepositState, IncomingTransfer
from crossway.storage.bulk_sql import chain_values, in_values, per_dialect, per_dialect_for_chains
from crossway.storage.row_mapper import RowMapper, to_micros
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
_READY = per_dialect_for_chains(
    lambda head: (
        select(deposits)
        .join(head, deposits.c.chain == head.c.key)
        # A literal, so that the planner uses the partial index.
        .where(text("state = 'SEEN'"), deposits.c.ready_height <= cast(head.c.value, BigInteger))
        .order_by(deposits.c.id)
        .limit(bindparam("limit"))
    )
)
RETURNABLE = frozenset({DepositPurpose.WRONG_TOKEN, DepositPurpose.WRONG_CHAIN})


class SqlDeposits:
    """`ports.store.DepositRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, incoming: Sequence[tuple[int, IncomingTransfer, int]]) -> None:
        if not incoming:
            return
        self._db.execute(
            _ADD[self._db.dialect.name],
            [_row(intent_id, incoming, depth) for intent_id, incoming, depth in incoming],
        )

    def list_ready(self, heads: Mapping[str, int], limit: int) -> list[Deposit]:
        if not heads:
            return []
        parameters = {"chains": chain_values(heads), "limit": limit}
        rows = self._db.execute(_READY[self._db.dialect.name], parameters).all()
        return [DEPOSITS.decode(row) for row in rows]

    def list_ready_for_intent(self, intent_id: int, height: int) -> list[Deposit]:
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
        return [
            DEPOSITS.decode(row) for row in self._db.execute(query.order_by(deposits.c.id)).all()
        ]

    def list_by_intents(self, intent_ids: Collection[int]) -> list[Deposit]:
        if not intent_ids:
            return []
        query = select(deposits).where(in_values(self._db, deposits.c.intent_id, intent_ids))
        return [
            DEPOSITS.decode(row) for row in self._db.execute(query.order_by(deposits.c.id)).all()
        ]

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

    def lock_seen(self, ids: Collection[int]) -> set[int]:
        query = select(deposits.c.id).where(
            in_values(self._db, deposits.c.id, ids), deposits.c.state == DepositState.SEEN.value
        )
        rows = self._db.execute(query.order_by(deposits.c.id).with_for_update())
        return set(rows.scalars())

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
        if rows:
            self._db.execute(_CREDIT, rows)

    def mark_orphaned(self, ids: Collection[int], note: str) -> None:
        self._set(ids, state=DepositState.ORPHANED.value, note=note, awaiting_return=False)

    def set_note(self, ids: Sequence[int], note: str) -> None:
        self._set(ids, note=note)

    def list_older_seen(self, before: datetime, limit: int) -> list[Deposit]:
        conditions = (text("state = 'SEEN'"), deposits.c.at <= to_micros(before))
        query = select(deposits).where(*conditions).order_by(deposits.c.id).limit(limit)
        return [DEPOSITS.decode(row) for row in self._db.execute(query).all()]

    def list_unreturned(self, intent_ids: Collection[int] | None = None) -> list[Deposit]:
        query = select(deposits).where(deposits.c.awaiting_return)
        if intent_ids is not None:
            query = query.where(in_values(self._db, deposits.c.intent_id, intent_ids))
        return [
            DEPOSITS.decode(row) for row in self._db.execute(query.order_by(deposits.c.id)).all()
        ]

    def mark_returned(self, ids: Sequence[int], note: str = "") -> None:
        self._set(ids, awaiting_return=False, note=note)

    def _set(self, ids: Collection[int], **values: object) -> None:
        if ids:
            self._db.execute(
                update(deposits).where(in_values(self._db, deposits.c.id, ids)).values(**values)
            )


def _row(intent_id: int, incoming: IncomingTransfer, depth: int) -> dict[str, object]:
    deposit = Deposit(0, intent_id, incoming, DepositState.SEEN, None, "", None)
    return DEPOSITS.encode_new(deposit) | {
        "ready_height": incoming.block_height + depth,
        "awaiting_return": False,
    }
