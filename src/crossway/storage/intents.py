"""Intents as stored: their rows, their counts, their history and announcements."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Select,
    and_,
    bindparam,
    cast,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from crossway.domain.intent import ENDED, Intent, State
from crossway.domain.transfers import Duty, TransferState
from crossway.ports.records import Change, IntentFilter, MoveRecord
from crossway.storage.announcements import announce
from crossway.storage.desk import value_rows
from crossway.storage.finding import filtered
from crossway.storage.finding_tables import metadata_values
from crossway.storage.intent_rows import (
    announced,
    change_row,
    intent_of,
    intent_row,
    move_of,
    move_row,
)
from crossway.storage.rows import micros
from crossway.storage.sets import among, for_each_chain, for_each_database, numbered, once_a_row
from crossway.storage.tables import intent_counts, intents, moves, transfers

_BY_ID = select(intents).where(intents.c.id == bindparam("value"))
_BY_ADDRESS = select(intents).where(intents.c.address == bindparam("value"))
_ADD = insert(intents).returning(intents.c.id)
_ADD_MOVE = insert(moves)
_ADD_VALUE = insert(metadata_values)
_COUNT = for_each_database(
    lambda put: put(intent_counts).on_conflict_do_update(
        index_elements=["client_id", "state"],
        set_={"n": intent_counts.c.n + put(intent_counts).excluded.n},
    )
)
_STORE = (
    update(intents)
    .where(intents.c.id == bindparam("b_id"), intents.c.state == bindparam("b_state"))
    .values(
        state=bindparam("b_to"),
        received_units=bindparam("b_received"),
        held_units=bindparam("b_held"),
        weight=bindparam("b_weight"),
        relayer=bindparam("b_relayer"),
        relayer_claimed=bindparam("b_claimed"),
        needs_relay=bindparam("b_needs"),
        tx_hash=bindparam("b_tx"),
        updated_at=bindparam("b_at"),
    )
)
_STARTING = select(transfers.c.id).where(
    transfers.c.intent_id == intents.c.id,
    transfers.c.duty == Duty.START,
    transfers.c.state == TransferState.SIGNED,
)
_EXPIRING = for_each_chain(
    # Outer, and the state written out: SQLite then goes by the index of each chain's open intents,
    # else through all that are open. A chain without any has a row of NULL.
    lambda now: (
        select(now.c.key, intents.c.id)
        .select_from(now)
        .outerjoin(
            intents,
            and_(
                intents.c.source_chain == now.c.key,
                intents.c.expires_at <= cast(now.c.value, BigInteger),
                text("intents.state IN ('PENDING', 'FUNDED')"),
                ~_STARTING.exists(),
            ),
        )
        .limit(bindparam("limit"))
    )
)


class LostRace(RuntimeError):
    """A row changed between lock and write; the unit of work is undone and tried again."""


class Intents:
    """`ports.intent_records.IntentRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, intent: Intent, event_id: str) -> Intent:
        row = intent_row(intent)
        new_id: int = self._db.execute(_ADD, row).scalar_one()
        intent = replace(intent, id=new_id)
        self._db.execute(
            _ADD_MOVE,
            {
                "event_id": event_id,
                "intent_id": new_id,
                "client_id": intent.client_id,
                "at": row["created_at"],
                "event": "CREATED",
                "from_state": None,
                "to_state": intent.state.value,
                "tells": "intent_created",
                "note": "",
            },
        )
        once_a_row(self._db, _ADD_VALUE, value_rows(intent))
        announce(self._db, [announced(event_id, "intent_created", intent)])
        self._count({(intent.client_id, intent.state): 1})
        return intent

    def get(self, intent_id: int) -> Intent | None:
        return self._one(_BY_ID, intent_id)

    def by_address(self, address: str) -> Intent | None:
        return self._one(_BY_ADDRESS, address)

    def of(self, ids: Collection[int]) -> dict[int, Intent]:
        return self._by_id(select(intents).where(among(self._db, intents.c.id, ids))) if ids else {}

    def worths(self, ids: Collection[int]) -> dict[int, int]:
        c = intents.c
        worth = c.amount_micro_usd + c.service_micro_usd + c.bridge_micro_usd + c.app_micro_usd
        query = select(c.id, worth).where(among(self._db, c.id, ids))
        return {row[0]: row[1] for row in self._db.execute(query).all()} if ids else {}

    def lock(self, ids: Collection[int]) -> dict[int, Intent]:
        if not ids:
            return {}
        query = select(intents).where(among(self._db, intents.c.id, ids))
        return self._by_id(query.order_by(intents.c.id).with_for_update())

    def page(self, wanted: IntentFilter, limit: int, offset: int = 0) -> list[Intent]:
        query = filtered(select(intents), wanted).order_by(intents.c.id.desc())
        return [intent_of(row) for row in self._db.execute(query.limit(limit).offset(offset)).all()]

    def count(self, wanted: IntentFilter) -> int:
        if wanted == IntentFilter(client_id=wanted.client_id, states=wanted.states):
            counts = self.counts(wanted.client_id)
            return sum(n for s, n in counts.items() if not wanted.states or s in wanted.states)
        found = self._db.execute(filtered(select(func.count()).select_from(intents), wanted))
        return int(found.scalar_one())

    def counts(self, client_id: str | None = None) -> dict[State, int]:
        query = select(intent_counts.c.state, func.sum(intent_counts.c.n)).group_by(
            intent_counts.c.state
        )
        if client_id is not None:
            query = query.where(intent_counts.c.client_id == client_id)
        return {State(state): int(n) for state, n in self._db.execute(query) if n}

    def known(self, addresses: Collection[str]) -> dict[str, int]:
        if not addresses:
            return {}
        query = select(intents.c.address, intents.c.id).where(
            among(self._db, intents.c.address, addresses)
        )
        return {row.address: row.id for row in self._db.execute(query).all()}

    def watched(self, chain: str, ended_after: datetime) -> list[str]:
        open_states = [s.value for s in State if s not in ENDED]
        query = select(intents.c.address).where(
            intents.c.source_chain == chain,
            or_(
                intents.c.state.in_(open_states),
                intents.c.expires_at >= micros(ended_after),
            ),
        )
        return list(self._db.execute(query).scalars())

    def expiring(self, by: Mapping[str, datetime], limit: int) -> dict[str, list[int]]:
        if not by:
            return {}
        asked = {"chains": numbered({c: micros(at) for c, at in by.items()})}
        query = _EXPIRING[self._db.dialect.name]
        found: dict[str, list[int]] = {}
        for chain, intent_id in self._db.execute(query, {**asked, "limit": limit + len(by)}):
            if intent_id is not None and limit:
                found.setdefault(chain, []).append(intent_id)
                limit -= 1
        return found

    def apply(self, changes: Sequence[Change]) -> None:
        if not changes:
            return
        first: dict[int, Intent] = {}
        last: dict[int, Intent] = {}
        counted: dict[tuple[str, State], int] = {}
        history, told = [], []
        for change in changes:
            before, after = change.before, change.after
            first.setdefault(before.id, before)
            last[before.id] = after
            history.append(move_row(change))
            if change.move.tells is not None:
                told.append(announced(history[-1]["event_id"], change.move.tells, after))
            if before.state is not after.state:
                for state, n in ((before.state, -1), (after.state, 1)):
                    counted[after.client_id, state] = counted.get((after.client_id, state), 0) + n
        stored = [change_row(first[i], last[i]) for i in sorted(last)]
        if once_a_row(self._db, _STORE, stored) != len(last):
            raise LostRace("an intent moved between lock and write")
        once_a_row(self._db, _ADD_MOVE, history)
        announce(self._db, told)
        self._count(counted)

    def moves(self, intent_ids: Collection[int]) -> list[MoveRecord]:
        if not intent_ids:
            return []
        query = select(moves).where(among(self._db, moves.c.intent_id, intent_ids))
        return [move_of(row) for row in self._db.execute(query.order_by(moves.c.id))]

    def recent_moves(self, limit: int, after_id: int = 0) -> list[tuple[int, MoveRecord]]:
        query = select(moves).where(moves.c.id > after_id).order_by(moves.c.id.desc()).limit(limit)
        return [(row.id, move_of(row)) for row in self._db.execute(query)]

    def committed(self, destination_chain: str, token: str) -> int:
        to_there = (
            intents.c.destination_chain == destination_chain,
            intents.c.token_out == token,
        )
        started = select(intents.c.out_units).where(*to_there, intents.c.state == State.INITIATED)
        starting = (
            select(intents.c.out_units)
            .join(transfers, transfers.c.intent_id == intents.c.id)
            .where(
                *to_there,
                transfers.c.duty == Duty.START,
                transfers.c.state == TransferState.SIGNED,
                intents.c.state == State.FUNDED,
            )
        )
        owed = (self._db.execute(query).scalars() for query in (started, starting))
        return sum(int(units) for rows in owed for units in rows)

    def reserved(self) -> dict[str, tuple[int, int]]:
        chain = intents.c.destination_chain
        query = (
            select(chain, func.count(), func.sum(intents.c.amount_micro_usd))
            # Written out, so that the planner sees the partial index.
            .where(text("state = 'INITIATED'"))
            .group_by(chain)
        )
        return {name: (int(n), int(usd)) for name, n, usd in self._db.execute(query)}

    def lingering(self, state: State, before: datetime, limit: int) -> list[Intent]:
        query = select(intents).where(
            intents.c.state == state.value, intents.c.updated_at <= micros(before)
        )
        found = self._db.execute(query.order_by(intents.c.id).limit(limit)).all()
        return [intent_of(row) for row in found]

    def _one(self, query: Select[Any], value: int | str) -> Intent | None:
        row = self._db.execute(query, {"value": value}).first()
        return None if row is None else intent_of(row)

    def _by_id(self, query: Select[Any]) -> dict[int, Intent]:
        return {row[0]: intent_of(row) for row in self._db.execute(query).all()}

    def _count(self, changed: dict[tuple[str, State], int]) -> None:
        rows = [
            {"client_id": client, "state": state.value, "n": n}
            for (client, state), n in sorted(changed.items())
            if n
        ]
        if rows:
            self._db.execute(_COUNT[self._db.dialect.name], rows)
