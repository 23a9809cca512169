"""The request log of the API."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, Connection, insert, or_, select

from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.storage.creation_sql import behind, created_within, sort
from crossway.storage.prepared import execute_each
from crossway.storage.row_mapper import RowMapper
from crossway.storage.sealing import opener, sealer
from crossway.storage.service_tables import request_log

REQUESTS: Final = RowMapper(LoggedRequest, request_log)
_ADD = insert(request_log)


class SqlRequestLog:
    """`ports.logs.RequestLogRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text = opener(db)

    def add(self, requests: Sequence[LoggedRequest]) -> None:
        execute_each(
            self._db, _ADD, [REQUESTS.encode_new(request, sealer(self._db)) for request in requests]
        )

    def get(self, number: int) -> LoggedRequest | None:
        row = self._db.execute(select(request_log).where(request_log.c.id == number)).first()
        return None if row is None else REQUESTS.decode(row, self._open_text)

    def list_page(self, filter: RequestFilter, limit: int) -> list[LoggedRequest]:
        query, c = select(request_log).where(*_conditions(filter)), request_log.c
        order, place = [c.id.desc()], filter.before_id
        if _by_time(filter):
            query = query.where(behind(c.id, c.at, place, oldest_first=False))
            order = sort(c.id, c.at, oldest_first=False)
        elif place is not None:
            query = query.where(c.id < place)
        rows = self._db.execute(query.order_by(*order).limit(limit))
        return [REQUESTS.decode(row, self._open_text) for row in rows]


def _by_time(filter: RequestFilter) -> bool:
    """Whether a list is in the order of times, as it is within a period."""
    return filter.start is not None or filter.end is not None


def _conditions(filter: RequestFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filter.client_id is not None:
        client = request_log.c.client_id
        # Appending nothing leaves the index of times as the one to take.
        conditions.append((client + "" if _by_time(filter) else client) == filter.client_id)
    if filter.mode is not None:
        conditions.append(or_(request_log.c.mode == filter.mode, request_log.c.mode.is_(None)))
    for column, value in (
        (request_log.c.method, filter.method),
        (request_log.c.path, filter.path),
        (request_log.c.request_id, filter.request_id),
        (request_log.c.intent_id, filter.intent_id),
    ):
        if value:
            conditions.append(column == value)
    if filter.path_part:
        conditions.append(request_log.c.path.icontains(filter.path_part, autoescape=True))
    if filter.status is not None:
        low, high = filter.status, filter.status
        if filter.status < 10:
            low, high = filter.status * 100, filter.status * 100 + 99
        conditions.append(request_log.c.status.between(low, high))
    if filter.failed:
        conditions.append(request_log.c.status >= 400)
    return [*conditions, *created_within(request_log.c.at, filter.start, filter.end)]
