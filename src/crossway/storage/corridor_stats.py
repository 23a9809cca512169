"""Counts and volumes of ended payments by corridor, hour and day."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from crossway.domain.clients import Mode
from crossway.domain.corridor_stats import SECONDS, CorridorVolume, Outcome, Period, PeriodVolume
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.prepared import execute_each
from crossway.storage.row_mapper import to_micros
from crossway.storage.treasury_tables import corridor_stats

_MICROS = 1_000_000
_KEYS = (
    "period",
    "period_number",
    "mode",
    "source",
    "destination",
    "bridge",
    "symbol",
    "outcome",
    "bucket",
)
_TOTALS = ("payment_count", "micro_usd", "fee_micro_usd")
_ADD = per_dialect(
    lambda insert_into: insert_into(corridor_stats).on_conflict_do_update(
        index_elements=list(_KEYS),
        set_={
            name: corridor_stats.c[name] + insert_into(corridor_stats).excluded[name]
            for name in _TOTALS
        },
    )
)


class SqlCorridorStats:
    """`ports.treasury_repository.CorridorStatsRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, volumes: Sequence[CorridorVolume], at: datetime) -> None:
        totals: dict[tuple[object, ...], list[int]] = {}
        for volume in volumes:
            for period in Period:
                total = totals.setdefault(_key(volume, period, at), [0, 0, 0])
                for index, more in enumerate(
                    (volume.count, volume.micro_usd, volume.fee_micro_usd)
                ):
                    total[index] += more
        if totals:
            # Sorted, so that concurrent writers of the same corridors never deadlock.
            rows = [
                dict(zip(_KEYS + _TOTALS, (*key, *total), strict=True))
                for key, total in sorted(totals.items(), key=lambda item: str(item[0]))
            ]
            execute_each(self._db, _ADD[self._db.dialect.name], rows)

    def sum_since(self, mode: Mode | None, period: Period, at: datetime) -> list[CorridorVolume]:
        names = [corridor_stats.c[name] for name in _KEYS[2:]]
        query = (
            select(*names, *(func.sum(corridor_stats.c[name]).label(name) for name in _TOTALS))
            .where(
                corridor_stats.c.period == period.value,
                corridor_stats.c.period_number >= _period_number(period, at),
                *_in_mode(mode),
            )
            .group_by(*names)
        )
        return [_to_volume(row) for row in self._db.execute(query)]

    def list_between(
        self, mode: Mode | None, source: str, destination: str, period: Period, at: datetime
    ) -> list[tuple[int, CorridorVolume]]:
        c = corridor_stats.c
        query = select(corridor_stats).where(
            c.period == period.value,
            c.period_number >= _period_number(period, at),
            c.source == source,
            c.destination == destination,
            *_in_mode(mode),
        )
        return [(row.period_number, _to_volume(row)) for row in self._db.execute(query)]

    def list_volumes(
        self, mode: Mode | None, period: Period, first: int, end: int | None = None
    ) -> list[PeriodVolume]:
        c = corridor_stats.c
        names = (c.period_number, c.outcome, c.bucket)
        query = (
            select(*names, func.sum(c.payment_count), func.sum(c.micro_usd))
            .where(c.period == period.value, c.period_number >= first, *_in_mode(mode))
            .group_by(*names)
        )
        if end is not None:
            query = query.where(c.period_number < end)
        return [
            PeriodVolume(at, Outcome(ended), bucket, int(n), int(usd))
            for at, ended, bucket, n, usd in self._db.execute(query)
        ]


def _to_volume(row: Row[Any]) -> CorridorVolume:
    return CorridorVolume(
        mode=row.mode,
        source=row.source,
        destination=row.destination,
        bridge=row.bridge,
        symbol=row.symbol,
        outcome=Outcome(row.outcome),
        bucket=row.bucket,
        count=int(row.payment_count),
        micro_usd=int(row.micro_usd),
        fee_micro_usd=int(row.fee_micro_usd),
    )


def _key(flow: CorridorVolume, span: Period, at: datetime) -> tuple[object, ...]:
    route = (flow.mode, flow.source, flow.destination, flow.bridge, flow.symbol)
    return (span.value, _period_number(span, at), *route, flow.outcome.value, flow.bucket)


def _in_mode(mode: Mode | None) -> list[ColumnElement[bool]]:
    return [] if mode is None else [corridor_stats.c.mode == mode]


def _period_number(span: Period, at: datetime) -> int:
    """The number of the hour or day of an instant, counted from 1970."""
    return to_micros(at) // _MICROS // SECONDS[span]
