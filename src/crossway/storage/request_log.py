"""The request log of the API."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, Connection, insert, or_, select

from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.storage.prepared import execute_each
from crossway.storage.row_mapper import RowMapper, to_micros
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
        query = select(request_log).where(*_conditions(filter))
        conditions = self._db.execute(query.order_by(request_log.c.id.desc()).limit(limit))
        return [REQUESTS.decode(row, self._open_text) for row in conditions]


def _conditions(filter: RequestFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filter.client_id is not None:
        conditions.append(request_log.c.client_id == filter.client_id)
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
    if filter.start is not None:
        conditions.append(request_log.c.at >= to_micros(filter.start))
    if filter.end is not None:
        conditions.append(request_log.c.at < to_micros(filter.end))
    if filter.before_id is not None:
        conditions.append(request_log.c.id < filter.before_id)
    return conditions
