"""When stored work falls due next: the first row of each index of waiting rows."""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, TextClause, func, select, text

from crossway.ports.due_times import ChainWork
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.storage.bridge_tables import OPEN, bridge_transfers
from crossway.storage.bulk_sql import chain_values, per_dialect_for_chains
from crossway.storage.inventory_tables import OPEN as OPEN_INVENTORY
from crossway.storage.inventory_tables import inventory_transfers
from crossway.storage.ramp_tables import kyc_submission_syncs, orders
from crossway.storage.row_mapper import from_micros
from crossway.storage.shard_sql import ByShards, OfShards, shard_parameters
from crossway.storage.tables import deposits, intents, outbound_txs
from crossway.storage.webhook_tables import deliveries, webhooks

_MINTS = "inventory_transfers.kind = 'MINT'"


def _first(
    column: ColumnElement[Any], *where: ColumnElement[bool] | TextClause, of: Any = None
) -> Any:
    """The smallest value of a column among the rows of a partial index; `of` is the outer table.

    States are literal texts, so that the planner uses the index."""
    query = select(column).where(*where).order_by(column).limit(1)
    return (query if of is None else query.correlate(of)).scalar_subquery()


def _build_of_chains(is_of_shards: OfShards, rows: Any) -> Select[Any]:
    def first(column: ColumnElement[Any], chain: ColumnElement[str], states: str) -> Any:
        owner = intents.c.id if column.table is intents else column.table.c.intent_id
        return _first(column, chain == rows.c.key, text(states), is_of_shards(owner), of=rows)

    tx, tx_chain, bridged = outbound_txs.c, outbound_txs.c.chain, bridge_transfers.c
    moved, of_inventory = inventory_transfers.c, f"inventory_transfers.{OPEN_INVENTORY}"
    return select(
        rows.c.key,
        first(deposits.c.ready_height, deposits.c.chain, "deposits.state = 'SEEN'"),
        first(tx.id, tx_chain, "outbound_txs.state = 'SIGNED'"),
        first(tx.block_height, tx_chain, "outbound_txs.state = 'CONFIRMED'"),
        first(tx.next_at, tx_chain, "outbound_txs.state = 'DUE'"),
        first(bridged.next_at, bridged.source_chain, f"bridge_transfers.{OPEN}"),
        first(moved.next_at, moved.source_chain, of_inventory),
        first(moved.next_at, moved.destination_chain, f"{_MINTS} AND {of_inventory}"),
        first(
            intents.c.expires_at, intents.c.source_chain, "intents.state IN ('PENDING', 'FUNDED')"
        ),
    ).select_from(rows)


# So many of the values say that the next block may decide; those after them are due times.
_IN_PROGRESS = 3
_OF_CHAINS = ByShards(
    lambda is_of_shards: per_dialect_for_chains(partial(_build_of_chains, is_of_shards))
)
_OF_RAMPS = select(
    _first(orders.c.next_at, text("orders.next_at IS NOT NULL")),
    _first(kyc_submission_syncs.c.next_at, text("kyc_submission_syncs.next_at IS NOT NULL")),
)
_OF_DELIVERIES = select(
    func.min(
        _first(
            deliveries.c.next_at,
            deliveries.c.webhook_id == webhooks.c.id,
            text("deliveries.state = 'DUE'"),
            of=webhooks,
        )
    )
).where(webhooks.c.enabled.is_(True))


class SqlDueTimes:
    """`ports.due_times.DueTimes` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def of_chains(
        self, chains: Collection[str], shards: Shards = ALL_SHARDS
    ) -> Mapping[str, ChainWork]:
        parameters = {"chains": chain_values(dict.fromkeys(chains, 0))} | shard_parameters(shards)
        rows = self._db.execute(_OF_CHAINS[shards][self._db.dialect.name], parameters)
        return {
            chain: ChainWork(
                any(value is not None for value in in_progress),
                _time(min((at for at in waiting if at is not None), default=None)),
                _time(next_expiry),
            )
            for chain, *values, next_expiry in rows
            for in_progress, waiting in [(values[:_IN_PROGRESS], values[_IN_PROGRESS:])]
        }

    def of_ramps(self) -> datetime | None:
        times = [at for at in self._db.execute(_OF_RAMPS).one() if at is not None]
        return _time(min(times, default=None))

    def of_deliveries(self) -> datetime | None:
        return _time(self._db.execute(_OF_DELIVERIES).scalar())


def _time(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
