"""Notes and saved views as stored, and the values of metadata that intents are found by."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from crossway.domain.intent import Intent
from crossway.ports.finding_records import Note, SavedView
from crossway.storage.finding_tables import notes, saved_views
from crossway.storage.rows import instant, micros

MOST_VALUES, LONGEST_VALUE = 40, 200


class Desk:
    """`ports.finding_records.DeskRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add_note(self, note: Note) -> Note:
        row = {
            "subject": note.subject,
            "at": micros(note.at),
            "who": note.who,
            "words": note.words,
        }
        made = self._db.execute(insert(notes).returning(notes.c.id), row)
        return replace(note, id=int(made.scalar_one()))

    def notes(self, subject: str) -> list[Note]:
        query = select(notes).where(notes.c.subject == subject).order_by(notes.c.id)
        return [
            Note(row.id, row.subject, instant(row.at), row.who, row.words)
            for row in self._db.execute(query)
        ]

    def add_view(self, view: SavedView) -> SavedView:
        made = self._db.execute(insert(saved_views).returning(saved_views.c.id), _row(view))
        view = replace(view, id=int(made.scalar_one()))
        self._only_first(view)
        return view

    def view(self, view_id: int) -> SavedView | None:
        row = self._db.execute(select(saved_views).where(saved_views.c.id == view_id)).first()
        return None if row is None else _view(row)

    def views(self, screen: str) -> list[SavedView]:
        query = select(saved_views).where(saved_views.c.screen == screen)
        rows = self._db.execute(query.order_by(saved_views.c.name, saved_views.c.id))
        return [_view(row) for row in rows]

    def change_view(self, view: SavedView) -> None:
        own = saved_views.c.id == view.id
        self._db.execute(update(saved_views).where(own).values(_row(view)))
        self._only_first(view)

    def remove_view(self, view_id: int) -> None:
        self._db.execute(delete(saved_views).where(saved_views.c.id == view_id))

    def _only_first(self, view: SavedView) -> None:
        if view.first:
            others = (saved_views.c.screen == view.screen, saved_views.c.id != view.id)
            self._db.execute(update(saved_views).where(*others).values(first=False))


def values_of(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(field, value) of what somebody may look for in metadata: plain values, two levels deep."""
    found: dict[str, str] = {}
    for field, value in _plain(metadata, 2):
        # PostgreSQL keeps no NUL in texts; nobody looks for one.
        text = str(value).replace("\0", "").strip().casefold()
        if text and len(text) <= LONGEST_VALUE and len(found) < MOST_VALUES:
            found.setdefault(text, field.replace("\0", ""))
    for text, field in found.items():
        yield field, text


def value_rows(intent: Intent) -> list[dict[str, Any]]:
    """The values of an intent's metadata as their rows."""
    return [
        {"value": value, "intent_id": intent.id, "field": field}
        for field, value in values_of(intent.metadata)
    ]


def _plain(values: Mapping[str, Any], levels: int) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping) and levels > 1:
            yield from ((f"{name}.{inner}", v) for inner, v in _plain(value, levels - 1))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield str(name), value


def _row(view: SavedView) -> dict[str, Any]:
    return {
        "screen": view.screen,
        "name": view.name,
        "asked": view.asked,
        "who": view.who,
        "at": micros(view.at),
        "first": view.first,
    }


def _view(row: Any) -> SavedView:
    return SavedView(
        row.id, row.screen, row.name, row.asked, row.who, instant(row.at), bool(row.first)
    )
