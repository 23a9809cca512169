"""Cursors: the position up to which each chain was read."""

from sqlalchemy import Connection, select, update

from crossway.ports.chain import Cursor
from crossway.storage.bulk_sql import insert_into
from crossway.storage.service_tables import cursors

_CURSORS = select(cursors)


class SqlCursors:
    """`ports.store.CursorRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_all(self) -> dict[str, Cursor]:
        rows = self._db.execute(_CURSORS)
        return {row.chain: Cursor(row.height, row.block_hash) for row in rows}

    def save(self, chain: str, before: Cursor | None, after: Cursor) -> bool:
        values = {"height": after.height, "block_hash": after.block_hash}
        if before is None:
            statement = (
                insert_into(self._db, cursors).on_conflict_do_nothing().returning(cursors.c.chain)
            )
            return self._db.execute(statement, {"chain": chain, **values}).first() is not None
        result = self._db.execute(
            update(cursors)
            .where(
                cursors.c.chain == chain,
                cursors.c.height == before.height,
                cursors.c.block_hash == before.block_hash,
            )
            .values(**values)
        )
        return result.rowcount == 1
