"""What finds things: identifiers, the filters of lists, and what people keep beside them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.conditions import Conditions
from crossway.domain.intent import Intent


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that an identifier names. `why` says which of its fields did; `own` whether that
    field is its alone, as a number or an address is, and no mere mention."""

    kind: str
    id: int | str
    why: str
    own: bool


@dataclass(frozen=True, slots=True)
class Sifted:
    """One page of a filtered list, newest first. `searched_to` is the oldest number that was looked
    at where the search stopped for its length; None when nothing older matches, or the page is
    full."""

    intents: Sequence[Intent]
    searched_to: int | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many match: `n`, or more than that."""

    n: int
    more: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """What a person wrote about a thing; `subject` is `kind:id`, as in the audit log."""

    id: int
    subject: str
    at: datetime
    who: str
    words: str


@dataclass(frozen=True, slots=True)
class SavedView:
    """A filter that the team kept under a name; `asked` is the query of its link. The `first` of a
    screen is what it opens with."""

    id: int
    screen: str
    name: str
    asked: str
    who: str
    at: datetime
    first: bool


class FindingRecords(Protocol):
    """Look-ups by whatever names a thing; none reads more than it answers."""

    def hits(self, values: Collection[str], number: int | None, limit: int) -> list[Hit]:
        """Everything that one of the values, or the number, names; newest first of each field."""
        ...

    def sift(
        self,
        wanted: Conditions,
        client_id: str | None,
        before_id: int | None,
        limit: int,
        patience: float,
    ) -> Sifted:
        """Intents that meet the conditions, newest first. The search ends after `patience`
        seconds, however little it found."""
        ...

    def tally(self, wanted: Conditions, client_id: str | None, most: int, patience: float) -> Tally:
        """How many meet the conditions, counted up to `most` and for so many seconds."""
        ...


class DeskRecords(Protocol):
    """What the people of the installation keep: notes and views."""

    def add_note(self, note: Note) -> Note:
        """Store a note (its id is assigned)."""
        ...

    def notes(self, subject: str) -> list[Note]:
        """Those about a thing, oldest first."""
        ...

    def add_view(self, view: SavedView) -> SavedView:
        """Store a view (its id is assigned)."""
        ...

    def view(self, view_id: int) -> SavedView | None: ...
    def views(self, screen: str) -> list[SavedView]:
        """Those of a screen, by name."""
        ...

    def change_view(self, view: SavedView) -> None:
        """Store its name, what it asks, and whether it is the first: then no other is."""
        ...

    def remove_view(self, view_id: int) -> None: ...
