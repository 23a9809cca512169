"""Targets of the relayer's stock and comparisons of books and chains, as stored."""

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, literal_column, select, update
from sqlalchemy.dialects import postgresql, sqlite

from crossway.domain.intent import State
from crossway.domain.transfers import Duty, TransferState
from crossway.ports.treasury_records import Claim, Run, Target
from crossway.storage.rows import instant, maybe_instant, micros
from crossway.storage.tables import intents, transfers
from crossway.storage.treasury_tables import reconciliations, stock_targets

# Written out: indexes of some states alone are used where the state is no parameter.
_INITIATED: ColumnElement[str] = literal_column(f"'{State.INITIATED}'")
_DUE: ColumnElement[str] = literal_column(f"'{TransferState.DUE}'")
_SIGNED: ColumnElement[str] = literal_column(f"'{TransferState.SIGNED}'")


class Treasury:
    """`ports.treasury_records.TreasuryRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._make = sqlite.insert if db.dialect.name == "sqlite" else postgresql.insert

    def reserved(self) -> dict[tuple[str, str], int]:
        there = (intents.c.destination_chain, intents.c.token_out, intents.c.out_units)
        started = select(*there).where(intents.c.state == _INITIATED)
        starting = (
            select(*there)
            .join(transfers, transfers.c.intent_id == intents.c.id)
            .where(
                transfers.c.state == _SIGNED,
                transfers.c.duty == Duty.START.value,
                intents.c.state == State.FUNDED.value,
            )
        )
        totals: dict[tuple[str, str], int] = defaultdict(int)
        for query in (started, starting):
            for chain, token, units in self._db.execute(query):
                totals[chain, token] += int(units)
        return dict(totals)

    def claims(self, limit: int) -> list[Claim]:
        kept = ("total_units", "fees_units", "app_fee_units", "bridge", "settle_seconds")
        found: list[Claim] = []
        for state in (_DUE, _SIGNED):
            query = (
                select(transfers, *(intents.c[name] for name in kept))
                .join(intents, intents.c.id == transfers.c.intent_id)
                .where(transfers.c.state == state, transfers.c.duty == Duty.REIMBURSE.value)
                .limit(limit - len(found))
            )
            found += [_claim(row) for row in self._db.execute(query)]
        return found

    def targets(self) -> list[Target]:
        return [
            Target(row.chain, row.token, int(row.units), row.by, instant(row.at))
            for row in self._db.execute(select(stock_targets))
        ]

    def set_target(self, target: Target) -> None:
        put = self._make(stock_targets)
        self._db.execute(
            put.on_conflict_do_update(
                index_elements=["chain", "token"],
                set_={name: put.excluded[name] for name in ("units", "by", "at")},
            ),
            {
                "chain": target.chain,
                "token": target.token,
                "units": str(target.units),
                "by": target.by,
                "at": micros(target.at),
            },
        )

    def drop_target(self, chain: str, token: str) -> None:
        there = (stock_targets.c.chain == chain, stock_targets.c.token == token)
        self._db.execute(delete(stock_targets).where(*there))

    def begin_run(self, who: str, at: datetime, of: int, for_day: int | None = None) -> int | None:
        put = self._make(reconciliations).on_conflict_do_nothing().returning(reconciliations.c.id)
        values = {
            "who": who,
            "started_at": micros(at),
            "for_day": for_day,
            "done": 0,
            "of": of,
            "differences": 0,
            "result": "{}",
        }
        return self._db.execute(put, values).scalar()

    def was_run_for(self, day: int) -> bool:
        query = select(reconciliations.c.id).where(reconciliations.c.for_day == day)
        return self._db.execute(query).first() is not None

    def progress(self, run_id: int, done: int) -> None:
        which = reconciliations.c.id == run_id
        self._db.execute(update(reconciliations).where(which).values(done=done))

    def end_run(
        self, run_id: int, at: datetime, differences: int, result: Mapping[str, Any]
    ) -> None:
        self._db.execute(
            update(reconciliations)
            .where(reconciliations.c.id == run_id)
            .values(
                ended_at=micros(at),
                done=reconciliations.c.of,
                differences=differences,
                result=json.dumps(dict(result)),
            )
        )

    def run(self, run_id: int) -> Run | None:
        row = self._db.execute(
            select(reconciliations).where(reconciliations.c.id == run_id)
        ).one_or_none()
        return None if row is None else _run(row)

    def runs(self, limit: int, before_id: int | None = None) -> list[Run]:
        query = select(reconciliations).order_by(reconciliations.c.id.desc()).limit(limit)
        if before_id is not None:
            query = query.where(reconciliations.c.id < before_id)
        return [_run(row) for row in self._db.execute(query)]

    def running(self) -> list[Run]:
        query = select(reconciliations).where(reconciliations.c.ended_at.is_(None))
        return [_run(row) for row in self._db.execute(query.order_by(reconciliations.c.id))]


def _claim(row: Any) -> Claim:
    since = instant(row.created_at)
    return Claim(
        intent_id=row.intent_id,
        chain=row.chain,
        token=row.token,
        units=int(row.total_units) - int(row.fees_units) - int(row.app_fee_units),
        bridge=row.bridge,
        since=since,
        due=since + timedelta(seconds=row.settle_seconds),
        reason=row.reason,
    )


def _run(row: Any) -> Run:
    return Run(
        id=row.id,
        who=row.who,
        started_at=instant(row.started_at),
        ended_at=maybe_instant(row.ended_at),
        done=row.done,
        of=row.of,
        differences=row.differences,
        result=json.loads(row.result),
    )
