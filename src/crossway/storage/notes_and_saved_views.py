"""Notes on records, and saved views of lists."""

from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from crossway.ports.search_repository import Note, SavedView
from crossway.storage.row_mapper import RowMapper
from crossway.storage.sealing import opener, sealer
from crossway.storage.search_tables import notes, saved_views

NOTES: Final = RowMapper(Note, notes)
VIEWS: Final = RowMapper(SavedView, saved_views)


class SqlNotesAndSavedViews:
    """`ports.search_repository.NotesAndSavedViewsRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text = opener(db)

    def add_note(self, note: Note) -> Note:
        row = NOTES.encode_new(note, sealer(self._db))
        row_id = self._db.execute(insert(notes).returning(notes.c.id), row)
        return replace(note, id=int(row_id.scalar_one()))

    def list_notes(self, subject: str) -> list[Note]:
        query = select(notes).where(notes.c.subject == subject).order_by(notes.c.id)
        return [NOTES.decode(row, self._open_text) for row in self._db.execute(query)]

    def add_view(self, view: SavedView) -> SavedView:
        row_id = self._db.execute(
            insert(saved_views).returning(saved_views.c.id), VIEWS.encode_new(view)
        )
        view = replace(view, id=int(row_id.scalar_one()))
        self._clear_other_defaults(view)
        return view

    def get_view(self, view_id: int) -> SavedView | None:
        row = self._db.execute(select(saved_views).where(saved_views.c.id == view_id)).first()
        return None if row is None else VIEWS.decode(row)

    def list_views(self, screen: str) -> list[SavedView]:
        query = select(saved_views).where(saved_views.c.screen == screen)
        rows = self._db.execute(query.order_by(saved_views.c.name, saved_views.c.id))
        return [VIEWS.decode(row) for row in rows]

    def update_view(self, view: SavedView) -> None:
        is_view = saved_views.c.id == view.id
        self._db.execute(update(saved_views).where(is_view).values(VIEWS.encode_new(view)))
        self._clear_other_defaults(view)

    def delete_view(self, view_id: int) -> None:
        self._db.execute(delete(saved_views).where(saved_views.c.id == view_id))

    def _clear_other_defaults(self, view: SavedView) -> None:
        if view.is_default:
            others = (saved_views.c.screen == view.screen, saved_views.c.id != view.id)
            self._db.execute(update(saved_views).where(*others).values(is_default=False))
