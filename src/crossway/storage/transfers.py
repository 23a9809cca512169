"""Transfers and their signed bytes as stored, and the nonces they use."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    Table,
    and_,
    bindparam,
    insert,
    not_,
    select,
    text,
    update,
)

from crossway.domain.intent import State
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.chain import Signed
from crossway.ports.changes import Topic
from crossway.ports.records import Attempt, InFlight, Owed, TransferChange
from crossway.storage import sweeping
from crossway.storage.intents import LostRace
from crossway.storage.rows import attempt_row, instant, micros, owed_row, transfer_of
from crossway.storage.sets import among, for_each_database, numbered, once_a_row
from crossway.storage.tables import attempts, intents, nonces, transfers

_CHANGE = (
    update(transfers)
    .where(transfers.c.id == bindparam("b_id"), transfers.c.state == bindparam("b_state"))
    .values(
        state=bindparam("b_to"),
        tries=bindparam("b_tries"),
        reason=bindparam("b_reason"),
        next_at=bindparam("b_next"),
        tx_id=bindparam("b_tx"),
        block_height=bindparam("b_height"),
        updated_at=bindparam("b_at"),
    )
)


def _owing(put: Callable[[Table], Any]) -> Any:
    """What was cancelled is owed anew."""
    again = put(transfers).excluded
    return put(transfers).on_conflict_do_update(
        index_elements=["intent_id", "duty", "cause"],
        set_={
            "state": TransferState.DUE.value,
            "tries": 0,
            "reason": "",
            "next_at": again.next_at,
            "updated_at": again.updated_at,
        },
        where=transfers.c.state == TransferState.CANCELLED.value,
    )


_OWE = for_each_database(_owing)
_OPEN_NONCES = for_each_database(lambda put: put(nonces).on_conflict_do_nothing())

_ADD_ATTEMPT = insert(attempts)


class Transfers:
    """`ports.store.TransferRecords` on one connection; `told` is what it changed."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self.told: set[Topic] = set()

    def owe(self, duties: Sequence[Owed], at: datetime) -> None:
        if not duties:
            return
        self._db.execute(
            _OWE[self._db.dialect.name],
            [owed_row(owed, at) for owed in duties],
        )

    def due(self, chains: Collection[str], now: datetime, limit: int) -> list[Transfer]:
        asked = {"chains": list(chains), "now": micros(now), "limit": limit}
        return self._all(sweeping.DUE, asked)

    def in_state(
        self, chains: Collection[str], state: TransferState, limit: int, min_height: int = -1
    ) -> list[Transfer]:
        query = select(transfers).where(
            transfers.c.state == state.value, transfers.c.chain.in_(chains)
        )
        if min_height >= 0:
            query = query.where(transfers.c.block_height >= min_height)
        return self._all(query.order_by(transfers.c.id).limit(limit))

    def settled_by(self, heights: Mapping[str, int], limit: int) -> list[Transfer]:
        if not heights:
            return []
        asked = {"chains": numbered(heights), "limit": limit}
        return self._all(sweeping.SETTLED[self._db.dialect.name], asked)

    def signed(self, chains: Collection[str], limit: int) -> list[InFlight]:
        rows = self._db.execute(sweeping.SIGNED, {"chains": list(chains), "limit": limit}).all()
        return [InFlight(row[0], row[1], Duty(row[2]), row[3], row[4], row[5]) for row in rows]

    def lock_in(self, ids: Collection[int], state: TransferState) -> set[int]:
        if not ids:
            return set()
        query = select(transfers.c.id).where(
            among(self._db, transfers.c.id, ids), transfers.c.state == state.value
        )
        rows = self._db.execute(query.order_by(transfers.c.id).with_for_update(skip_locked=True))
        return set(rows.scalars().all())

    def lock(self, ids: Collection[int]) -> dict[int, Transfer]:
        if not ids:
            return {}
        query = select(transfers).where(among(self._db, transfers.c.id, ids))
        found = self._all(query.order_by(transfers.c.id).with_for_update(skip_locked=True))
        return {transfer.id: transfer for transfer in found}

    def get(self, transfer_id: int) -> Transfer | None:
        found = self._all(select(transfers).where(transfers.c.id == transfer_id))
        return found[0] if found else None

    def of(self, intent_ids: Collection[int], duty: Duty | None = None) -> list[Transfer]:
        if not intent_ids:
            return []
        query = select(transfers).where(among(self._db, transfers.c.intent_id, intent_ids))
        if duty is not None:
            query = query.where(transfers.c.duty == duty.value)
        return self._all(query.order_by(transfers.c.id))

    def change(self, changes: Sequence[TransferChange], at: datetime) -> None:
        """Changes that differ only in the transfer are one statement, the others one a row."""
        if any(change.before is not change.after for change in changes):
            self.told.add(Topic.PAYMENTS)
        alike: dict[tuple[object, ...], list[TransferChange]] = {}
        for c in changes:
            if c.tx_id is None:
                kind = (c.before, c.after, c.tries, c.reason, c.next_at, c.block_height)
                alike.setdefault(kind, []).append(c)
        for same in alike.values():
            self._change_alike(same[0], [change.id for change in same], at)
        self._change_each([change for change in changes if change.tx_id is not None], at)

    def _change_alike(self, change: TransferChange, ids: Sequence[int], at: datetime) -> None:
        changed = self._db.execute(
            update(transfers)
            .where(among(self._db, transfers.c.id, ids), transfers.c.state == change.before.value)
            .values(
                state=change.after.value,
                tries=change.tries,
                reason=change.reason,
                next_at=micros(change.next_at),
                block_height=change.block_height,
                updated_at=micros(at),
            )
        )
        if changed.rowcount != len(ids):
            raise LostRace("a transfer moved between lock and write")

    def _change_each(self, changes: Sequence[TransferChange], at: datetime) -> None:
        if not changes:
            return
        rows = [
            {
                "b_id": change.id,
                "b_state": change.before.value,
                "b_to": change.after.value,
                "b_tries": change.tries,
                "b_reason": change.reason,
                "b_next": micros(change.next_at),
                "b_tx": change.tx_id,
                "b_height": change.block_height,
                "b_at": micros(at),
            }
            for change in changes
        ]
        if once_a_row(self._db, _CHANGE, rows) != len(rows):
            raise LostRace("a transfer moved between lock and write")

    def redirect(self, transfer_id: int, to_address: str) -> None:
        self._db.execute(
            update(transfers).where(transfers.c.id == transfer_id).values(to_address=to_address)
        )

    def attempts(self, transfer_ids: Collection[int]) -> list[Attempt]:
        if not transfer_ids:
            return []
        query = select(attempts).where(among(self._db, attempts.c.transfer_id, transfer_ids))
        return [
            Attempt(
                transfer_id=row.transfer_id,
                chain=row.chain,
                account=row.account,
                signed=Signed(row.tx_id, row.raw, int(row.nonce), int(row.fee_units)),
                at=instant(row.at),
            )
            for row in self._db.execute(query.order_by(attempts.c.id))
        ]

    def add_attempts(self, made: Sequence[Attempt]) -> None:
        if made:
            once_a_row(self._db, _ADD_ATTEMPT, [attempt_row(attempt) for attempt in made])

    def reserve_nonces(self, chain: str, account: str, count: int, at_least: int) -> int:
        where = (nonces.c.chain == chain, nonces.c.account == account)
        self._db.execute(
            _OPEN_NONCES[self._db.dialect.name],
            {"chain": chain, "account": account, "first": at_least, "next": at_least},
        )
        row = self._db.execute(select(nonces.c.next).where(*where).with_for_update())
        first = max(int(row.scalar_one()), at_least)
        self._db.execute(update(nonces).where(*where).values(next=first + count))
        return first

    def nonce_span(self, chain: str, account: str) -> tuple[int, int] | None:
        query = select(nonces.c.first, nonces.c.next).where(
            nonces.c.chain == chain, nonces.c.account == account
        )
        row = self._db.execute(query).first()
        return None if row is None else (row[0], row[1])

    def known(self, chain: str, tx_ids: Collection[str]) -> set[str]:
        query = select(attempts.c.tx_id).where(
            attempts.c.chain == chain, among(self._db, attempts.c.tx_id, tx_ids)
        )
        return set(self._db.execute(query).scalars()) if tx_ids else set()

    def overdue(self, duties: Collection[Duty], before: datetime, limit: int) -> list[Transfer]:
        of, at = transfers.c.duty.in_([duty.value for duty in duties]), micros(before)
        # Written out, so that the planner sees the partial indexes.
        due = (text("state = 'DUE'"), transfers.c.next_at <= at)
        signed = (text("state = 'SIGNED'"), transfers.c.updated_at <= at)
        return [
            transfer
            for which in (due, signed)
            for transfer in self._all(select(transfers).where(*which, of).limit(limit))
        ]

    def waiting(self, limit: int) -> list[Transfer]:
        refunded = select(intents.c.id).where(
            intents.c.id == transfers.c.intent_id, intents.c.state == State.REFUNDED
        )
        underway = transfers.c.duty.in_((Duty.START, Duty.FILL))
        query = select(transfers).where(
            # Written out, so that the planner sees the partial index.
            text("state IN ('DUE', 'SIGNED', 'FAILED') AND reason <> ''"),
            not_(and_(transfers.c.state == TransferState.FAILED, underway, refunded.exists())),
        )
        return self._all(query.order_by(transfers.c.id).limit(limit))

    def hurry(self, now: datetime) -> None:
        at = micros(now)
        self._db.execute(
            update(transfers)
            .where(text("state = 'DUE'"), transfers.c.updated_at > at)
            .values(next_at=transfers.c.next_at - transfers.c.updated_at + at, updated_at=at)
        )

    def _all(
        self, query: Select[tuple[object, ...]], asked: Mapping[str, object] | None = None
    ) -> list[Transfer]:
        return [transfer_of(row) for row in self._db.execute(query, asked).all()]
