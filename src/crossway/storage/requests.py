"""The request log as stored."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select

from crossway.ports.logs import AskedRequest, RequestFilter
from crossway.storage.network_tables import requests
from crossway.storage.rows import instant, micros
from crossway.storage.sets import once_a_row

_PUT = insert(requests)


class Requests:
    """`ports.logs.RequestRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, asked: Sequence[AskedRequest]) -> None:
        once_a_row(self._db, _PUT, [_row(one) for one in asked])

    def get(self, number: int) -> AskedRequest | None:
        row = self._db.execute(select(requests).where(requests.c.id == number)).first()
        return None if row is None else _request(row)

    def page(self, wanted: RequestFilter, limit: int) -> list[AskedRequest]:
        query = select(requests).where(*_conditions(wanted))
        found = self._db.execute(query.order_by(requests.c.id.desc()).limit(limit))
        return [_request(row) for row in found]


def _conditions(wanted: RequestFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    for column, value in (
        (requests.c.client_id, wanted.client_id),
        (requests.c.method, wanted.method),
        (requests.c.path, wanted.path),
        (requests.c.request_id, wanted.request_id),
        (requests.c.intent_id, wanted.intent_id),
    ):
        if value:
            found.append(column == value)
    if wanted.path_part:
        found.append(requests.c.path.icontains(wanted.path_part, autoescape=True))
    if wanted.status is not None:
        low, high = wanted.status, wanted.status
        if wanted.status < 10:
            low, high = wanted.status * 100, wanted.status * 100 + 99
        found.append(requests.c.status.between(low, high))
    if wanted.failed:
        found.append(requests.c.status >= 400)
    if wanted.start is not None:
        found.append(requests.c.at >= micros(wanted.start))
    if wanted.end is not None:
        found.append(requests.c.at < micros(wanted.end))
    if wanted.before_id is not None:
        found.append(requests.c.id < wanted.before_id)
    return found


def _row(one: AskedRequest) -> dict[str, Any]:
    return {
        "at": micros(one.at),
        "request_id": one.request_id,
        "method": one.method,
        "path": one.path,
        "status": one.status,
        "microseconds": one.microseconds,
        "client_id": one.client_id,
        "key_shown": one.key_shown,
        "asked": one.asked,
        "answered": one.answered,
        "intent_id": one.intent_id,
    }


def _request(row: Any) -> AskedRequest:
    return AskedRequest(
        row.id,
        instant(row.at),
        row.request_id,
        row.method,
        row.path,
        row.status,
        row.microseconds,
        row.client_id,
        row.key_shown,
        row.asked,
        row.answered,
        row.intent_id,
    )
