"""Standing addresses and their deposits, with the events of these."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    TextClause,
    bindparam,
    cast,
    func,
    insert,
    select,
    text,
    update,
)

from crossway.domain.clients import OwnerFilter
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.standing import (
    StandingAddress,
    StandingDeposit,
    StandingState,
    require_next,
)
from crossway.ports.intent_repository import AddressRow
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.ports.standing_repository import StandingDepositFilter
from crossway.sql.in_values import in_values, within
from crossway.storage.bulk_sql import chain_values, per_dialect, per_dialect_for_chains
from crossway.storage.outbox import ADD_EVENT
from crossway.storage.owner_sql import is_owned
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.row_mapper import to_micros
from crossway.storage.sealing import sealer
from crossway.storage.shard_sql import ByShards, OfShards, shard_parameters
from crossway.storage.standing_rows import (
    ADDRESSES,
    DEPOSITS,
    deposit_event_row,
    new_deposit_row,
    shard_number,
)
from crossway.storage.standing_tables import (
    OPEN,
    SEEN,
    THERE,
    standing_addresses,
    standing_deposits,
)

_a, _d = standing_addresses.c, standing_deposits.c
_ROWS: Final = select(_a.id, _a.source_chain, _a.address)
_STREAMED: Final = {"yield_per": 10_000}
_BY_ADDRESS: Final = select(standing_addresses).where(within(_a.address, "addresses"))
_RULES: Final = ADDRESSES.encoder(only=("history", "reference", "metadata", "updated_at"))
_CHANGED: Final = DEPOSITS.encoder(
    only=("state", "intent_id", "micro_usd", "reason", "next_at", "updated_at")
)


def _build_record(insert_into: Any) -> Any:
    """The insert of a deposit; an orphaned one that is included again moves to its new block."""
    statement = insert_into(standing_deposits)
    names = ("block_height", "block_hash", "ready_height", "at", "state", "reason", "updated_at")
    return statement.on_conflict_do_update(
        index_elements=["chain", "tx_hash", "tx_index"],
        set_={name: statement.excluded[name] for name in names},
        where=_d.state == StandingState.ORPHANED.value,
    )


_RECORD: Final = per_dialect(_build_record)


def _due(kind: str, is_of_shards: OfShards) -> Any:
    """The deposits of some chains that are confirmed now, or to be looked at again."""
    column, condition = (_d.ready_height, SEEN) if kind == "ready" else (_d.next_at, OPEN)

    def build(chains: Any) -> Select[Any]:
        return (
            select(standing_deposits)
            .join(chains, chains.c.key == _d.chain)
            .where(
                text(f"standing_deposits.{condition}"),
                column <= cast(chains.c.value, BigInteger),
                is_of_shards(shard_number(_d.id)),
            )
            .order_by(_d.id)
            .limit(bindparam("limit"))
        )

    return per_dialect_for_chains(build)


_DUE: Final = {kind: ByShards(partial(_due, kind)) for kind in ("ready", "again")}


class SqlStanding:
    """`ports.standing_repository.StandingRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._seal = sealer(db)

    def add(self, address: StandingAddress) -> StandingAddress:
        query = insert(standing_addresses).returning(standing_addresses)
        return ADDRESSES.decode(self._db.execute(query, ADDRESSES.encode_new(address)).one())

    def find(self, name: str) -> StandingAddress | None:
        return self._one(select(standing_addresses).where(_a.name == name))

    def lock(self, name: str) -> StandingAddress | None:
        return self._one(select(standing_addresses).where(_a.name == name).with_for_update())

    def _one(self, query: Select[Any]) -> StandingAddress | None:
        row = self._db.execute(query).first()
        return None if row is None else ADDRESSES.decode(row)

    def get_many(self, numbers: Collection[int]) -> dict[int, StandingAddress]:
        query = select(standing_addresses).where(in_values(_a.id, numbers))
        rows = self._db.execute(query) if numbers else ()
        return {row.id: ADDRESSES.decode(row) for row in rows}

    def find_by_addresses(self, addresses: Collection[str]) -> dict[str, StandingAddress]:
        rows = fetch(self._db, _BY_ADDRESS, {"addresses": addresses}) if addresses else ()
        found = map(ADDRESSES.decode, rows)
        return {address.address: address for address in found}

    def update_rules(self, address: StandingAddress) -> None:
        query = update(standing_addresses).where(_a.id == address.number)
        self._db.execute(query.values(**_RULES(address)))

    def list_page(
        self, owners: OwnerFilter, limit: int, before: int | None = None
    ) -> list[StandingAddress]:
        query = select(standing_addresses).where(*is_owned(standing_addresses, owners))
        if before is not None:
            query = query.where(_a.id < before)
        rows = self._db.execute(query.order_by(_a.id.desc()).limit(limit))
        return [ADDRESSES.decode(row) for row in rows]

    def list_addresses(self, after: int = 0) -> Iterator[AddressRow]:
        query = _ROWS.where(_a.id > after).order_by(_a.id)
        for rows in self._db.execute(query, execution_options=_STREAMED).partitions():
            yield from map(tuple, rows)

    def get_newest_number(self) -> int:
        return self._db.execute(select(func.max(_a.id))).scalar() or 0

    def list_added_addresses(self, after: int, numbers: Collection[int]) -> list[AddressRow]:
        # Apart: joined by OR, SQLite would walk through the table, and PostgreSQL its index.
        conditions = [_a.id > after, *([in_values(_a.id, numbers)] if numbers else ())]
        found = [self._db.execute(_ROWS.where(condition)) for condition in conditions]
        return sorted(
            {(number, chain, address) for rows in found for number, chain, address in rows}
        )

    def record(
        self, new: Sequence[tuple[StandingAddress, IncomingTransfer, int]], at: datetime
    ) -> None:
        rows = [new_deposit_row(address, transfer, depth, at) for address, transfer, depth in new]
        if rows:
            execute_each(self._db, _RECORD[self._db.dialect.name], rows)

    def list_ready(
        self, heads: Mapping[str, int], now: datetime, limit: int, shards: Shards = ALL_SHARDS
    ) -> list[StandingDeposit]:
        limits = {"ready": heads, "again": dict.fromkeys(heads, to_micros(now))}
        found: list[StandingDeposit] = []
        for kind, values in limits.items():
            parameters = {"chains": chain_values(values), "limit": limit}
            query = _DUE[kind][shards][self._db.dialect.name]
            rows = fetch(self._db, query, parameters | shard_parameters(shards))
            found += map(DEPOSITS.decode, rows)
        return found

    def lock_deposits(self, ids: Collection[int]) -> dict[int, StandingDeposit]:
        query = select(standing_deposits).where(in_values(_d.id, ids)).order_by(_d.id)
        rows = self._db.execute(query.with_for_update()) if ids else ()
        return {row.id: DEPOSITS.decode(row) for row in rows}

    def lock_from_height(self, chain: str, height: int) -> list[StandingDeposit]:
        query = select(standing_deposits).where(
            _d.chain == chain,
            _d.block_height >= height,
            _d.state != StandingState.ORPHANED.value,
        )
        rows = self._db.execute(query.order_by(_d.id).with_for_update())
        return [DEPOSITS.decode(row) for row in rows]

    def get_deposit(self, id: int) -> StandingDeposit | None:
        return self.get_deposits([id]).get(id)

    def get_deposits(self, ids: Collection[int]) -> dict[int, StandingDeposit]:
        query = select(standing_deposits).where(in_values(_d.id, ids))
        rows = self._db.execute(query) if ids else ()
        return {row.id: DEPOSITS.decode(row) for row in rows}

    def get_deposits_of_intents(self, intent_ids: Collection[int]) -> dict[int, StandingDeposit]:
        query = select(standing_deposits).where(in_values(_d.intent_id, intent_ids))
        rows = self._db.execute(query) if intent_ids else ()
        return {row.intent_id: DEPOSITS.decode(row) for row in rows}

    def update_deposits(self, changes: Sequence[tuple[StandingDeposit, StandingDeposit]]) -> None:
        for before, after in changes:
            if after.state is not before.state:
                require_next(before.state, after.state)
            query = update(standing_deposits).where(_d.id == after.id)
            self._db.execute(query.values(**_CHANGED(after)))
        told = [after for before, after in changes if after.state is not before.state]
        rows = [deposit_event_row(deposit, self._seal) for deposit in told]
        execute_each(self._db, ADD_EVENT, rows)

    def list_deposits(
        self, filter: StandingDepositFilter, limit: int, before: int | None = None
    ) -> list[StandingDeposit]:
        query = select(standing_deposits).where(*is_owned(standing_deposits, filter))
        if filter.number is not None:
            query = query.where(_d.number == filter.number)
        if filter.states is not None:
            query = query.where(_d.state.in_([state.value for state in filter.states]))
        if before is not None:
            query = query.where(_d.id < before)
        rows = self._db.execute(query.order_by(_d.id.desc()).limit(limit))
        return [DEPOSITS.decode(row) for row in rows]

    def list_paid_to(self, chain: str, from_number: int, limit: int) -> list[int]:
        query = select(_d.number).distinct().where(*_is_there(chain), _d.number >= from_number)
        return list(self._db.scalars(query.order_by(_d.number).limit(limit)))

    def list_there(self, chain: str, numbers: Collection[int]) -> list[StandingDeposit]:
        query = select(standing_deposits).where(*_is_there(chain), in_values(_d.number, numbers))
        rows = self._db.execute(query.order_by(_d.id)) if numbers else ()
        return [DEPOSITS.decode(row) for row in rows]


def _is_there(chain: str) -> tuple[ColumnElement[bool] | TextClause, ...]:
    return _d.chain == chain, text(f"standing_deposits.{THERE}")
