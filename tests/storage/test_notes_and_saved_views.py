"""Notes and saved views of the staff are stored."""

from dataclasses import replace

from crossway.ports.search_repository import Note, SavedView
from crossway.storage.store import SqlStore
from tests.storage.records import NOW


def test_notes_and_saved_views_are_stored(store: SqlStore) -> None:
    note = Note(0, "intent:1", NOW, "Ada", "Called the payer.")
    created = store.write(lambda unit: unit.notes_and_saved_views.add_note(note))
    view = SavedView(0, "intents", "Stuck", "all=exception%3Astuck", "Ada", NOW, True)
    first = store.write(lambda unit: unit.notes_and_saved_views.add_view(view))
    second = store.write(
        lambda unit: unit.notes_and_saved_views.add_view(
            replace(view, name="Big", screen="intents")
        )
    )
    with store.read() as unit:
        assert unit.notes_and_saved_views.list_notes("intent:1") == [created]
        assert unit.notes_and_saved_views.list_notes("intent:2") == []
        assert unit.notes_and_saved_views.list_views("intents") == [
            second,
            replace(first, is_default=False),
        ]
        assert unit.notes_and_saved_views.list_views("orders") == []
    store.write(lambda unit: unit.notes_and_saved_views.update_view(replace(first, name="Held up")))
    store.write(lambda unit: unit.notes_and_saved_views.delete_view(second.id))
    with store.read() as unit:
        assert unit.notes_and_saved_views.list_views("intents") == [replace(first, name="Held up")]
        assert unit.notes_and_saved_views.get_view(second.id) is None
