"""Inventory transfers."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Select,
    and_,
    bindparam,
    or_,
    select,
    text,
    update,
)

from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.ports.inventory_transfer_repository import (
    InventoryTransferChange,
    NewInventoryTransfer,
)
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.sql.in_values import within
from crossway.storage.bulk_sql import insert_into
from crossway.storage.errors import ConcurrentUpdate
from crossway.storage.inventory_tables import OPEN, UNDER_WAY, inventory_transfers
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.shard_sql import ByShards, shard_parameters

_TRANSFERS: Final = RowMapper(InventoryTransfer, inventory_transfers)
_FIXED: Final = (
    *("id", "intent_id", "bridge", "kind", "source_chain", "destination_chain"),
    *("source_token", "destination_token", "amount", "created_at"),
)
_CHANGING: Final = _TRANSFERS.encoder(without=_FIXED)
_c = inventory_transfers.c
_UPDATE: Final = (
    update(inventory_transfers)
    .where(_c.id == bindparam("b_id"), _c.state == bindparam("b_state"))
    .values(
        {
            column.name: bindparam(f"new_{column.name}")
            for column in inventory_transfers.columns
            if column.name not in _FIXED
        }
    )
)
_OF_INTENTS: Final = (
    select(inventory_transfers).where(within(_c.intent_id, "intents")).order_by(_c.id)
)
_LOCK: Final = _OF_INTENTS.with_for_update()
_MINTS: Final = text("kind = 'MINT'")
_DUE: Final = ByShards(
    lambda is_of_shards: (
        select(inventory_transfers)
        .where(
            # A literal, so that the planner uses the partial indexes.
            text(OPEN),
            or_(
                within(_c.source_chain, "chains"),
                and_(_MINTS, within(_c.destination_chain, "chains")),
            ),
            _c.next_at <= bindparam("now"),
            is_of_shards(_c.intent_id),
        )
        .order_by(_c.next_at, _c.id)
        .limit(bindparam("limit"))
    ),
)
# With OPEN, which follows from it, SQLite uses the partial indexes.
_UNDER_WAY: Final = and_(text(OPEN), text(UNDER_WAY))
_RESERVING: Final = tuple(
    state.value
    for state in (
        InventoryTransferState.PLANNED,
        InventoryTransferState.AGREED,
        InventoryTransferState.SENDING,
    )
)


class SqlInventoryTransfers:
    """`ports.inventory_transfer_repository.InventoryTransferRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def plan(self, new: Sequence[NewInventoryTransfer], at: datetime) -> None:
        if new:
            rows = [_TRANSFERS.encode_new(_planned(one, at)) for one in new]
            self._db.execute(
                insert_into(self._db, inventory_transfers).on_conflict_do_nothing(), rows
            )

    def list_by_intents(self, intent_ids: Collection[int]) -> list[InventoryTransfer]:
        return self._of_intents(intent_ids, for_update=False)

    def lock(self, intent_ids: Collection[int]) -> list[InventoryTransfer]:
        return self._of_intents(intent_ids, for_update=True)

    def list_due(
        self, chains: Collection[str], now: datetime, limit: int, shards: Shards = ALL_SHARDS
    ) -> list[InventoryTransfer]:
        parameters = {
            "chains": list(chains),
            "now": to_micros(now),
            "limit": limit,
            **shard_parameters(shards),
        }
        return [_TRANSFERS.decode(row) for row in fetch(self._db, _DUE[shards], parameters)]

    def list_open(self, limit: int) -> list[InventoryTransfer]:
        query = select(inventory_transfers).where(_UNDER_WAY)
        # By an expression: in the order of ids, SQLite would read every transfer there was.
        return self._all(query.order_by(_c.id + 0).limit(limit))

    def list_reserving(self, bridge: str = "", source_chain: str = "") -> list[InventoryTransfer]:
        minted = and_(_MINTS, _c.bridge == bridge)
        query = select(inventory_transfers).where(
            _UNDER_WAY,
            _c.state.in_(_RESERVING),
            _c.source_chain == source_chain if source_chain else minted,
        )
        return self._all(query.order_by(_c.id + 0))

    def update(self, changes: Sequence[InventoryTransferChange]) -> None:
        if not changes:
            return
        rows = [
            {f"new_{name}": value for name, value in _CHANGING(change.after).items()}
            | {"b_id": change.before.id, "b_state": change.before.state.value}
            for change in changes
        ]
        if execute_each(self._db, _UPDATE, rows) != len(rows):
            raise ConcurrentUpdate("an inventory transfer changed between lock and write")

    def _of_intents(self, intent_ids: Collection[int], for_update: bool) -> list[InventoryTransfer]:
        if not intent_ids:
            return []
        return self._all(_LOCK if for_update else _OF_INTENTS, {"intents": intent_ids})

    def _all(
        self, query: Select[tuple[object, ...]], parameters: Mapping[str, Any] | None = None
    ) -> list[InventoryTransfer]:
        return [_TRANSFERS.decode(row) for row in self._db.execute(query, parameters).all()]


def _planned(new: NewInventoryTransfer, at: datetime) -> InventoryTransfer:
    return InventoryTransfer(
        id=0,
        intent_id=new.intent_id,
        bridge=new.bridge,
        kind=InventoryTransferKind(new.kind),
        source_chain=new.source_chain,
        destination_chain=new.destination_chain,
        source_token=new.source_token,
        destination_token=new.destination_token,
        amount=new.amount,
        source_amount=0,
        state=InventoryTransferState.PLANNED,
        attempt=1,
        commitment=b"",
        agreement=b"",
        reference="",
        source_tx="",
        destination_tx="",
        reason=new.reason,
        expires_at=None,
        expected_at=None,
        next_at=new.due_at,
        created_at=at,
        updated_at=at,
    )
