"""Bridge transfers and their history."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, func, insert, select, text, update

from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState, BridgeTransferStep
from crossway.domain.intent import Intent
from crossway.ports.bridge_transfer_repository import BridgeTransferChange
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.sql.in_values import in_values, within
from crossway.storage.bridge_tables import OPEN, bridge_steps, bridge_transfers
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.errors import ConcurrentUpdate
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.shard_sql import ByShards, shard_parameters
from crossway.storage.tables import intents

_TRANSFERS: Final = RowMapper(BridgeTransfer, bridge_transfers)
_STEPS: Final = RowMapper(BridgeTransferStep, bridge_steps)
_CHANGING: Final = _TRANSFERS.encoder(
    without=("intent_id", "bridge", "source_chain", "destination_chain")
)
_CHANGING_NAMES: Final = tuple(
    column.name
    for column in bridge_transfers.columns
    if column.name not in ("intent_id", "bridge", "source_chain", "destination_chain")
)
_PLAN: Final = per_dialect(lambda put: put(bridge_transfers).on_conflict_do_nothing())
_ADD_STEP: Final = insert(bridge_steps)
_UPDATE: Final = (
    update(bridge_transfers)
    .where(
        bridge_transfers.c.intent_id == bindparam("b_id"),
        bridge_transfers.c.state == bindparam("b_state"),
    )
    .values({name: bindparam(f"new_{name}") for name in _CHANGING_NAMES})
)
_DUE: Final = ByShards(
    lambda is_of_shards: (
        select(bridge_transfers)
        .where(
            # A literal, so that the planner uses the partial index.
            text(OPEN),
            within(bridge_transfers.c.source_chain, "chains"),
            bridge_transfers.c.next_at <= bindparam("now"),
            is_of_shards(bridge_transfers.c.intent_id),
        )
        .order_by(bridge_transfers.c.next_at, bridge_transfers.c.intent_id)
        .limit(bindparam("limit"))
    ),
)
_BY_ID: Final = select(bridge_transfers).where(within(bridge_transfers.c.intent_id, "ids"))
_LOCK: Final = _BY_ID.order_by(bridge_transfers.c.intent_id).with_for_update()


class SqlBridgeTransfers:
    """`ports.bridge_transfer_repository.BridgeTransferRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def plan(self, intents: Sequence[Intent], at: datetime) -> None:
        planned = [_TRANSFERS.encode(_planned(intent, at)) for intent in intents]
        execute_each(self._db, _PLAN[self._db.dialect.name], planned)

    def get_many(self, intent_ids: Collection[int]) -> dict[int, BridgeTransfer]:
        return self._by_id(intent_ids, for_update=False)

    def lock(self, intent_ids: Collection[int]) -> dict[int, BridgeTransfer]:
        return self._by_id(intent_ids, for_update=True)

    def list_due(
        self,
        source_chains: Collection[str],
        now: datetime,
        limit: int,
        shards: Shards = ALL_SHARDS,
    ) -> list[BridgeTransfer]:
        parameters = {
            "chains": list(source_chains),
            "now": to_micros(now),
            "limit": limit,
            **shard_parameters(shards),
        }
        return [_TRANSFERS.decode(row) for row in fetch(self._db, _DUE[shards], parameters)]

    def list_open(self, limit: int) -> list[BridgeTransfer]:
        # By an expression: in the order of ids, SQLite would read every transfer there was.
        oldest = bridge_transfers.c.intent_id + 0
        query = select(bridge_transfers).where(text(OPEN)).order_by(oldest)
        return [_TRANSFERS.decode(row) for row in self._db.execute(query.limit(limit)).all()]

    def sum_unrepaid(self, source_chain: str) -> int:
        query = (
            select(func.coalesce(func.sum(intents.c.amount_micro_usd), 0))
            .select_from(
                bridge_transfers.join(intents, intents.c.id == bridge_transfers.c.intent_id)
            )
            .where(
                text(f"bridge_transfers.{OPEN}"),
                bridge_transfers.c.source_chain == source_chain,
                intents.c.relayer != "",
                intents.c.relayer_claimed.is_(False),
            )
        )
        return int(self._db.execute(query).scalar_one())

    def list_in_states(
        self, states: Collection[BridgeTransferState]
    ) -> dict[int, BridgeTransferState]:
        c = bridge_transfers.c
        query = select(c.intent_id, c.state).where(c.state.in_([s.value for s in states]))
        return {row[0]: BridgeTransferState(row[1]) for row in self._db.execute(query)}

    def update(self, changes: Sequence[BridgeTransferChange]) -> None:
        if not changes:
            return
        rows = [
            {f"new_{name}": value for name, value in _CHANGING(change.after).items()}
            | {"b_id": change.before.intent_id, "b_state": change.before.state.value}
            for change in changes
        ]
        if execute_each(self._db, _UPDATE, rows) != len(rows):
            raise ConcurrentUpdate("a bridge transfer changed between lock and write")
        steps = [
            BridgeTransferStep(c.after.intent_id, c.after.updated_at, c.after.state, c.tx, c.note)
            for c in changes
            if c.before.state is not c.after.state or c.before.reason != c.after.reason
        ]
        execute_each(self._db, _ADD_STEP, [_STEPS.encode(step) for step in steps])

    def list_steps(self, intent_id: int) -> list[BridgeTransferStep]:
        query = select(bridge_steps).where(bridge_steps.c.intent_id == intent_id)
        rows = self._db.execute(query.order_by(bridge_steps.c.id)).all()
        return [_STEPS.decode(row) for row in rows]

    def get_steps(self, intent_ids: Collection[int]) -> dict[int, list[BridgeTransferStep]]:
        if not intent_ids:
            return {}
        query = select(bridge_steps).where(in_values(bridge_steps.c.intent_id, intent_ids))
        steps: dict[int, list[BridgeTransferStep]] = {}
        for row in self._db.execute(query.order_by(bridge_steps.c.id)).all():
            steps.setdefault(row.intent_id, []).append(_STEPS.decode(row))
        return steps

    def _by_id(self, ids: Collection[int], for_update: bool) -> dict[int, BridgeTransfer]:
        if not ids:
            return {}
        rows = fetch(self._db, _LOCK if for_update else _BY_ID, {"ids": ids})
        return {one.intent_id: one for one in map(_TRANSFERS.decode, rows)}


def _planned(intent: Intent, at: datetime) -> BridgeTransfer:
    terms = intent.terms
    return BridgeTransfer(
        intent_id=intent.id,
        bridge=terms.bridge,
        source_chain=terms.source_chain,
        destination_chain=terms.destination_chain,
        state=BridgeTransferState.PLANNED,
        reason="",
        message_id="",
        source_tx="",
        destination_tx="",
        sent_message=b"",
        message=b"",
        attestation=b"",
        sent_at=None,
        expected_at=None,
        next_at=at,
        ask_at=None,
        poll_count=0,
        updated_at=at,
    )
