"""The repositories of search, filtered lists, notes and saved views."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from crossway.domain.clients import OwnerFilter
from crossway.domain.filters import FilterSet
from crossway.domain.intent import Intent

OWNED_CANDIDATES: Final = 2_000


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A record that an identifier matches. `matched_field` names the field that matched; `unique`
    tells whether that field identifies the record, as an id or a deposit address does."""

    kind: str
    id: int | str
    matched_field: str
    unique: bool


class PaymentOrder(StrEnum):
    """The orders in which the database lists payments: by their number, which is the order in which
    they were stored, by their value before fees, or by the time of their creation, which clocks of
    several machines tell; equal ones by their number."""

    NEWEST = "newest"
    OLDEST = "oldest"
    LARGEST = "largest"
    SMALLEST = "smallest"
    LATEST = "latest"
    EARLIEST = "earliest"

    @property
    def ascending(self) -> bool:
        """Whether lower numbers, values or times come first."""
        return self in (PaymentOrder.OLDEST, PaymentOrder.SMALLEST, PaymentOrder.EARLIEST)

    @property
    def by_value(self) -> bool:
        """Whether values are compared before numbers."""
        return self in (PaymentOrder.LARGEST, PaymentOrder.SMALLEST)

    @property
    def by_creation(self) -> bool:
        """Whether times of creation are compared before numbers."""
        return self in (PaymentOrder.LATEST, PaymentOrder.EARLIEST)

    def for_list(self, filters: FilterSet) -> "PaymentOrder":
        """The order in which a list is read: within a period of creation the newest and the oldest
        are those by that time, as only an index of times knows where a period begins."""
        by_time = {self.NEWEST: self.LATEST, self.OLDEST: self.EARLIEST}
        return PaymentOrder(by_time.get(self, self)) if filters.has_period else self


@dataclass(frozen=True, slots=True)
class PaymentPlace:
    """A place in a list of payments: that of the payment with this number, and this value in
    micro-USD before fees, which only an order by value reads."""

    id: int
    micro_usd: int = 0


@dataclass(frozen=True, slots=True)
class FilteredPage:
    """One page of a filtered list. `searched_to` is the last place that was examined when the
    search ended early; None when nothing behind it matches, or the page is full."""

    intents: Sequence[Intent]
    searched_to: PaymentPlace | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """How many records match: exactly `count`, or more when `more` is set."""

    count: int
    more: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A note about a record; `subject` is `kind:id`, as in the audit log."""

    id: int
    subject: str
    at: datetime
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class SavedView:
    """A filter saved under a name; `query` is the query string of its URL. A screen opens with its
    default view."""

    id: int
    screen: str
    name: str
    query: str
    author: str
    at: datetime
    is_default: bool


class SearchRepository(Protocol):
    """Look-ups by identifier and filtered lists of intents."""

    def find(self, values: Collection[str], number: int | None, limit: int) -> list[SearchHit]:
        """Every record that one of the values, or the number, identifies; at most `limit` for each
        field, newest first."""
        ...

    def find_owned(
        self, owners: OwnerFilter, values: Collection[str], limit: int
    ) -> list[SearchHit]:
        """The same among the payments, ramp orders and payment links of an owner. Of a value that
        very many records have, only the newest `OWNED_CANDIDATES` are looked at."""
        ...

    def filter_intents(
        self,
        filters: FilterSet,
        after: PaymentPlace | None,
        limit: int,
        max_tested: int,
        order: PaymentOrder = PaymentOrder.NEWEST,
    ) -> FilteredPage:
        """Intents that match the filters, in this order, behind a place. The search ends with what
        it found once `max_tested` intents were looked at."""
        ...

    def count_intents(
        self, filters: FilterSet, limit: int, max_tested: int, order: PaymentOrder
    ) -> Count:
        """How many intents match the filters, counted up to `limit` where an index knows it, else
        among the first `max_tested` that the list in this order looks at."""
        ...


class NotesAndSavedViewsRepository(Protocol):
    """Notes and saved views of the staff."""

    def add_note(self, note: Note) -> Note:
        """Store a note (its id is assigned)."""
        ...

    def list_notes(self, subject: str) -> list[Note]:
        """Notes about a record, oldest first."""
        ...

    def add_view(self, view: SavedView) -> SavedView:
        """Store a view (its id is assigned)."""
        ...

    def get_view(self, view_id: int) -> SavedView | None: ...
    def list_views(self, screen: str) -> list[SavedView]:
        """Saved views of a screen, by name."""
        ...

    def update_view(self, view: SavedView) -> None:
        """Store name, query and `is_default`; a screen has at most one default view."""
        ...

    def delete_view(self, view_id: int) -> None: ...
