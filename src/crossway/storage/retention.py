"""Forgetting what is old, a few records at a time."""

from datetime import datetime
from typing import Final

from sqlalchemy import Column, Connection, delete, select

from crossway.storage.network_tables import requests
from crossway.storage.rows import micros

# Of each kind: the column that says how old a record is.
_AGES: Final[dict[str, Column[int]]] = {"requests": requests.c.at}


class Retention:
    """`ports.logs.RetentionRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def forget(self, kind: str, before: datetime, most: int) -> int:
        age = _AGES[kind]
        table = age.table
        old = select(table.c.id).where(age < micros(before)).order_by(age).limit(most)
        return self._db.execute(delete(table).where(table.c.id.in_(old))).rowcount
