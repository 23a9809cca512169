"""Deposits as stored."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Connection, Table, bindparam, cast, select, text, update

from crossway.domain.deposits import Deposit, DepositState, Incoming, Purpose
from crossway.storage.rows import deposit_of, micros
from crossway.storage.sets import among, for_each_chain, for_each_database, numbered
from crossway.storage.tables import deposits, intents

_CREDIT = (
    update(deposits)
    .where(deposits.c.id == bindparam("b_id"), deposits.c.state == DepositState.SEEN.value)
    .values(
        state=DepositState.CREDITED.value,
        purpose=bindparam("b_purpose"),
        note=bindparam("b_note"),
        open_foreign=bindparam("b_open"),
        credited_at=bindparam("b_at"),
    )
)


def _adding(put: Callable[[Table], Any]) -> Any:
    """A transfer that was orphaned and mined again is the same deposit in another block."""
    back = put(deposits).excluded
    return put(deposits).on_conflict_do_update(
        index_elements=["chain", "tx_hash", "tx_index"],
        set_={
            "block_height": back.block_height,
            "block_hash": back.block_hash,
            "ready_height": back.ready_height,
            "at": back.at,
            "state": back.state,
            "purpose": None,
            "note": back.note,
            "open_foreign": False,
            "credited_at": None,
        },
        where=deposits.c.state == DepositState.ORPHANED.value,
    )


_ADD = for_each_database(_adding)
_READY = for_each_chain(
    lambda head: (
        select(deposits)
        .join(head, deposits.c.chain == head.c.key)
        # Written out, so that the planner sees the partial index.
        .where(text("state = 'SEEN'"), deposits.c.ready_height <= cast(head.c.value, BigInteger))
        .order_by(deposits.c.id)
        .limit(bindparam("limit"))
    )
)
FOREIGN = frozenset({Purpose.FOREIGN, Purpose.ELSEWHERE})


class Deposits:
    """`ports.store.DepositRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, found: Sequence[tuple[int, Incoming, int]]) -> None:
        if not found:
            return
        self._db.execute(
            _ADD[self._db.dialect.name],
            [_row(intent_id, incoming, depth) for intent_id, incoming, depth in found],
        )

    def ready(self, heads: Mapping[str, int], limit: int) -> list[Deposit]:
        if not heads:
            return []
        asked = {"chains": numbered(heads), "limit": limit}
        rows = self._db.execute(_READY[self._db.dialect.name], asked).all()
        return [deposit_of(row) for row in rows]

    def ready_of(self, intent_id: int, height: int) -> list[Deposit]:
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
        return [deposit_of(row) for row in self._db.execute(query.order_by(deposits.c.id)).all()]

    def of(self, intent_ids: Collection[int]) -> list[Deposit]:
        if not intent_ids:
            return []
        query = select(deposits).where(among(self._db, deposits.c.intent_id, intent_ids))
        return [deposit_of(row) for row in self._db.execute(query.order_by(deposits.c.id)).all()]

    def get(self, deposit_id: int) -> Deposit | None:
        row = self._db.execute(select(deposits).where(deposits.c.id == deposit_id)).first()
        return None if row is None else deposit_of(row)

    def from_height(self, chain: str, height: int) -> list[Deposit]:
        query = select(deposits).where(
            deposits.c.chain == chain,
            deposits.c.block_height >= height,
            deposits.c.state != DepositState.ORPHANED.value,
        )
        rows = self._db.execute(query.order_by(deposits.c.id).with_for_update())
        return [deposit_of(row) for row in rows.all()]

    def lock_seen(self, ids: Collection[int]) -> set[int]:
        query = select(deposits.c.id).where(
            among(self._db, deposits.c.id, ids), deposits.c.state == DepositState.SEEN.value
        )
        rows = self._db.execute(query.order_by(deposits.c.id).with_for_update())
        return set(rows.scalars())

    def credit(self, credited: Sequence[tuple[int, Purpose, str]], at: datetime) -> None:
        rows = [
            {
                "b_id": deposit_id,
                "b_purpose": purpose.value,
                "b_note": note,
                "b_open": purpose in FOREIGN and not note,
                "b_at": micros(at),
            }
            for deposit_id, purpose, note in credited
        ]
        if rows:
            self._db.execute(_CREDIT, rows)

    def orphan(self, ids: Collection[int], note: str) -> None:
        self._set(ids, state=DepositState.ORPHANED.value, note=note, open_foreign=False)

    def note(self, ids: Sequence[int], note: str) -> None:
        self._set(ids, note=note)

    def lingering(self, before: datetime, limit: int) -> list[Deposit]:
        seen = (text("state = 'SEEN'"), deposits.c.at <= micros(before))
        query = select(deposits).where(*seen).order_by(deposits.c.id).limit(limit)
        return [deposit_of(row) for row in self._db.execute(query).all()]

    def open_foreign(self, intent_ids: Collection[int] | None = None) -> list[Deposit]:
        query = select(deposits).where(deposits.c.open_foreign)
        if intent_ids is not None:
            query = query.where(among(self._db, deposits.c.intent_id, intent_ids))
        return [deposit_of(row) for row in self._db.execute(query.order_by(deposits.c.id)).all()]

    def close_foreign(self, ids: Sequence[int], note: str = "") -> None:
        self._set(ids, open_foreign=False, note=note)

    def _set(self, ids: Collection[int], **values: object) -> None:
        if ids:
            self._db.execute(
                update(deposits).where(among(self._db, deposits.c.id, ids)).values(**values)
            )


def _row(intent_id: int, incoming: Incoming, depth: int) -> dict[str, object]:
    return {
        "intent_id": intent_id,
        "chain": incoming.chain,
        "tx_hash": incoming.tx_hash,
        "tx_index": incoming.index,
        "block_height": incoming.block_height,
        "block_hash": incoming.block_hash,
        "ready_height": incoming.block_height + depth,
        "token": incoming.token,
        "sender": incoming.sender,
        "to_address": incoming.to,
        "units": str(incoming.units),
        "at": micros(incoming.at),
        "state": DepositState.SEEN.value,
        "purpose": None,
        "note": "",
        "open_foreign": False,
        "credited_at": None,
    }
