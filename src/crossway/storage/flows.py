"""Payments that ended, counted by corridor, hour and day, as stored."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select

from crossway.domain.flows import SECONDS, Ended, Flow, HourOfFlows, Span
from crossway.storage.rows import micros
from crossway.storage.sets import for_each_database
from crossway.storage.treasury_tables import flows

_MICROS = 1_000_000
_KEY = ("span", "at", "source", "destination", "bridge", "symbol", "ended", "bucket")
_COUNTED = ("n", "micro_usd", "fee_micro_usd")
_ADD = for_each_database(
    lambda put: put(flows).on_conflict_do_update(
        index_elements=list(_KEY),
        set_={name: flows.c[name] + put(flows).excluded[name] for name in _COUNTED},
    )
)


class Flows:
    """`ports.treasury_records.FlowRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def count(self, ended: Sequence[Flow], at: datetime) -> None:
        totals: dict[tuple[object, ...], list[int]] = {}
        for flow in ended:
            for span in Span:
                total = totals.setdefault(_key(flow, span, at), [0, 0, 0])
                for index, more in enumerate((flow.n, flow.micro_usd, flow.fee_micro_usd)):
                    total[index] += more
        if totals:
            # In one order, so that writers who count the same corridors never deadlock.
            rows = [
                dict(zip(_KEY + _COUNTED, (*key, *total), strict=True))
                for key, total in sorted(totals.items(), key=lambda item: str(item[0]))
            ]
            self._db.execute(_ADD[self._db.dialect.name], rows)

    def since(self, span: Span, at: datetime) -> list[Flow]:
        names = [flows.c[name] for name in _KEY[2:]]
        query = (
            select(*names, *(func.sum(flows.c[name]).label(name) for name in _COUNTED))
            .where(flows.c.span == span.value, flows.c.at >= _begins(span, at))
            .group_by(*names)
        )
        return [
            Flow(
                source=row.source,
                destination=row.destination,
                bridge=row.bridge,
                symbol=row.symbol,
                ended=Ended(row.ended),
                bucket=row.bucket,
                n=int(row.n),
                micro_usd=int(row.micro_usd),
                fee_micro_usd=int(row.fee_micro_usd),
            )
            for row in self._db.execute(query)
        ]

    def hours(self, first: int) -> list[HourOfFlows]:
        c = flows.c
        names = (c.at, c.ended, c.bucket)
        query = (
            select(*names, func.sum(c.n), func.sum(c.micro_usd))
            .where(c.span == Span.HOUR.value, c.at >= first)
            .group_by(*names)
        )
        return [
            HourOfFlows(at, Ended(ended), bucket, int(n), int(usd))
            for at, ended, bucket, n, usd in self._db.execute(query)
        ]


def _key(flow: Flow, span: Span, at: datetime) -> tuple[object, ...]:
    place = (flow.source, flow.destination, flow.bridge, flow.symbol)
    return (span.value, _begins(span, at), *place, flow.ended.value, flow.bucket)


def _begins(span: Span, at: datetime) -> int:
    """When the hour or day of an instant began, in whole spans from 1970."""
    return micros(at) // _MICROS // SECONDS[span]
