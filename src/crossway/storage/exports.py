"""Exports and the chunks of their files."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, insert, select, text, update

from crossway.domain.clients import OwnerFilter
from crossway.domain.exports import Export, ExportState
from crossway.sql.in_values import in_values
from crossway.storage.export_tables import export_chunks, exports
from crossway.storage.owner_sql import is_owned
from crossway.storage.row_mapper import RowMapper, to_micros

EXPORTS: Final = RowMapper(Export, exports)
# A literal, so that the planner uses the partial index.
_IS_OPEN: Final = text("exports.state IN ('PENDING', 'RUNNING')")
_c = exports.c


class SqlExports:
    """`ports.export_repository.ExportRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, export: Export) -> Export:
        row = EXPORTS.encode_new(export)
        return EXPORTS.decode(self._db.execute(insert(exports).returning(exports), row).one())

    def get(self, export_id: int) -> Export | None:
        row = self._db.execute(select(exports).where(_c.id == export_id)).first()
        return None if row is None else EXPORTS.decode(row)

    def list_by_owner(self, owners: OwnerFilter) -> list[Export]:
        query = select(exports).where(*is_owned(exports, owners)).order_by(_c.id.desc())
        return [EXPORTS.decode(row) for row in self._db.execute(query)]

    def has_due(self, now: datetime, machine_time: datetime) -> bool:
        waiting = select(_c.id).where(_IS_OPEN, _c.leased_until <= to_micros(machine_time))
        expired = select(_c.id).where(_c.expires_at <= to_micros(now))
        return any(self._db.execute(q.limit(1)).first() is not None for q in (waiting, expired))

    def lease_next(self, now: datetime, until: datetime) -> Export | None:
        query = select(_c.id).where(_IS_OPEN, _c.leased_until <= to_micros(now))
        in_turn = query.order_by(_c.leased_until, _c.id)
        found = self._db.execute(in_turn.limit(1).with_for_update(skip_locked=True)).scalar()
        if found is None:
            return None
        leased = update(exports).where(_c.id == found).returning(exports)
        values = {"state": ExportState.RUNNING.value, "leased_until": to_micros(until)}
        return EXPORTS.decode(self._db.execute(leased.values(values)).one())

    def save(self, before: Export, after: Export, chunk: bytes | None = None) -> bool:
        own = (
            _c.id == before.id,
            _c.state == before.state.value,
            _c.chunk_count == before.chunk_count,
            _c.place == before.place,
            _c.leased_until == to_micros(before.leased_until),
        )
        row = EXPORTS.encode(after)
        if self._db.execute(update(exports).where(*own).values(row)).rowcount != 1:
            return False
        if chunk is not None:
            new = {"export_id": before.id, "number": before.chunk_count}
            self._db.execute(insert(export_chunks), new | {"encrypted_content": chunk})
        return True

    def get_chunk(self, export_id: int, number: int) -> bytes | None:
        c = export_chunks.c
        query = select(c.encrypted_content).where(c.export_id == export_id, c.number == number)
        content = self._db.execute(query).scalar()
        return None if content is None else bytes(content)

    def delete(self, export_id: int) -> None:
        # The export first: who writes its next chunk waits, and then finds it gone.
        self._db.execute(delete(exports).where(_c.id == export_id))
        self._db.execute(delete(export_chunks).where(export_chunks.c.export_id == export_id))

    def delete_expired(self, now: datetime, limit: int) -> int:
        query = select(_c.id).where(_c.expires_at <= to_micros(now)).limit(limit)
        expired = list(self._db.execute(query).scalars())
        if expired:
            chunks = in_values(export_chunks.c.export_id, expired)
            self._db.execute(delete(exports).where(in_values(_c.id, expired)))
            self._db.execute(delete(export_chunks).where(chunks))
        return len(expired)
