"""Cursors: the position up to which each chain was read."""

from sqlalchemy import Connection, bindparam, select, update

from crossway.ports.chain import Cursor
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.prepared import execute, fetch
from crossway.storage.service_tables import cursors

_CURSORS = select(cursors.c.chain, cursors.c.height, cursors.c.block_hash)

_ADD = per_dialect(lambda put: put(cursors).on_conflict_do_nothing())
_MOVE = (
    update(cursors)
    .where(
        cursors.c.chain == bindparam("of_chain"),
        cursors.c.height == bindparam("from_height"),
        cursors.c.block_hash == bindparam("from_hash"),
    )
    .values(height=bindparam("to_height"), block_hash=bindparam("to_hash"))
)


class SqlCursors:
    """`ports.store.CursorRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_all(self) -> dict[str, Cursor]:
        rows = fetch(self._db, _CURSORS)
        return {chain: Cursor(height, block_hash) for chain, height, block_hash in rows}

    def save(self, chain: str, before: Cursor | None, after: Cursor) -> bool:
        if before is None:
            row = {"chain": chain, "height": after.height, "block_hash": after.block_hash}
            return execute(self._db, _ADD[self._db.dialect.name], row) == 1
        parameters = {
            "of_chain": chain,
            "from_height": before.height,
            "from_hash": before.block_hash,
            "to_height": after.height,
            "to_hash": after.block_hash,
        }
        return execute(self._db, _MOVE, parameters) == 1
