"""Rebalancing policies, settings and transfers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, time
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, delete, select, text, update

from crossway.domain.rebalancing import (
    PlannedTransfer,
    RebalancingMode,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import insert_into
from crossway.storage.prepared import execute_each
from crossway.storage.rebalancing_tables import (
    OPEN,
    rebalancing_policies,
    rebalancing_settings,
    rebalancing_transfers,
)
from crossway.storage.row_mapper import RowMapper, to_micros

_POLICIES: Final = RowMapper(RebalancingPolicy, rebalancing_policies)
_TRANSFERS: Final = RowMapper(RebalancingTransfer, rebalancing_transfers)
_SETTINGS_ID: Final = 1
_TIMES: Final = ("begins_at", "ends_at")
_CHANGING: Final = ("state", "decided_by", "note", "updated_at")
_UPDATE: Final = (
    update(rebalancing_transfers)
    .where(rebalancing_transfers.c.id == bindparam("b_id"))
    .values({name: bindparam(f"new_{name}") for name in _CHANGING})
)
_c = rebalancing_transfers.c


class SqlRebalancing:
    """`ports.rebalancing_repository.RebalancingRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_policies(self) -> list[RebalancingPolicy]:
        query = select(rebalancing_policies).order_by(
            rebalancing_policies.c.chain, rebalancing_policies.c.token
        )
        return [_POLICIES.decode(row) for row in self._db.execute(query)]

    def set_policy(self, policy: RebalancingPolicy) -> None:
        self._upsert(rebalancing_policies, ("chain", "token"), _POLICIES.encode(policy))

    def delete_policy(self, chain: str, token: str) -> None:
        columns = rebalancing_policies.c
        self._db.execute(
            delete(rebalancing_policies).where(columns.chain == chain, columns.token == token)
        )

    def get_settings(self) -> RebalancingSettings:
        row = self._db.execute(select(rebalancing_settings)).mappings().one_or_none()
        if row is None:
            return RebalancingSettings()
        values = {field.name: row[field.name] for field in fields(RebalancingSettings)}
        values |= {name: _time_of_day(row[name]) for name in _TIMES}
        return RebalancingSettings(**values | {"mode": RebalancingMode(row["mode"])})

    def save_settings(self, settings: RebalancingSettings) -> None:
        values = {f.name: getattr(settings, f.name) for f in fields(RebalancingSettings)}
        values |= {name: values[name].hour * 60 + values[name].minute for name in _TIMES}
        values |= {"id": _SETTINGS_ID, "mode": settings.mode.value}
        self._upsert(rebalancing_settings, ("id",), values)

    def add(
        self,
        planned: PlannedTransfer,
        state: RebalancingState,
        proposed_by: str,
        at: datetime,
        proposed_by_identity: str = "",
    ) -> RebalancingTransfer:
        transfer = RebalancingTransfer(
            id=0,
            bridge=planned.bridge,
            kind=planned.kind,
            source_chain=planned.source[0],
            source_token=planned.source[1],
            destination_chain=planned.destination[0],
            destination_token=planned.destination[1],
            amount=planned.amount,
            max_source_amount=planned.max_source_amount,
            micro_usd=planned.micro_usd,
            fee_micro_usd=planned.fee_micro_usd,
            seconds=planned.seconds,
            is_urgent=planned.is_urgent,
            reason=planned.reason,
            state=state,
            proposed_by=proposed_by,
            proposed_by_identity=proposed_by_identity,
            decided_by="",
            note="",
            created_at=at,
            updated_at=at,
        )
        statement = insert_into(self._db, rebalancing_transfers).returning(rebalancing_transfers)
        row = self._db.execute(statement, _TRANSFERS.encode_new(transfer)).one()
        return _TRANSFERS.decode(row)

    def lock(self, ids: Collection[int]) -> dict[int, RebalancingTransfer]:
        return self._by_id(ids, for_update=True)

    def get_many(self, ids: Collection[int]) -> dict[int, RebalancingTransfer]:
        return self._by_id(ids, for_update=False)

    def list_open(self) -> list[RebalancingTransfer]:
        # A literal, so that the planner uses the partial index.
        return self._all(select(rebalancing_transfers).where(text(OPEN)).order_by(_c.id))

    def list_page(self, limit: int, before_id: int | None = None) -> list[RebalancingTransfer]:
        query = select(rebalancing_transfers).order_by(_c.id.desc()).limit(limit)
        return self._all(query if before_id is None else query.where(_c.id < before_id))

    def list_since(self, at: datetime) -> list[RebalancingTransfer]:
        query = select(rebalancing_transfers).where(_c.created_at >= to_micros(at))
        return self._all(query.order_by(_c.created_at, _c.id))

    def update(self, transfers: Sequence[RebalancingTransfer]) -> None:
        rows = [
            {f"new_{name}": value for name, value in _TRANSFERS.encode(transfer).items()
             if name in _CHANGING} | {"b_id": transfer.id}
            for transfer in transfers
        ]  # fmt: skip
        if rows:
            execute_each(self._db, _UPDATE, rows)

    def _by_id(self, ids: Collection[int], for_update: bool) -> dict[int, RebalancingTransfer]:
        if not ids:
            return {}
        query = select(rebalancing_transfers).where(in_values(_c.id, ids))
        query = query.order_by(_c.id)
        return {t.id: t for t in self._all(query.with_for_update() if for_update else query)}

    def _all(self, query: Select[Any]) -> list[RebalancingTransfer]:
        return [_TRANSFERS.decode(row) for row in self._db.execute(query)]

    def _upsert(self, table: Any, keys: tuple[str, ...], values: Mapping[str, Any]) -> None:
        statement = insert_into(self._db, table)
        changed = {name: statement.excluded[name] for name in values if name not in keys}
        self._db.execute(
            statement.on_conflict_do_update(index_elements=list(keys), set_=changed), values
        )


def _time_of_day(minutes: int) -> time:
    return time(*divmod(minutes, 60))
