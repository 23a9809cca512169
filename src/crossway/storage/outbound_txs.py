"""Outbound transactions and their signed versions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    Table,
    and_,
    bindparam,
    not_,
    select,
    text,
    update,
)

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.records import InFlightTx, NewOutboundTx, OutboundTxChange
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.ports.topics import Topic
from crossway.sql.in_values import in_values, within
from crossway.storage.bulk_sql import chain_values, per_dialect
from crossway.storage.errors import ConcurrentUpdate
from crossway.storage.outbound_tx_rows import (
    OUTBOUND_TXS,
    SELECT_DUE,
    SELECT_SETTLED,
    SELECT_SIGNED,
    new_outbound_tx_row,
)
from crossway.storage.outbound_txs_of_intents import OutboundTxsOfIntents
from crossway.storage.prepared import execute, execute_each, fetch
from crossway.storage.row_mapper import to_micros
from crossway.storage.shard_sql import shard_parameters
from crossway.storage.tables import intents, outbound_txs
from crossway.storage.tx_attempts import TxAttempts

_UPDATE_MANY = (
    update(outbound_txs)
    .where(within(outbound_txs.c.id, "b_ids"), outbound_txs.c.state == bindparam("b_state"))
    .values(
        state=bindparam("b_to"),
        attempt_count=bindparam("b_tries"),
        reason=bindparam("b_reason"),
        next_at=bindparam("b_next"),
        block_height=bindparam("b_height"),
        updated_at=bindparam("b_at"),
    )
)
_UPDATE = (
    update(outbound_txs)
    .where(outbound_txs.c.id == bindparam("b_id"), outbound_txs.c.state == bindparam("b_state"))
    .values(
        state=bindparam("b_to"),
        attempt_count=bindparam("b_tries"),
        reason=bindparam("b_reason"),
        next_at=bindparam("b_next"),
        tx_id=bindparam("b_tx"),
        block_height=bindparam("b_height"),
        updated_at=bindparam("b_at"),
    )
)
_AMONG = within(outbound_txs.c.id, "ids")
_LOCK = (
    select(outbound_txs).where(_AMONG).order_by(outbound_txs.c.id).with_for_update(skip_locked=True)
)
_LOCK_IN_STATE = (
    select(outbound_txs.c.id, outbound_txs.c.tx_id)
    .where(_AMONG, outbound_txs.c.state == bindparam("state"))
    .order_by(outbound_txs.c.id)
    .with_for_update(skip_locked=True)
)
_OF_INTENTS = (
    select(outbound_txs)
    .where(within(outbound_txs.c.intent_id, "intents"))
    .order_by(outbound_txs.c.id)
)
_OF_KIND = _OF_INTENTS.where(outbound_txs.c.kind == bindparam("kind"))


def _build_enqueue(insert_into: Callable[[Table], Any]) -> Any:
    """The insert of a new one; a cancelled one is DUE again."""
    excluded = insert_into(outbound_txs).excluded
    return insert_into(outbound_txs).on_conflict_do_update(
        index_elements=["intent_id", "kind", "cause"],
        set_={
            "state": OutboundTxState.DUE.value,
            "attempt_count": 0,
            "reason": "",
            "next_at": excluded.next_at,
            "updated_at": excluded.updated_at,
        },
        where=outbound_txs.c.state == OutboundTxState.CANCELLED.value,
    )


_ENQUEUE = per_dialect(_build_enqueue)


class SqlOutboundTxs(OutboundTxsOfIntents, TxAttempts):
    """`ports.outbound_tx_repository.OutboundTxRepository` on one connection."""

    def __init__(self, db: Connection, changed_topics: set[Topic]) -> None:
        super().__init__(db)
        self._changed_topics = changed_topics

    def enqueue(self, new: Sequence[NewOutboundTx], at: datetime) -> None:
        rows = [new_outbound_tx_row(tx, at) for tx in new]
        execute_each(self._db, _ENQUEUE[self._db.dialect.name], rows)

    def list_due(
        self, chains: Collection[str], now: datetime, limit: int, shards: Shards = ALL_SHARDS
    ) -> list[OutboundTx]:
        parameters = {"chains": list(chains), "now": to_micros(now), "limit": limit}
        return self._fetch(SELECT_DUE[shards], parameters | shard_parameters(shards))

    def list_in_state(
        self, chains: Collection[str], state: OutboundTxState, limit: int, min_height: int = -1
    ) -> list[OutboundTx]:
        query = select(outbound_txs).where(
            outbound_txs.c.state == state.value, outbound_txs.c.chain.in_(chains)
        )
        if min_height >= 0:
            query = query.where(outbound_txs.c.block_height >= min_height)
        return self._all(query.order_by(outbound_txs.c.id).limit(limit))

    def list_final(
        self, heights: Mapping[str, int], limit: int, shards: Shards = ALL_SHARDS
    ) -> list[OutboundTx]:
        if not heights:
            return []
        parameters = {"chains": chain_values(heights), "limit": limit} | shard_parameters(shards)
        return self._fetch(SELECT_SETTLED[shards][self._db.dialect.name], parameters)

    def list_signed(
        self, chains: Collection[str], limit: int, shards: Shards = ALL_SHARDS
    ) -> list[InFlightTx]:
        parameters = {"chains": chains, "limit": limit} | shard_parameters(shards)
        rows = fetch(self._db, SELECT_SIGNED[shards], parameters)
        return [
            InFlightTx(row[0], row[1], OutboundTxKind(row[2]), row[3], row[4], row[5])
            for row in rows
        ]

    def lock_in_state(self, tx_ids: Mapping[int, str | None], state: OutboundTxState) -> set[int]:
        if not tx_ids:
            return set()
        rows = fetch(self._db, _LOCK_IN_STATE, {"ids": tx_ids, "state": state.value})
        return {id for id, tx_id in rows if tx_id == tx_ids[id]}

    def lock(self, ids: Collection[int]) -> dict[int, OutboundTx]:
        if not ids:
            return {}
        locked = self._fetch(_LOCK, {"ids": ids})
        return {tx.id: tx for tx in locked}

    def lock_signed(self, tx_ids: Mapping[int, str]) -> dict[int, OutboundTx]:
        return {
            id: tx
            for id, tx in self.lock(tx_ids).items()
            if tx.state is OutboundTxState.SIGNED and tx.tx_id == tx_ids[id]
        }

    def list_still_signed(self, ids: Collection[int], tx_id: str) -> set[int]:
        query = select(outbound_txs.c.id).where(
            in_values(outbound_txs.c.id, ids),
            outbound_txs.c.state == OutboundTxState.SIGNED.value,
            outbound_txs.c.tx_id == tx_id,
        )
        return set(self._db.execute(query).scalars()) if ids else set()

    def get(self, outbound_tx_id: int) -> OutboundTx | None:
        txs = self._all(select(outbound_txs).where(outbound_txs.c.id == outbound_tx_id))
        return txs[0] if txs else None

    def list_by_intents(
        self, intent_ids: Collection[int], kind: OutboundTxKind | None = None
    ) -> list[OutboundTx]:
        if not intent_ids:
            return []
        if kind is None:
            return self._fetch(_OF_INTENTS, {"intents": intent_ids})
        return self._fetch(_OF_KIND, {"intents": intent_ids, "kind": kind.value})

    def update(self, changes: Sequence[OutboundTxChange], at: datetime) -> None:
        """Changes that differ only in their id are one statement, the others one each."""
        if any(change.before is not change.after for change in changes):
            self._changed_topics.add(Topic.PAYMENTS)
        groups: dict[tuple[object, ...], list[OutboundTxChange]] = {}
        for change in changes:
            if change.tx_id is None:
                kind = (
                    change.before,
                    change.after,
                    change.attempt_count,
                    change.reason,
                    change.next_at,
                    change.block_height,
                )
                groups.setdefault(kind, []).append(change)
        for group in groups.values():
            self._update_many(group[0], [change.id for change in group], at)
        self._update_each([change for change in changes if change.tx_id is not None], at)

    def _update_many(self, change: OutboundTxChange, ids: Sequence[int], at: datetime) -> None:
        values = {
            "b_ids": ids,
            "b_state": change.before.value,
            "b_to": change.after.value,
            "b_tries": change.attempt_count,
            "b_reason": change.reason,
            "b_next": to_micros(change.next_at),
            "b_height": change.block_height,
            "b_at": to_micros(at),
        }
        if execute(self._db, _UPDATE_MANY, values) != len(ids):
            raise ConcurrentUpdate("a transfer moved between lock and write")

    def _update_each(self, changes: Sequence[OutboundTxChange], at: datetime) -> None:
        if not changes:
            return
        rows = [
            {
                "b_id": change.id,
                "b_state": change.before.value,
                "b_to": change.after.value,
                "b_tries": change.attempt_count,
                "b_reason": change.reason,
                "b_next": to_micros(change.next_at),
                "b_tx": change.tx_id,
                "b_height": change.block_height,
                "b_at": to_micros(at),
            }
            for change in changes
        ]
        if execute_each(self._db, _UPDATE, rows) != len(rows):
            raise ConcurrentUpdate("a transfer moved between lock and write")

    def redirect(self, outbound_tx_id: int, to_address: str) -> None:
        self._db.execute(
            update(outbound_txs)
            .where(outbound_txs.c.id == outbound_tx_id)
            .values(to_address=to_address)
        )

    def list_overdue(
        self, kinds: Collection[OutboundTxKind], before: datetime, limit: int
    ) -> list[OutboundTx]:
        has_kind, at = outbound_txs.c.kind.in_([kind.value for kind in kinds]), to_micros(before)
        # Literals, so that the planner uses the partial indexes.
        due = (text("state = 'DUE'"), outbound_txs.c.next_at <= at)
        signed = (text("state = 'SIGNED'"), outbound_txs.c.updated_at <= at)
        return [
            transfer
            for condition in (due, signed)
            for transfer in self._all(select(outbound_txs).where(*condition, has_kind).limit(limit))
        ]

    def list_needing_attention(self, limit: int) -> list[OutboundTx]:
        refunded = select(intents.c.id).where(
            intents.c.id == outbound_txs.c.intent_id, intents.c.state == State.REFUNDED
        )
        is_start_or_fill = outbound_txs.c.kind.in_((OutboundTxKind.START, OutboundTxKind.FILL))
        query = select(outbound_txs).where(
            # A literal, so that the planner uses the partial index.
            text("state IN ('DUE', 'SIGNED', 'FAILED') AND reason <> ''"),
            not_(
                and_(
                    outbound_txs.c.state == OutboundTxState.FAILED,
                    is_start_or_fill,
                    refunded.exists(),
                )
            ),
        )
        return self._all(query.order_by(outbound_txs.c.id).limit(limit))

    def reset_backoff(self, now: datetime) -> None:
        at = to_micros(now)
        self._db.execute(
            update(outbound_txs)
            .where(text("state = 'DUE'"), outbound_txs.c.updated_at > at)
            .values(next_at=outbound_txs.c.next_at - outbound_txs.c.updated_at + at, updated_at=at)
        )

    def _fetch(
        self, query: Select[tuple[object, ...]], parameters: Mapping[str, object]
    ) -> list[OutboundTx]:
        """As `_all`, of a query that is built once."""
        return [OUTBOUND_TXS.decode(row) for row in fetch(self._db, query, parameters)]

    def _all(
        self, query: Select[tuple[object, ...]], parameters: Mapping[str, object] | None = None
    ) -> list[OutboundTx]:
        return [OUTBOUND_TXS.decode(row) for row in self._db.execute(query, parameters).all()]
